import { describe, expect, it } from '@jest/globals';
import { Observable, Subject, concat, of, range, take, throwError } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { relay } from '../lib/relay.ts';
import type { Handlers } from '../lib/relay.ts';

/** An operator that relays its source as it is, with some handlers replaced. */
function relayed<T>(source: Observable<T>, handlers: (destination: Subscriber<T>) => Partial<Handlers<T>> = () => ({})): Observable<T> {
  return new Observable<T>((destination) => {
    relay(source, destination as Subscriber<never>, {
      next: (value) => destination.next(value),
      complete: () => destination.complete(),
      ...handlers(destination),
    });
  });
}

/** What a subscriber hears, and the subscription. */
function listen<T>(source: Observable<T>) {
  const heard: unknown[] = [];
  const subscription = source.subscribe({
    next: (value) => heard.push(value),
    error: (error: unknown) => heard.push(['error', error]),
    complete: () => heard.push('complete'),
  });
  return { heard, subscription };
}

/** A synchronous source that counts what it makes before it notices that nobody listens, and its teardowns. */
function counting(limit: number) {
  const seen = { made: 0, torn: 0 };
  const source = new Observable<number>((subscriber) => {
    for (; seen.made < limit && !subscriber.closed; seen.made++) subscriber.next(seen.made);
    subscriber.complete();
    return () => seen.torn++;
  });
  return { seen, source };
}

describe('relay', () => {
  it('passes values and completion on', () => {
    expect(listen(relayed(of(1, 2, 3))).heard).toEqual([1, 2, 3, 'complete']);
  });

  it('stops a synchronous source before its next value when the reader leaves', () => {
    const { seen, source } = counting(1_000_000);
    expect(listen(relayed(source).pipe(take(3))).heard).toEqual([0, 1, 2, 'complete']);
    expect(seen).toEqual({ made: 3, torn: 1 });
  });

  it('stops a synchronous source through several relays', () => {
    const { seen, source } = counting(1_000_000);
    listen(relayed(relayed(relayed(source))).pipe(take(2)));
    expect(seen).toEqual({ made: 2, torn: 1 });
  });

  it('leaves an asynchronous source when the reader leaves', () => {
    let torn = 0;
    const { subscription } = listen(relayed(new Observable<never>(() => () => torn++)));
    expect(torn).toBe(0);
    subscription.unsubscribe();
    expect(torn).toBe(1);
  });

  it('gives the subscription to the source, so that it alone can be left', () => {
    const [first, second] = [new Subject<string>(), new Subject<string>()];
    const heard: string[] = [];
    new Observable<never>((destination) => {
      const handlers = { next: (value: string) => void heard.push(value), complete: () => undefined };
      const inner = relay(first, destination as Subscriber<never>, handlers);
      relay(second, destination as Subscriber<never>, handlers);
      second.subscribe((value) => value === 'leave' && inner.unsubscribe());
    }).subscribe();
    first.next('a');
    second.next('leave');
    first.next('unheard');
    second.next('b');
    expect([heard, first.observed, second.observed]).toEqual([['a', 'leave', 'b'], false, true]);
  });

  it('hears nothing after it was left, not even from a source that does not look', () => {
    const stubborn = new Observable<number>((subscriber) => {
      for (let value = 0; value < 5; value++) subscriber.next(value);
      subscriber.error(new Error('late'));
    });
    expect(listen(relayed(stubborn).pipe(take(1))).heard).toEqual([0, 'complete']);
  });

  it('sends an error of the source to the destination, unless it is handled', () => {
    const error = new Error('boom');
    const failing = concat(of(1), throwError(() => error));
    expect(listen(relayed(failing)).heard).toEqual([1, ['error', error]]);
    const caught = relayed(failing, (destination) => ({
      error: (seen) => {
        destination.next(seen === error ? 2 : 0);
        destination.complete();
      },
    }));
    expect(listen(caught).heard).toEqual([1, 2, 'complete']);
  });

  it('takes what the subscription function throws for an error of the source', () => {
    const error = new Error('boom');
    const throwing = new Observable<never>(() => {
      throw error;
    });
    expect(listen(relayed(throwing)).heard).toEqual([['error', error]]);
  });

  it.each(['next', 'error', 'complete'] as const)('errors the destination when the handler of %s throws, and leaves the source', (kind) => {
    const error = new Error('handler');
    const source = new Subject<number>();
    let torn = 0;
    const watched = new Observable<number>((subscriber) => source.subscribe(subscriber).add(() => torn++));
    const { heard, subscription } = listen(
      relayed(watched, () => ({
        [kind]: () => {
          throw error;
        },
      })),
    );
    if (kind === 'next') source.next(1);
    else if (kind === 'error') source.error(new Error('source'));
    else source.complete();
    expect(heard).toEqual([['error', error]]);
    expect([torn, subscription.closed]).toEqual([1, true]);
  });

  it('stops a synchronous source whose value the handler throws at', () => {
    const { seen, source } = counting(1_000_000);
    const thrown = relayed(source, (destination) => ({
      next: (value) => {
        if (value === 2) throw new Error('at 2');
        destination.next(value);
      },
    }));
    expect(listen(thrown).heard).toEqual([0, 1, ['error', new Error('at 2')]]);
    expect(seen).toEqual({ made: 3, torn: 1 });
  });

  it('stops a synchronous source when the destination ends by itself', () => {
    const { seen, source } = counting(1_000_000);
    const ended = relayed(source, (destination) => ({
      next: (value) => (value < 2 ? destination.next(value) : destination.complete()),
    }));
    expect(listen(ended).heard).toEqual([0, 1, 'complete']);
    expect(seen.made).toBe(3);
  });

  it('delivers nothing to a destination that is closed already, and keeps no subscription', () => {
    const { seen, source } = counting(10);
    const heard: unknown[] = [];
    const closed: boolean[] = [];
    let kept = 0;
    const lasting = new Observable<never>(() => {
      kept++;
      return () => kept--;
    });
    new Observable<never>((destination) => {
      destination.complete();
      const handlers = { next: (value: unknown) => void heard.push(value), complete: () => void heard.push('complete') };
      closed.push(relay(source, destination as Subscriber<never>, handlers).closed);
      closed.push(relay(lasting, destination as Subscriber<never>, handlers).closed);
    }).subscribe();
    expect([heard, closed]).toEqual([[], [true, true]]);
    expect([seen.made, kept]).toEqual([0, 0]);
  });

  it('has torn the source down before the completion handler runs, so that what follows begins after it', () => {
    const order: string[] = [];
    const source = new Subject<never>();
    const watched = new Observable<never>((subscriber) => source.subscribe(subscriber).add(() => order.push('torn down')));
    listen(relayed(watched, () => ({ complete: () => void order.push('complete') })));
    source.complete();
    expect(order).toEqual(['torn down', 'complete']);
  });

  it('relays a hundred thousand sources one after the other to one destination', () => {
    let done = 0;
    new Observable<never>((destination) => {
      for (let index = 0; index < 100_000; index++) {
        relay(range(0, 2), destination as Subscriber<never>, { next: () => undefined, complete: () => void done++ });
      }
    }).subscribe();
    expect(done).toBe(100_000);
  });
});
