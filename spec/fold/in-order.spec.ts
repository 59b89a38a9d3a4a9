import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { concatMap, EMPTY, from, isObservable, map, NEVER, Observable, of, Subject, take, throwError, timer } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { inOrder } from '../../lib/fold/in-order.ts';

function scheduler(): TestScheduler {
  return new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
}

// prettier-ignore
describe('inOrder', () => {
  it('emits plain values at once and queues behind an open inner', () => {
    scheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold(' -a-b-c---|     ');
      const inner = cold('  ----b|         ');
      const expected = '    -a-----bc|     ';

      expectObservable(source.pipe(inOrder((letter) => (letter === 'b' ? inner : letter)))).toBe(expected);
      expectSubscriptions(source.subscriptions).toBe('^--------!');
      expectSubscriptions(inner.subscriptions).toBe('---^----!');
    });
  });

  it('keeps the order when inners are slower than the source', () => {
    scheduler().run(({ cold, expectObservable }) => {
      const source = cold('  -a-b-c---|');
      const expected = '     -a---b-c-|';
      const inners: Record<string, Observable<string>> = { b: cold('--b|'), c: cold('-c|') };

      expectObservable(source.pipe(inOrder((letter) => inners[letter] ?? letter))).toBe(expected);
    });
  });

  it.each([
    ['never', '---', '---'],
    ['empty', '--|', '--|'],
    ['one', '-a-|', '-a-|'],
    ['many', '-a-b-|', '-a-b-|'],
    ['an error before anything', '--#', '--#'],
    ['an error in the middle', '-a-#', '-a-#'],
  ])('passes on %s', (_name, source, expected) => {
    scheduler().run(({ cold, expectObservable }) => {
      expectObservable(cold(source).pipe(inOrder((value) => value))).toBe(expected);
    });
  });

  it('leaves the open inner and the source when the subscriber leaves', () => {
    scheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-a-b-----|');
      const inner = cold('  --i--i-|');
      const leave = '     ----!';

      expectObservable(source.pipe(inOrder(() => inner)), leave).toBe('---i-');
      expectSubscriptions(source.subscriptions).toBe('^---!');
      expectSubscriptions(inner.subscriptions).toBe('-^--!');
    });
  });

  it('drops what waits when an inner fails', () => {
    scheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-a-b-c-|');
      const inner = cold('  ----#');

      expectObservable(source.pipe(inOrder((letter) => (letter === 'a' ? inner : letter)))).toBe('-----#');
      expectSubscriptions(source.subscriptions).toBe('^----!');
    });
  });

  it('drops what waits when the source fails while an inner is open', () => {
    scheduler().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-a-b-#');
      const inner = cold('  --------i|');

      expectObservable(source.pipe(inOrder(() => inner))).toBe('-----#');
      expectSubscriptions(inner.subscriptions).toBe('-^---!');
    });
  });

  it('turns a throwing project into an error', () => {
    const error = new Error('project');
    const seen: unknown[] = [];
    of(1, 2, 3)
      .pipe(inOrder((value) => { if (value === 2) throw error; return value; }))
      .subscribe({ next: (value) => seen.push(value), error: (caught: unknown) => seen.push(caught) });
    expect(seen).toEqual([1, error]);
  });

  it('stops a synchronous source when the subscriber leaves in the middle', () => {
    let produced = 0;
    const source = new Observable<number>((subscriber) => { while (!subscriber.closed && produced < 1000) subscriber.next(++produced); });
    const seen: number[] = [];
    source.pipe(inOrder((value) => value), take(3)).subscribe((value) => seen.push(value));
    expect(seen).toEqual([1, 2, 3]);
    expect(produced).toBe(3);
  });

  it('takes what a consumer sends back in, after what is being said', () => {
    const source = new Subject<number>();
    const seen: number[] = [];
    source.pipe(inOrder((value) => value)).subscribe((value) => {
      seen.push(value);
      if (value < 3) { source.next(value + 1); seen.push(-value); }
    });
    source.next(1);
    expect(seen).toEqual([1, -1, 2, -2, 3]);
  });

  it('drains 100,000 queued synchronous inners without a deep stack', () => {
    const gate = new Subject<never>();
    let count = 0;
    const source = from(Array.from({ length: 100_000 }, (_, at) => at));
    source.pipe(inOrder((at) => (at === 0 ? gate : of(at)))).subscribe(() => count++);
    gate.complete();
    expect(count).toBe(99_999);
  });

  it('completes when the source ends within its last value', () => {
    const seen: unknown[] = [];
    of(1).pipe(inOrder(() => EMPTY)).subscribe({ next: (value) => seen.push(value), complete: () => seen.push('end') });
    of(1).pipe(inOrder(() => NEVER)).subscribe({ complete: () => seen.push('never') });
    expect(seen).toEqual(['end']);
  });

  it('counts the index of each value', () => {
    const seen: number[] = [];
    of('a', 'b', 'c').pipe(inOrder((_, index) => (index === 1 ? of(index, index) : index))).subscribe((index) => seen.push(index));
    expect(seen).toEqual([0, 1, 1, 2]);
  });
});

