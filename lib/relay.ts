import { Subscriber } from 'rxjs';
import type { Observable } from 'rxjs';

/** What a relayed source may say; `next` and `error` may throw, which errors the destination. */
export interface Handlers<T> {
  next(value: T): void;
  /** Default: the error goes to the destination. */
  error?(error: unknown): void;
  complete(): void;
}

/**
 * Subscribes to `source` on behalf of `destination`, so that leaving reaches the source even while it is still being
 * subscribed: a synchronous source sees `closed` before its next value. `source.subscribe(observer)` cannot do that,
 * because its subscription exists only after a synchronous source is through.
 *
 * This is the one place that makes a `Subscriber` by hand (RxJS 7; RxJS 8 calls the same thing `operate`).
 *
 * @internal
 */
export function relay<T>(source: Observable<T>, destination: Subscriber<never>, handlers: Handlers<T>): Subscriber<T> {
  const guard = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      destination.error(error);
    }
  };
  const inner = new Subscriber<T>({
    next(value) {
      // Not through `guard`: a closure for each of a million deltas would cost more than everything else here.
      try {
        handlers.next(value);
      } catch (error) {
        destination.error(error);
      }
    },
    error: (error: unknown) => guard(() => (handlers.error ? handlers.error(error) : destination.error(error))),
    complete() {
      // The source is torn down before what follows it begins, as `concatMap` has it.
      inner.unsubscribe();
      guard(() => handlers.complete());
    },
  });
  destination.add(inner);
  if (!inner.closed) guard(() => source.subscribe(inner));
  return inner;
}
