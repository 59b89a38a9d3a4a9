import { concat, defer, EMPTY, filter, map, merge, of, repeat, take, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { alarm } from '../alarm.ts';
import type { Tool, ToolRetry } from '../tool.ts';
import { faultOf } from './fault.ts';
import { runBody } from './run-body.ts';
import type { BodyLimits, Said } from './run-body.ts';
import type { Caller } from './tool-context.ts';

type Failed = Extract<Said, { readonly type: 'failed' }>;

/**
 * Runs a tool's body, and runs it again after a failure that may pass, as the tool's `retry` allows.
 *
 * ```marbles
 * first          -a-b-#
 * second                --(2|)
 * retryBody()    s--a-w-c-(2|)
 * ```
 *
 * Says what {@link runBody} says: one start, the progress of every run, and one ending. Before a wait comes a `status` that
 * says why and how long (`w`), after it the empty one that clears it (`c`).
 *
 * Contract:
 * - starts: the body, once for each run; each has the whole `timeoutMs`. The waits are on `limits.scheduler`.
 * - leaves: the body that runs, or the wait.
 * - fails: never. `failed` is the last run's failure: no `retry`, not `retryable`, `count` or `maxTotalMs` spent, or a stop,
 *   which also ends a wait at once. A promise that a run was answered without is handed to `late` only if it was the last.
 *
 * @internal
 */
export function retryBody(tool: Tool, args: unknown, caller: Caller, limits: BodyLimits): Observable<Said> {
  const { retry } = tool;
  if (retry === undefined || retry.count === 0) return runBody(tool, args, caller, limits);
  const { scheduler, isStopped } = limits;
  return defer(() => {
    const begunAt = scheduler.now();
    let repeats = 0;
    let stopped = false;
    let failed: Failed | undefined;
    let unanswered: PromiseLike<unknown> | undefined;
    /** Another run follows after so long. */
    let delayMs: number | undefined;

    const stop$ = limits.stop$?.pipe(tap(() => (stopped = true)));
    const isOver = (): boolean => stopped || isStopped?.() === true;
    const end = (last: Failed): Said => {
      if (unanswered !== undefined) limits.late?.(unanswered);
      return last;
    };
    const settle = (said: Failed): Said => {
      failed = said;
      delayMs = isOver() ? undefined : delayOf(said.error, retry, repeats, scheduler.now() - begunAt);
      if (delayMs === undefined) return end(said);
      repeats += 1;
      // The kind alone: the error's own words are not for everybody who sees the status.
      const { kind } = faultOf(said.error);
      return status(`Tool "${tool.name}" failed (${kind}). Trying again in ${delayMs} ms (${repeats} of ${retry.count}).`);
    };
    const run$ = defer(() => {
      unanswered = undefined;
      // Only the first run goes on where a run inside was suspended.
      const checkpoint = failed === undefined ? limits.checkpoint : undefined;
      return runBody(tool, args, caller, { ...limits, stop$, checkpoint, late: (body) => (unanswered = body) });
    }).pipe(
      filter((said) => said.type !== 'start' || failed === undefined),
      map((said) => (said.type === 'failed' ? settle(said) : said)),
    );
    const round$ = defer(() => {
      delayMs = undefined;
      const last = failed;
      return last === undefined ? run$ : concat(of(status('')), defer(() => (isOver() ? of(end(last)) : run$)));
    });
    // Flat, where a recursion would nest one run in another.
    return round$.pipe(
      repeat({ delay: () => (delayMs === undefined ? EMPTY : merge(alarm(delayMs, scheduler), stop$ ?? EMPTY).pipe(take(1))) }),
    );
  });
}

function status(text: string): Said {
  return { type: 'host', said: { type: 'status', text } };
}

/** The wait before the next run; undefined where there is none. */
function delayOf(error: unknown, retry: ToolRetry, repeats: number, elapsedMs: number): number | undefined {
  const { count, initialDelayMs = 500, factor = 2, maxDelayMs = 8_000, maxTotalMs = 30_000 } = retry;
  if (repeats >= count || !faultOf(error).retryable) return undefined;
  // Without a wait the power does not count: in the end it is infinite, and 0 times that is no number.
  const delayMs = initialDelayMs === 0 ? 0 : Math.min(initialDelayMs * factor ** repeats, maxDelayMs);
  return elapsedMs + delayMs > maxTotalMs ? undefined : delayMs;
}
