import { Observable } from 'rxjs';
import { relay } from '../relay.ts';

/**
 * Lists, and lists again after each change. Changes during a listing are one more listing behind it, however many they are:
 * none is lost, and listings never run beside each other.
 *
 * ```marbles
 * changes     -----c-cc----|
 * list        ---1|
 * relisted()  ---1----1---1|
 * ```
 *
 * Contract:
 * - starts: both on subscribing.
 * - leaves: the listing under way, and the changes.
 * - fails: as a listing does, unless a change came meanwhile, which may be why: then it is done again. As the changes do.
 * - order: completes when the changes do and no listing is left.
 *
 * @internal
 */
export function relisted<T>(list: Observable<T>, changes: Observable<unknown>): Observable<T> {
  return new Observable((subscriber) => {
    let isChanged = true;
    let isListing = false;
    let isStarting = false;
    let isLast = false;

    // A loop: a listing that ends at once must not go deeper with each change.
    const go = (): void => {
      if (isStarting) return;
      isStarting = true;
      while (isChanged && !isListing && !subscriber.closed) {
        isChanged = false;
        isListing = true;
        relay(list, subscriber, {
          next: (value) => subscriber.next(value),
          error: (error) => (isChanged ? ended() : subscriber.error(error)),
          complete: ended,
        });
      }
      isStarting = false;
      if (isLast && !isListing) subscriber.complete();
    };
    const ended = (): void => {
      isListing = false;
      go();
    };
    relay(changes, subscriber, {
      next() {
        isChanged = true;
        go();
      },
      complete() {
        isLast = true;
        go();
      },
    });
    go();
  });
}
