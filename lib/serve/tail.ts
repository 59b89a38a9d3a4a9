import { Observable, of } from 'rxjs';
import type { Demand, LogPiece } from '../index.ts';
import { relay } from '../relay.ts';

/** The log of one run, as {@link tail} reads it. */
export interface Tailed {
  /** Of its last entry. */
  readonly position: number;
  readonly isEnded: boolean;
  /** Called once each when an entry has come, and then forgotten. */
  readonly waiting: Set<() => void>;
  /** At most one value: some of what stands after a position, where there is something. */
  piece(after: number): Observable<LogPiece>;
}

const OPEN: Demand = { ready: () => of(undefined) };

/**
 * Reads a log from a position on, piece by piece, each when the reader asks for it, and waits at its end for what comes.
 *
 * ```marbles
 * log       -a--b-(c|)
 * tail()    -a--b-(c|)
 * ```
 *
 * A loop and no recursion: a long log that is at hand is read without growing the stack.
 *
 * Contract:
 * - starts: on subscribing.
 * - leaves: waits for nothing any more, in the same tick.
 * - fails: as `piece` does.
 *
 * @internal
 */
export function tail(log: Tailed, after: number, demand: Demand = OPEN): Observable<LogPiece> {
  return new Observable((subscriber) => {
    let at = after;
    let inside = false;
    let again = false;

    const next = (): void => {
      again = true;
      if (inside) return;
      inside = true;
      while (again && !subscriber.closed) {
        again = false;
        relay(demand.ready(), subscriber, { next: () => undefined, complete: read });
      }
      inside = false;
    };

    const read = (): void => {
      let came = false;
      relay(log.piece(at), subscriber, {
        next(piece) {
          came = true;
          at = piece.position + piece.entries.length - 1;
          subscriber.next(piece);
        },
        complete() {
          if (came || log.position > at) return next();
          if (log.isEnded) return subscriber.complete();
          log.waiting.add(read);
        },
      });
    };
    subscriber.add(() => log.waiting.delete(read));
    next();
  });
}
