import { defer, Observable } from 'rxjs';
import { answer } from '../answer.ts';
import { ToolError } from '../errors.ts';
import { relay } from '../relay.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { toJson } from './to-json.ts';
import type { Jsoned } from './to-json.ts';

/** What a running body says: any number of progresses, then what it came to. */
export type Said = { readonly progress: unknown } | { readonly output: Extract<Jsoned, { ok: true }> };

/** Who calls: what the tool's context tells it. */
export type Caller = Pick<ToolContext, 'callId' | 'runId' | 'step'>;

/**
 * Runs a tool's body once.
 *
 * ```marbles
 * body        -a-b-|
 * runBody()   ---a-(b|)
 * ```
 *
 * Value n becomes a progress when value n + 1 arrives, so that a body of one value makes none; the last value is the
 * output, and a body without one has an empty output.
 *
 * Contract:
 * - leaves: fires `context.signal` and leaves an Observable body, but only while it is unanswered.
 * - fails: whatever the body throws or rejects with; a `ToolError` for a value that JSON cannot carry, saying where.
 *
 * @internal
 */
export function runBody(tool: Tool, args: unknown, caller: Caller): Observable<Said> {
  return new Observable((subscriber) => {
    let controller: AbortController | undefined;
    let answered = false;
    let left = false;
    let held: { readonly value: unknown } | undefined;

    const progress = (value: unknown): void => {
      const json = toJson(value);
      if (json.ok) subscriber.next({ progress: json.value });
      else subscriber.error(unsayable('progress', json.reason));
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
      if (answered) return;
      left = true;
      controller?.abort();
    });

    relay(defer(() => answer(tool.run(args as never, context))), subscriber, {
      next(value) {
        if (held !== undefined) progress(held.value);
        held = { value };
      },
      error(error) {
        answered = true;
        subscriber.error(error);
      },
      complete() {
        answered = true;
        const output = toJson(held?.value);
        if (!output.ok) throw unsayable('output', output.reason);
        subscriber.next({ output });
        subscriber.complete();
      },
    });
  });
}

function unsayable(what: 'output' | 'progress', reason: string): ToolError {
  return new ToolError('other', `The ${what} cannot be sent: ${reason}.`);
}
