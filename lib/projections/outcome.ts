import { map, pipe } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import type { LoopEvent } from '../event.ts';
import type { Outcome } from '../outcome.ts';
import { ofType } from './of-type.ts';

/**
 * What the run came to, and nothing else.
 *
 * ```marbles
 * events         -t-c-y-1-T-(ZL|)
 * toOutcome()    -----------(O|)
 * ```
 *
 * @returns at most one value; fails as the run does
 * @public
 */
export function toOutcome<Json = unknown>(): OperatorFunction<LoopEvent<any, Json>, Outcome<Json>> {
  return pipe(
    ofType('done'),
    map(({ outcome }) => outcome as Outcome<Json>),
  );
}
