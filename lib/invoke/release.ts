import { Observable } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import { relay } from '../relay.ts';

/** Something that belongs to the call at `index`; what is `held` waits until every call before it has `last`. */
export interface Indexed<T> {
  readonly index: number;
  readonly event: T;
  readonly held: boolean;
  /** The call's last event. */
  readonly last: boolean;
}

/** Nothing is released before so many calls have settled; `cut` then may say what is released in place of everything. */
export interface Together<T> {
  readonly count: number;
  readonly cut: () => readonly T[] | undefined;
}

/**
 * Lets live events pass and holds results back until all calls before theirs have been answered: results come in call
 * order, whatever ran at the same time.
 *
 * Contract:
 * - leaves: the source; what is held is dropped.
 * - order: of held events, by index; of the others, as they come.
 *
 * @param together - releases all at once, when the last call has settled. Default: each as soon as it can be.
 * @internal
 */
export function releaseInOrder<T>(together?: Together<T>): OperatorFunction<Indexed<T>, T> {
  return (source) =>
    new Observable((subscriber) => {
      const waiting = new Map<number, Indexed<T>[]>();
      let turn = 0;
      let settled = 0;
      relay(source, subscriber, {
        next(item) {
          if (!item.held) return subscriber.next(item.event);
          waiting.set(item.index, [...(waiting.get(item.index) ?? []), item]);
          if (item.last) settled += 1;
          if (together !== undefined) {
            if (settled < together.count) return;
            const cut = together.cut();
            if (cut !== undefined) {
              for (const event of cut) subscriber.next(event);
              return;
            }
          }
          for (let ready = waiting.get(turn); ready !== undefined; ready = waiting.get(turn)) {
            waiting.delete(turn);
            if (ready.at(-1)?.last === true) turn += 1;
            for (const { event } of ready) subscriber.next(event);
          }
        },
        complete: () => subscriber.complete(),
      });
    });
}
