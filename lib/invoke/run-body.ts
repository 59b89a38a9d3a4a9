import { defer, Observable, of } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { alarm } from '../alarm.ts';
import { answer } from '../answer.ts';
import type { ApprovalAnswer } from '../approval.ts';
import { ToolError } from '../errors.ts';
import { relay } from '../relay.ts';
import type { Checkpoint } from '../checkpoint.ts';
import type { LoopEvent } from '../event.ts';
import { nest } from '../nesting.ts';
import type { Surroundings } from '../nesting.ts';
import type { Tool } from '../tool.ts';
import { toJson } from './to-json.ts';
import type { Jsoned } from './to-json.ts';
import { toolContext } from './tool-context.ts';
import type { Caller, HostSaid, Question } from './tool-context.ts';

/** What a running body says: that it starts, any number of progresses, then what it came to. */
export type Said =
  | { readonly type: 'start' }
  | { readonly type: 'progress'; readonly progress: unknown }
  | { readonly type: 'host'; readonly said: HostSaid }
  | { readonly type: 'event'; readonly event: LoopEvent }
  /** The run inside waits for an answer: so does the call. The last word. */
  | { readonly type: 'suspended'; readonly checkpoint: Checkpoint }
  | { readonly type: 'output'; readonly output: Extract<Jsoned, { ok: true }> }
  | { readonly type: 'failed'; readonly error: unknown };

const START: Said = { type: 'start' };

/** What ends a body from outside. */
export interface BodyLimits {
  readonly scheduler: SchedulerLike;
  /** The run is told to stop: the signal fires, and the body has `graceMs` to end by itself. Absent: it never is. */
  readonly stop$?: Observable<unknown> | undefined;
  readonly graceMs: number;
  /** The run was told to stop before the body began: it does not begin. */
  readonly isStopped?: () => boolean;
  /** Takes a promise that was answered without it, so that somebody hears when it settles after all. */
  readonly late?: (body: PromiseLike<unknown>) => void;
  /** Asks the user something while the body runs, and says so. Absent: nobody answers. */
  readonly ask?: (question: Question, say: (event: LoopEvent) => void) => Observable<ApprovalAnswer>;
  /** The run around it, for a body that is a run itself. */
  readonly around?: Surroundings | undefined;
  /** Where the run inside was suspended. */
  readonly checkpoint?: Checkpoint | undefined;
}

/**
 * Runs a tool's body once.
 *
 * ```marbles
 * body        -a-b-|
 * runBody()   s--a-(b|)
 * ```
 *
 * Value n becomes a progress when value n + 1 arrives, so that a body of one value makes none; the last value is the
 * output, and a body without one has an empty output.
 *
 * Contract:
 * - leaves: fires `context.signal` and leaves an Observable body, but only while it is unanswered.
 * - fails: never. `failed` says what the body threw or rejected with; a value that JSON cannot carry, the tool's own
 *   `timeoutMs` and a stop that it does not heed in time are `ToolError`s that say so.
 *
 * @internal
 */
export function runBody(tool: Tool, args: unknown, caller: Caller, limits: BodyLimits): Observable<Said> {
  const { scheduler, stop$, graceMs, isStopped, late, around, checkpoint } = limits;
  return new Observable((subscriber) => {
    let controller: AbortController | undefined;
    let over = false;
    let fired = false;
    let held: { readonly value: unknown } | undefined;
    let promised: PromiseLike<unknown> | undefined;

    const fire = (): void => {
      fired = true;
      controller?.abort();
    };
    const end = (said: Said): void => {
      over = true;
      subscriber.next(said);
      subscriber.complete();
    };
    /** The body is answered without its word; a promise cannot be left, so somebody may wait for it. */
    const endWithout = (kind: 'timeout' | 'cancelled', message: string): void => {
      if (over) return;
      // First: what the body says when its signal fires comes too late.
      over = true;
      fire();
      if (promised !== undefined) late?.(promised);
      end({ type: 'failed', error: new ToolError(kind, message) });
    };
    const progress = (value: unknown): void => {
      const json = toJson(value);
      if (json.ok) return subscriber.next({ type: 'progress', progress: json.value });
      fire();
      end({ type: 'failed', error: unsayable('progress', json.reason) });
    };
    const show = (event: LoopEvent): void => {
      if (!over) subscriber.next({ type: 'event', event });
    };
    const context = toolContext(caller, {
      isOver: () => over,
      progress,
      host: (said) => subscriber.next({ type: 'host', said }),
      unsayable: (what, reason) => {
        fire();
        end({ type: 'failed', error: unsayable(what, reason) });
      },
      // Made on demand: an AbortController costs more than a small tool, and most tools never look.
      signal() {
        controller ??= new AbortController();
        if (fired) controller.abort();
        return controller.signal;
      },
      ask: (question) => limits.ask?.(question, show) ?? of<ApprovalAnswer>({ type: 'decline', reason: 'Nobody is there to answer.' }),
    });
    if (around !== undefined) nest(context, { around, checkpoint, event: show, suspend: (at) => end({ type: 'suspended', checkpoint: at }) });
    subscriber.add(() => {
      if (over) return;
      over = true;
      fire();
    });

    subscriber.next(START);
    if (subscriber.closed) return;
    // Whoever heard the start may have stopped the run.
    if (isStopped?.() === true) return end({ type: 'failed', error: new ToolError('cancelled', 'Not executed: the run was stopped.') });
    const body$ = defer(() => {
      const returned = tool.run(args as never, context);
      if (typeof returned === 'object' && returned !== null && 'then' in returned) promised = returned as PromiseLike<unknown>;
      return answer(returned);
    });
    relay(body$, subscriber, {
      next(value) {
        if (over) return;
        if (held !== undefined) progress(held.value);
        held = { value };
      },
      error(error) {
        if (!over) end({ type: 'failed', error });
      },
      complete() {
        if (over) return;
        const output = toJson(held?.value);
        end(output.ok ? { type: 'output', output } : { type: 'failed', error: unsayable('output', output.reason) });
      },
    });
    if (over) return;
    const after = (ms: number, act: () => void): unknown => relay(alarm(ms, scheduler), subscriber, { next: act, complete: () => undefined });
    const { timeoutMs } = tool;
    if (timeoutMs !== undefined) {
      const text = `The tool did not answer within ${timeoutMs} ms.`;
      after(timeoutMs, () => endWithout('timeout', text));
    }
    if (stop$ !== undefined) {
      relay(stop$, subscriber, {
        next() {
          fire();
          const stop = (): void => endWithout('cancelled', 'The run was stopped while the tool was running. It may have done its work.');
          if (graceMs === 0) stop();
          else after(graceMs, stop);
        },
        complete: () => undefined,
      });
    }
  });
}

function unsayable(what: string, reason: string): ToolError {
  return new ToolError('other', `The ${what} cannot be sent: ${reason}.`);
}
