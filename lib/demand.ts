import { concatMap, map } from 'rxjs';
import type { MonoTypeOperatorFunction, Observable } from 'rxjs';

/**
 * What a reader is ready for. RxJS pushes; demand is explicit and travels the other way.
 *
 * `ready()` emits once and completes when the next piece may be read, synchronously while the gate is open. A model asks
 * before each read (a wire adapter: before each network read), the loop before each step. Without a demand nothing waits.
 * Tools and host events are not paced.
 */
export interface Demand {
  ready(): Observable<void>;
}

/**
 * Lets each value through when the reader is ready for it; without a demand at once. For models that have their deltas
 * in hand: a wire adapter asks before each network read instead.
 *
 * @internal
 */
export function onDemand<T>(demand: Demand | undefined): MonoTypeOperatorFunction<T> {
  return (values$) =>
    demand === undefined ? values$ : values$.pipe(concatMap((value) => demand.ready().pipe(map(() => value))));
}
