import { delayWhen, identity, NEVER, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { alarm } from '../alarm.ts';
import type { CallContext } from './call-context.ts';

/**
 * Emits once when a run that was told to stop waits no longer, for a hook or a checkpoint as for a body.
 *
 * @internal
 */
export function graceOver({ stop$ = NEVER, signal$ = stop$, graceMs, scheduler }: Pick<CallContext, 'stop$' | 'signal$' | 'graceMs' | 'scheduler'>): Observable<unknown> {
  return signal$.pipe(take(1), graceMs === 0 ? identity : delayWhen(() => alarm(graceMs, scheduler)));
}
