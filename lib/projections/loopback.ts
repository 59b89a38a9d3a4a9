import { concatMap, defer, materialize, throwError } from 'rxjs';
import type { ObservableInput, OperatorFunction } from 'rxjs';
import { errorInfo } from '../errors.ts';
import type { ErrorInfo } from '../errors.ts';
import type { LoopEvent } from '../event.ts';
import type { ToolFault } from '../message.ts';
import type { LoopbackEvent } from './loopback-event.ts';
import { LoopbackTurn } from './loopback-turn.ts';

export type { LoopbackEvent, LoopbackEventOf, LoopbackStopHint } from './loopback-event.ts';

export interface LoopbackOptions {
  /**
   * What a person is told of a failed run (an {@link ErrorInfo}, with `code`) or tool (a {@link ToolFault}, with `kind`).
   * Default: that it failed, and the tool's kind, because the message may hold what is not for everybody.
   */
  readonly errorText?: (error: ErrorInfo | ToolFault) => string;
}

/**
 * A run as the turn of a channel between an agent and its host (an editor, a chat, another agent): chunks, tools, usage and
 * plans as they come, and `flush` as the one end that a host can wait for.
 *
 * ```marbles
 * events          S-k-t-b-r-t-(yL|)
 * toLoopback()    --k-t-b-r-t-(uf|)
 * ```
 *
 * (`S` run-start, `k` reasoning, `t` text, `b` tool-start, `r` tool-result, `y` step-end, `u` usage, `f` flush.)
 *
 * A turn begins with `run-start`. Several runs, one after another, are several turns, as those of a `conversation`. What
 * belongs to no open turn, such as a leftover of the one before, is not shown.
 *
 * Contract:
 * - starts: one source subscription for each subscription, with a state of its own.
 * - leaves: the source; nothing more is said, `flush` neither.
 * - fails: never in a turn: a run that fails is a `status`, the stop `error` and `flush`; take the error itself above, by
 *   `tap({ error })`. An error between two turns is nobody's answer and is passed on, and so is what `errorText` throws.
 * - order: the run's own. A turn ends with one `flush`, after at most one `stop`, and nothing of it follows; a run that was
 *   left for the next one, or whose source completes early, ends as `cancelled`. Every `tool-start` has an output or is
 *   retracted before that, unless the run is suspended.
 *
 * Shown as a `status` that clears itself: retries, fallbacks, corrections, a compaction, and open requests. Of a nested run
 * its tools are shown, its status and its requests. Not shown: tools of the provider, sources, files, progress, `state`
 * and `custom`.
 *
 * @example The turns of a channel
 * ```ts
 * import type { Observable } from 'rxjs';
 * import { conversation, errorAsDone, type ToolLoopOptions } from 'rx-tool-loop';
 * import { toLoopback, type LoopbackEvent } from 'rx-tool-loop/loopback';
 *
 * export function channel(prompt$: Observable<string>, options: Omit<ToolLoopOptions, 'prompt'>): Observable<LoopbackEvent> {
 *   return conversation(prompt$, options, { strategy: 'concat', each: errorAsDone() }).pipe(toLoopback());
 * }
 * ```
 * @see {@link errorAsDone} - for the events themselves with one kind of ending
 * @public
 */
export function toLoopback({ errorText = masked }: LoopbackOptions = {}): OperatorFunction<LoopEvent<any>, LoopbackEvent> {
  return (events$) =>
    defer(() => {
      let turn: LoopbackTurn | undefined;
      const cut = (): LoopbackEvent[] => {
        const last = turn?.cut() ?? [];
        turn = undefined;
        return last;
      };
      const next = (event: LoopEvent): LoopbackEvent[] => {
        if (event.type === 'run-start' && event.parent === undefined) {
          const last = cut();
          turn = new LoopbackTurn(event.runId, errorText);
          return last;
        }
        const said = turn?.next(event) ?? [];
        if (turn?.isOver === true) turn = undefined;
        return said;
      };
      const fail = (error: unknown): ObservableInput<LoopbackEvent> => turn?.fail(errorInfo(error)) ?? throwError(() => error);

      // As values, and one after another: a reader that answers an event by ending the run hears the rest of it first.
      return events$.pipe(
        materialize(),
        concatMap((told): ObservableInput<LoopbackEvent> => {
          if (told.kind === 'N') return next(told.value);
          return told.kind === 'E' ? fail(told.error) : cut();
        }),
      );
    });
}

function masked(error: ErrorInfo | ToolFault): string {
  return 'kind' in error ? `The tool failed (${error.kind}).` : 'The run failed.';
}
