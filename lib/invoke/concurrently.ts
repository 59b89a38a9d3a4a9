import { EMPTY, endWith, from, map, mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer } from '../answer.ts';
import { inOrder } from '../fold/in-order.ts';
import type { CallRecord } from './call-record.ts';
import { PARKED } from './finish-call.ts';
import type { CallSaid } from './finish-call.ts';
import type { Group } from './group.ts';
import type { BatchEvent } from './suspended.ts';
import type { Indexed } from './release.ts';

/** One group of the schedule, and whether it can still move: a call that waits for an answer keeps its place. */
export function concurrently(
  { records, bound }: Group,
  start: (record: CallRecord) => CallSaid | Observable<CallSaid>,
  placed: (event: BatchEvent, record: CallRecord) => Indexed<BatchEvent>,
  stuck$: () => Observable<BatchEvent>,
): Observable<Indexed<BatchEvent>> {
  let [begun, over] = [0, 0];
  const parked = new Set<CallRecord>();
  return from(records).pipe(
    mergeMap((record) => {
      begun += 1;
      return answer<CallSaid>(start(record)).pipe(map((one) => ({ said: one as CallSaid | undefined, record })), endWith({ said: undefined, record }));
    }, bound),
    inOrder(({ said, record }): Indexed<BatchEvent> | Observable<Indexed<BatchEvent>> => {
      if (said === PARKED) parked.add(record);
      else parked.delete(record);
      if (said !== undefined && said !== PARKED) return placed(said as BatchEvent, record);
      if (said === undefined) over += 1;
      const idle = begun - over === parked.size && parked.size > 0 && (begun === records.length || parked.size >= bound);
      return idle ? stuck$().pipe(map((event) => ({ index: 0, event, held: false, last: false }))) : EMPTY;
    }),
  );
}
