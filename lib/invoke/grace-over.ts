import { delayWhen, identity, NEVER, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { alarm } from '../alarm.ts';
import type { CallContext } from './call-context.ts';

/**
 * Emits once when a run that was told to stop waits no longer, for a hook or a checkpoint as for a body. Where hooks wait one
 * after another, the time of all of them begins with the first: a run with many calls must not end so many times later.
 *
 * @internal
 */
export function graceOver({
  stop$ = NEVER, signal$ = stop$, graceMs, scheduler, grace = {},
}: Pick<CallContext, 'stop$' | 'signal$' | 'graceMs' | 'scheduler' | 'grace'>): Observable<unknown> {
  const left = (): number => {
    grace.since ??= scheduler.now();
    return Math.max(0, grace.since + graceMs - scheduler.now());
  };
  return signal$.pipe(take(1), graceMs === 0 ? identity : delayWhen(() => alarm(left(), scheduler)));
}
