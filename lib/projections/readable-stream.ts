import type { Observable } from 'rxjs';
import type { Demand } from '../demand.ts';
import { pull } from './pull.ts';
import type { PullOptions } from './pull.ts';

/**
 * A run as a web stream that its reader paces.
 *
 * Contract:
 * - starts: at the first read.
 * - leaves: cancelling the stream leaves the run in the same tick.
 * - fails: the stream errors with the run's error, after all that was said before it.
 * - order: as {@link pull}; the stream itself holds nothing back.
 *
 * @param run - makes the run from the demand to give it: `(demand) => toolLoop({ ...options, demand })`
 * @public
 */
export function toReadableStream<T>(run: (demand: Demand) => Observable<T>, options: PullOptions = {}): ReadableStream<T> {
  const iterator = pull(run, options)[Symbol.asyncIterator]();
  return new ReadableStream<T>(
    {
      pull: (controller) =>
        iterator.next().then(({ done, value }) => {
          if (done === true) controller.close();
          else controller.enqueue(value);
        }),
      cancel: () => void iterator.return?.(),
    },
    // Nothing is asked for ahead of the reader: what waits, waits behind the gate.
    { highWaterMark: 0 },
  );
}
