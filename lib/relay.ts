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
  const inner = new Relay(destination, handlers);
  destination.add(inner);
  if (!inner.closed) inner.guard(() => source.subscribe(inner));
  return inner;
}

/**
 * It takes values itself, where a `Subscriber` hands them to an observer in two calls more: a delta goes through five of these.
 */
class Relay<T> extends Subscriber<T> {
  private readonly target: Subscriber<never>;
  private readonly handlers: Handlers<T>;

  constructor(target: Subscriber<never>, handlers: Handlers<T>) {
    super();
    this.target = target;
    this.handlers = handlers;
  }

  override next(value: T): void {
    if (this.isStopped) return;
    // Not through `guard`: a closure for each of a million deltas would cost more than everything else here.
    try {
      this.handlers.next(value);
    } catch (error) {
      this.target.error(error);
    }
  }

  protected override _error(error: unknown): void {
    const { target, handlers } = this;
    try {
      this.guard(() => (handlers.error ? handlers.error(error) : target.error(error)));
    } finally {
      this.unsubscribe();
    }
  }

  protected override _complete(): void {
    // The source is torn down before what follows it begins, as `concatMap` has it.
    this.unsubscribe();
    this.guard(() => this.handlers.complete());
  }

  guard(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.target.error(error);
    }
  }
}
