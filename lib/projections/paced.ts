import { concatMap, defer, finalize, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer } from '../answer.ts';
import type { Demand } from '../demand.ts';
import type { Answer } from '../tool.ts';
import { Gate, HIGH_WATER_MARK } from './gate.ts';
import type { PullOptions } from './pull.ts';

/**
 * A run whose values an asynchronous consumer takes one after another, and which waits for it.
 *
 * Contract:
 * - starts: on subscribing; each subscription is a run of its own.
 * - leaves: the run and what the consumer is at.
 * - fails: as the run or the consumer does.
 * - order: the run's own; what `consume` answers comes in that order. Buffered at most: `highWaterMark` values, and what
 *   one network read brings.
 *
 * @param run - makes the run from the demand to give it: `(demand) => toolLoop({ ...options, demand })`
 * @param consume - may return a plain value, a promise or an Observable
 * @see {@link pull} - for a `for await` loop
 * @public
 */
export function paced<T, R>(
  run: (demand: Demand) => Observable<T>,
  consume: (value: T) => Answer<R>,
  options: PullOptions = {},
): Observable<R> {
  return defer(() => {
    const gate = new Gate(options.highWaterMark ?? HIGH_WATER_MARK);
    return run(gate).pipe(
      tap(() => gate.came()),
      concatMap((value) => defer(() => answer(consume(value))).pipe(finalize(() => gate.went()))),
    );
  });
}
