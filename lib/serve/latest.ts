import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';

/**
 * A value that changes. `value$` gives the latest one at once, then each that follows, and completes never.
 *
 * @internal
 */
export class Latest<T> {
  private current: T;
  private readonly watchers = new Set<Subscriber<T>>();

  readonly value$: Observable<T> = new Observable((subscriber) => {
    this.watchers.add(subscriber);
    subscriber.add(() => this.watchers.delete(subscriber));
    subscriber.next(this.current);
  });

  constructor(first: T) {
    this.current = first;
  }

  set(value: T): void {
    this.current = value;
    for (const watcher of [...this.watchers]) watcher.next(value);
  }
}
