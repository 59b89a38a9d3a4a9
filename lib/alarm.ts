import { NEVER, switchMap, timer } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';

/**
 * The most milliseconds that a timer of JavaScript holds, about 24.8 days: a longer one fires at once (HTML, timer
 * initialisation steps: the timeout is a signed number of 32 bits).
 *
 * @internal
 */
export const LONGEST_MS = 2_147_483_647;

/**
 * `timer` for any wait: one that is longer than timers hold takes several of them, and `Infinity` never ends.
 *
 * Contract:
 * - starts: on subscribing.
 * - leaves: the timer is cancelled.
 *
 * @param ms - 0 or more
 * @internal
 */
export function alarm(ms: number, scheduler: SchedulerLike): Observable<unknown> {
  if (ms === Infinity) return NEVER;
  return ms <= LONGEST_MS ? timer(ms, scheduler) : timer(LONGEST_MS, scheduler).pipe(switchMap(() => alarm(ms - LONGEST_MS, scheduler)));
}
