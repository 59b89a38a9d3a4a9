import { filter, map, pipe } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import type { LoopEvent } from '../event.ts';

type TextEvent = Extract<LoopEvent, { type: 'delta' }> & { readonly delta: { readonly type: 'text'; readonly text: string } };

/**
 * Just the words: the text of each text delta, as it comes.
 *
 * ```marbles
 * events      -k-t-c-y-1-T-(ZL|)
 * toText()    ---t-------T-|
 * ```
 *
 * @returns many strings; completes and fails as the run does
 * @see {@link toOutcome} - for the whole at the end
 * @public
 */
export function toText(): OperatorFunction<LoopEvent<any>, string> {
  return pipe(
    filter((event): event is TextEvent => event.type === 'delta' && event.delta.type === 'text'),
    map(({ delta }) => delta.text),
  );
}
