import { filter, forkJoin, map, of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { LoopEvent } from '../event.ts';
import type { CallRecord } from './call-record.ts';

/** Nothing in the batch can move without an answer. The last word of a batch that is not over. */
export const SUSPENDED = { type: 'suspended' } as const;

export type BatchEvent = LoopEvent | typeof SUSPENDED;

/** {@link SUSPENDED}, once the calls that were started early have settled too: what they came to is part of where the run stands. */
export function whenSettled(records: readonly CallRecord[], { isStopped }: { readonly isStopped: () => boolean }): Observable<typeof SUSPENDED> {
  const going = records.flatMap(({ running, settled }) => (running === undefined || running.isSet || settled !== undefined ? [] : [running.value$]));
  if (going.length === 0) return of(SUSPENDED);
  // A stop settles them as well; then the run ends by it.
  return forkJoin(going).pipe(map(() => SUSPENDED), filter(() => !isStopped()));
}
