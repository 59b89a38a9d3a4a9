import { defer, Observable } from 'rxjs';
import { answer } from '../answer.ts';
import { ToolError } from '../errors.ts';
import { relay } from '../relay.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { toJson } from './to-json.ts';
import type { Jsoned } from './to-json.ts';

/** What a running body says: that it starts, any number of progresses, then what it came to. */
export type Said =
  | { readonly type: 'start' }
  | { readonly type: 'progress'; readonly progress: unknown }
  | { readonly type: 'output'; readonly output: Extract<Jsoned, { ok: true }> }
  | { readonly type: 'failed'; readonly error: unknown };

const START: Said = { type: 'start' };

/** Who calls: what the tool's context tells it. */
export type Caller = Pick<ToolContext, 'callId' | 'runId' | 'step'>;

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
 * - fails: never. `failed` says what the body threw or rejected with; a value that JSON cannot carry is a `ToolError`
 *   that says where.
 *
 * @internal
 */
export function runBody(tool: Tool, args: unknown, caller: Caller): Observable<Said> {
  return new Observable((subscriber) => {
    let controller: AbortController | undefined;
    let answered = false;
    let left = false;
    let held: { readonly value: unknown } | undefined;

    /** The body still runs, but nobody waits for it any more. */
    const abandon = (): void => {
      left = true;
      controller?.abort();
    };
    const end = (said: Said): void => {
      answered = true;
      subscriber.next(said);
      subscriber.complete();
    };
    const progress = (value: unknown): void => {
      const json = toJson(value);
      if (json.ok) return subscriber.next({ type: 'progress', progress: json.value });
      abandon();
      end({ type: 'failed', error: unsayable('progress', json.reason) });
    };
    const context: ToolContext = {
      ...caller,
      // Made on demand: an AbortController costs more than a small tool, and most tools never look.
      get signal() {
        controller ??= new AbortController();
        if (left) controller.abort();
        return controller.signal;
      },
      progress(value) {
        if (!answered && !left) progress(value);
      },
    };
    subscriber.add(() => {
      if (!answered) abandon();
    });

    subscriber.next(START);
    if (subscriber.closed) return;
    const body$ = defer(() => answer(tool.run(args as never, context)));
    relay(body$, subscriber, {
      next(value) {
        if (held !== undefined) progress(held.value);
        held = { value };
      },
      error: (error) => end({ type: 'failed', error }),
      complete() {
        const output = toJson(held?.value);
        end(output.ok ? { type: 'output', output } : { type: 'failed', error: unsayable('output', output.reason) });
      },
    });
  });
}

function unsayable(what: 'output' | 'progress', reason: string): ToolError {
  return new ToolError('other', `The ${what} cannot be sent: ${reason}.`);
}
