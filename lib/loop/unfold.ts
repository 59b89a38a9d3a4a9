import { EMPTY, Observable } from 'rxjs';
import { relay } from '../relay.ts';

/** The last value of a phase: the state in which the next one begins. A phase without it is the last one. */
export class Next<S> {
  readonly state: S;

  constructor(state: S) {
    this.state = state;
  }
}

/**
 * A trampoline: subscribes one phase after another, each made from the state in which the one before ended.
 *
 * ```marbles
 * first       -a-(bN|)
 * second         ---c-|
 * unfold()    -a-b--c-|
 * ```
 *
 * Depth does not grow with the number of phases: recursive `concat`, `expand` and `repeat` stop at some hundred to some
 * thousand synchronous phases, without an error and without completing; this one has no limit.
 *
 * Contract:
 * - starts: the first phase on subscribing, each further one when the one before has completed.
 * - leaves: the current phase, in the same tick; no further one is made.
 * - fails: an error of a phase, or of making it, goes through `toError` with the state in which that phase began.
 *
 * @param start - the first state; made for each subscription
 * @param next - the phase that a state begins
 * @param aside$ - what is said beside the phases; subscribed before the first one, left at the end
 * @internal
 */
export function unfold<S, E>(
  start: () => S,
  next: (state: S) => Observable<E | Next<S>>,
  toError: (error: unknown, state: S) => unknown,
  aside$: Observable<E> = EMPTY,
): Observable<E> {
  return new Observable((subscriber) => {
    let state = start();
    let running = false;
    let again = false;

    const fail = (error: unknown): void => subscriber.error(toError(error, state));
    const run = (): void => {
      again = true;
      if (running) return; // the loop below takes it from here, not a deeper call
      running = true;
      while (again && !subscriber.closed) {
        again = false;
        let following: Next<S> | undefined;
        let phase$: Observable<E | Next<S>>;
        try {
          phase$ = next(state);
        } catch (error) {
          fail(error);
          return;
        }
        relay(phase$, subscriber, {
          next(value) {
            if (value instanceof Next) following = value;
            else subscriber.next(value);
          },
          error: fail,
          complete() {
            if (following === undefined) {
              subscriber.complete();
              return;
            }
            state = following.state;
            run();
          },
        });
      }
      running = false;
    };
    if (aside$ !== EMPTY) relay(aside$, subscriber, { next: (event) => subscriber.next(event), error: fail, complete: () => undefined });
    run();
  });
}
