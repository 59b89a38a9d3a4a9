import { catchError, concat, concatMap, defer, map } from 'rxjs';
import type { Observable, OperatorFunction } from 'rxjs';
import type { LoopEvent } from '../event.ts';
import type { AgUiEvent, AgUiInput } from './ag-ui-event.ts';
import { AgUiProjection } from './ag-ui-projection.ts';
import type { AgUiOptions } from './ag-ui-projection.ts';
import { agUiFrame, agUiPosted } from './ag-ui-posted.ts';
import type { PostedRun, SuspendedRun } from './posted-run.ts';

export { fromAgUi } from './ag-ui-input.ts';
export type { AgUiAsked, FromAgUiOptions } from './ag-ui-input.ts';
export type { AgUiOptions } from './ag-ui-projection.ts';
export type {
  AgUiContent,
  AgUiContentPart,
  AgUiEvent,
  AgUiInput,
  AgUiInterrupt,
  AgUiMessage,
  AgUiOutcome,
  AgUiSource,
  AgUiTokenUsage,
  AgUiToolCall,
} from './ag-ui-event.ts';

/**
 * A run as AG-UI 1.0 says it: the events that a client such as `@ag-ui/client` reads.
 *
 * ```marbles
 * events     -S-s-k-----k-t-------z----L|
 * toAgUi()   -R-s-(okh)-h-(KObt)--(BS)-F|
 * ```
 *
 * Every bracket that is opened is closed, and the stream always ends with `RUN_FINISHED` or `RUN_ERROR`: a run that failed
 * becomes `RUN_ERROR`, so the Observable completes. Message ids are made of the ids of run and block, so that the same
 * run is the same stream. What is withdrawn is taken back by a `MESSAGES_SNAPSHOT` of all that stays.
 *
 * Contract:
 * - starts: with the run; each subscription is a stream of its own.
 * - leaves: leaving leaves the run in the same tick; nothing can be said then. To cancel a run with its ending said
 *   (`cancelled`), end it by its `abort$`.
 * - fails: never. An error notification is a `RUN_ERROR`; to hear of it yourself, stand `tap` before this operator.
 * - order: that of the run. Text and reasoning are never woven together; one loop event may become several or none.
 *
 * @returns many events; the last one is the ending
 *
 * @example The body of an answer
 * ```ts
 * import { map } from 'rxjs';
 * import { toolLoop } from 'rx-tool-loop';
 * import { fromAgUi, toAgUi } from 'rx-tool-loop/ag-ui';
 * import type { AgUiInput } from 'rx-tool-loop/ag-ui';
 * import { embedded } from 'rx-tool-loop/embedded';
 *
 * export const answer = (input: AgUiInput) => {
 *   const { messages, tools, threadId } = fromAgUi(input);
 *   const run$ = toolLoop({ model: embedded(), messages, tools, threadId });
 *   return run$.pipe(toAgUi({ input }), map((event) => `data: ${JSON.stringify(event)}\n\n`));
 * };
 * ```
 *
 * @see {@link fromAgUi} - for the other direction
 * @public
 */
export function toAgUi(options: AgUiOptions): OperatorFunction<LoopEvent<any>, AgUiEvent> {
  return (events$) =>
    defer(() => {
      const { input } = options;
      let made: AgUiProjection | undefined;
      // A stream that says nothing has no ids but empty ones.
      const projection = (first?: LoopEvent): AgUiProjection =>
        (made ??= new AgUiProjection({ ...options, input: typeof input === 'function' ? input(first) : input }));
      return concat(
        events$.pipe(
          concatMap((event) => projection(event).next(event)),
          catchError((error: unknown) => projection().fail(error)),
        ),
        defer(() => projection().complete()),
      );
    });
}

/**
 * AG-UI as a format of the door `rx-tool-loop/http`: `formats: { 'ag-ui': agUiFormat() }`. A client's `url` is then
 * `/runs?format=ag-ui`: what it posts is read as its input, its tools are those of the run, and a `resume` or results of its
 * tools go on with the run that is suspended. For who watches a run in it, or starts one in the door's own words, the ids
 * of the stream are those of the run, and a snapshot names the messages of the run alone.
 *
 * @param options - as for {@link toAgUi}
 * @public
 */
export function agUiFormat(options: Omit<AgUiOptions, 'input'> = {}): {
  readonly encode: OperatorFunction<LoopEvent, string>;
  readonly read: (body: unknown, suspended: SuspendedRun) => Observable<PostedRun | undefined>;
} {
  const input = (first: LoopEvent | undefined): AgUiInput => {
    const runId = first?.runId ?? '';
    return { threadId: first?.type === 'run-start' ? (first.threadId ?? runId) : runId, runId, messages: [] };
  };
  return {
    encode: (events$) =>
      events$.pipe(
        toAgUi({ ...options, input }),
        map(agUiFrame),
      ),
    read: (body, suspended) => agUiPosted(body, suspended, (sent) => toAgUi({ ...options, input: sent })),
  };
}
