import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { relay } from '../relay.ts';

/**
 * Events of a run that belong to none of its phases, such as of a tool that settles after its call was answered. They
 * are said as long as the run lasts.
 *
 * @internal
 */
export class Aside<E> {
  private subscriber: Subscriber<E> | undefined;

  readonly events$ = new Observable<E>((subscriber) => {
    this.subscriber = subscriber;
    return () => (this.subscriber = undefined);
  });

  add(events$: Observable<E>): void {
    const { subscriber } = this;
    if (subscriber !== undefined) relay(events$, subscriber, { next: (event) => subscriber.next(event), complete: () => undefined });
  }
}
