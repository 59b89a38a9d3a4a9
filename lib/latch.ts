import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';

/**
 * A value that comes once, for whoever waits now and whoever asks later.
 *
 * @internal
 */
export class Latch<T> {
  private readonly waiting = new Set<Subscriber<T>>();
  private held: { readonly value: T } | undefined;

  /** Emits the value and completes: at once where it is there already. */
  readonly value$ = new Observable<T>((subscriber) => {
    if (this.held !== undefined) return give(subscriber, this.held.value);
    this.waiting.add(subscriber);
    return () => this.waiting.delete(subscriber);
  });

  get isSet(): boolean {
    return this.held !== undefined;
  }

  get value(): T | undefined {
    return this.held?.value;
  }

  /** The first value counts. */
  set(value: T): void {
    if (this.held !== undefined) return;
    this.held = { value };
    for (const subscriber of [...this.waiting]) give(subscriber, value);
  }
}

function give<T>(subscriber: Subscriber<T>, value: T): undefined {
  subscriber.next(value);
  subscriber.complete();
  return undefined;
}
