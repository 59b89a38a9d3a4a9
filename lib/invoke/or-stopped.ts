import { map, merge, take } from 'rxjs';
import type { Observable } from 'rxjs';

/** The run was stopped while something was awaited. */
export interface Stopped {
  readonly type: 'stopped';
}

/**
 * What is awaited, unless the run is stopped first: then that, and the waiting is over.
 *
 * @internal
 */
export function orStopped<T>(awaited$: Observable<T>, stop$: Observable<unknown> | undefined): Observable<T | Stopped> {
  if (stop$ === undefined) return awaited$;
  return merge(stop$.pipe(map((): Stopped => ({ type: 'stopped' }))), awaited$).pipe(take(1));
}
