import { asyncScheduler, concatMap, defer, from, of, throwError, timer } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import { RemoteError } from '../lib/index.ts';
import type { LoopEvent } from '../lib/index.ts';
import type { Tape, TapeLine } from './tape.ts';

export interface ReplayOptions {
  /** 1: as fast as it was; 2: twice as fast. Default 1. `Infinity`: at once, in one tick. */
  readonly speed?: number;
  /** Times the waits. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/**
 * A tape as the run that it was: the same events, at the same times.
 *
 * Contract:
 * - starts: on subscribing; each subscription plays the tape from its beginning.
 * - leaves: nothing comes any more.
 * - fails: as the run did, with a `RemoteError` of the same `code` at the time of its failure. A tape of a run that was left
 *   completes after its last event, without `done`.
 * - order: the tape's.
 *
 * @throws RangeError for a speed that is not above 0
 *
 * @example In virtual time, with any operator on events
 * ```ts
 * import { toText } from 'rx-tool-loop';
 * import { readTape, replay } from 'rx-tool-loop/marbles';
 *
 * export const words = (tape: string) => replay(readTape(tape), { speed: Infinity }).pipe(toText());
 * ```
 * @public
 */
export function replay(tape: Tape, { speed = 1, scheduler = asyncScheduler }: ReplayOptions = {}): Observable<LoopEvent> {
  if (!(speed > 0)) throw new RangeError(`replay: speed is ${speed}; give a number above 0, or Infinity for no waits.`);
  const say = (line: TapeLine): Observable<LoopEvent> => ('event' in line ? of(line.event) : throwError(() => new RemoteError(line.error)));
  return defer(() => {
    const startedAt = scheduler.now();
    return from(tape.lines).pipe(
      concatMap((line) => {
        // Against the start, so that the waits' own errors do not add up.
        const wait = startedAt + line.at / speed - scheduler.now();
        return wait > 0 ? timer(wait, scheduler).pipe(concatMap(() => say(line))) : say(line);
      }),
    );
  });
}