type Inner = { readonly plain: boolean; readonly delays: readonly number[]; readonly end: 'complete' | 'error' | 'never' };

describe('inOrder against concatMap', () => {
  const inner = fc.record<Inner>({
    plain: fc.boolean(),
    delays: fc.array(fc.nat({ max: 3 }), { maxLength: 3 }),
    end: fc.oneof({ weight: 8, arbitrary: fc.constant('complete' as const) }, fc.constantFrom('error' as const, 'never' as const)),
  });
  const scenario = fc.record({
    gaps: fc.array(fc.tuple(fc.nat({ max: 3 }), inner), { maxLength: 12 }),
    leaveAt: fc.option(fc.nat({ max: 20 }), { nil: undefined }),
    sourceEnd: fc.constantFrom('complete' as const, 'error' as const),
  });

  type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

  /** Everything that happened, with its frame: values, endings and the life of each inner. */
  function record(operator: 'inOrder' | 'concatMap', { gaps, leaveAt, sourceEnd }: Scenario): unknown[] {
    const virtual = scheduler();
    const log: unknown[] = [];
    virtual.run(() => {
      const note = (...what: unknown[]): void => void log.push([virtual.frame, ...what]);
      const source = new Observable<Inner>((subscriber) => {
        let at = 0;
        for (const [gap, one] of gaps) {
          at += gap;
          if (at === 0) subscriber.next(one);
          else subscriber.add(virtual.schedule(() => subscriber.next(one), at));
        }
        subscriber.add(virtual.schedule(() => (sourceEnd === 'error' ? subscriber.error('source') : subscriber.complete()), at));
      });
      let made = 0;
      const project = ({ plain, delays, end }: Inner): Observable<string> | string => {
        const id = `i${made++}`;
        note('project', id);
        if (plain) return `${id} plain`;
        return new Observable<string>((subscriber) => {
          note('open', id);
          subscriber.add(() => note('close', id));
          let at = 0;
          for (const [index, delay] of delays.entries()) {
            at += delay;
            if (at === 0) subscriber.next(`${id} ${index}`);
            else subscriber.add(timer(at, virtual).pipe(map(() => `${id} ${index}`)).subscribe((value) => subscriber.next(value)));
          }
          if (end === 'never') return;
          const stop = (): void => (end === 'error' ? subscriber.error(id) : subscriber.complete());
          if (at === 0) stop();
          else subscriber.add(virtual.schedule(stop, at));
        });
      };
      const result$ =
        operator === 'inOrder'
          ? source.pipe(inOrder(project))
          : source.pipe(concatMap((one) => { const answer = project(one); return isObservable(answer) ? answer : of(answer); }));
      const subscription = result$.subscribe({
        next: (value) => note('next', value),
        error: (error: unknown) => note('error', error),
        complete: () => note('complete'),
      });
      if (leaveAt !== undefined) virtual.schedule(() => subscription.unsubscribe(), leaveAt);
    });
    return log;
  }

  it('does what concatMap does, to the frame, for random sources, inners and leavings', () => {
    fc.assert(fc.property(scenario, (one) => expect(record('inOrder', one)).toEqual(record('concatMap', one))), { numRuns: 500 });
  });

  it('fails as concatMap does for an inner that fails at once', () => {
    const log = (operator: 'inOrder' | 'concatMap'): unknown[] => {
      const seen: unknown[] = [];
      const project = (value: number): Observable<number> => (value === 2 ? throwError(() => 'two') : of(value));
      of(1, 2, 3).pipe(operator === 'inOrder' ? inOrder(project) : concatMap(project)).subscribe({ next: (value) => seen.push(value), error: (error: unknown) => seen.push(error) });
      return seen;
    };
    expect(log('inOrder')).toEqual(log('concatMap'));
  });
});
