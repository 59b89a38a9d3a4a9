import { describe, expect, it } from '@jest/globals';
import { concat, EMPTY, map, NEVER, Observable, of, take, throwError } from 'rxjs';
import { Next, unfold } from '../../lib/loop/unfold.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const same = (error: unknown): unknown => error;
const counting = (last: number) => (state: number): Observable<number | Next<number>> =>
  state === last ? of(state) : of(state, new Next(state + 1));

function listen<T>(source: Observable<T>): unknown[] {
  const seen: unknown[] = [];
  source.subscribe({ next: (value) => seen.push(value), error: (error: unknown) => seen.push(error), complete: () => seen.push('complete') });
  return seen;
}

describe('unfold', () => {
  // prettier-ignore
  it('subscribes a phase when the one before has completed', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const first = cold('     -a-(bN|)   ');
    const second = cold('       ---c-|   ');
    const expected = '       -a-b--c-|  ';

    const phases = [first.pipe(map((letter) => (letter === 'N' ? new Next(1) : letter))), second];
    const unfolded$ = unfold<number, string>(() => 0, (state) => phases[state] ?? EMPTY, same);

    expectValues(unfolded$).toBe(expected);
    expectSubscriptions(first).toBe('^--!');
    expectSubscriptions(second).toBe('---^----!');
  }));

  // prettier-ignore
  it('leaves the current phase with the subscriber, and makes no further one', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const first = cold('-a-b-c-|');
    const leave = '     ---!';

    expectValues(unfold<number, string>(() => 0, () => first, same), leave).toBe('-a--');
    expectSubscriptions(first).toBe('^--!');
  }));

  it('ends with the phase that gives no further state', () => {
    expect(listen(unfold(() => 1, counting(3), same))).toEqual([1, 2, 3, 'complete']);
    expect(listen(unfold(() => 1, () => EMPTY, same))).toEqual(['complete']);
  });

  it('begins anew for each subscriber', () => {
    let starts = 0;
    const unfolded$ = unfold(() => ++starts * 10, (state) => of(state), same);
    expect([listen(unfolded$), listen(unfolded$)]).toEqual([[10, 'complete'], [20, 'complete']]);
  });

  it('maps an error of a phase, and of making it, with the state in which it began', () => {
    const toError = (error: unknown, state: number): unknown => [error, state];
    expect(listen(unfold(() => 1, (state) => (state < 3 ? of(new Next(state + 1)) : throwError(() => 'phase')), toError))).toEqual([['phase', 3]]);
    expect(listen(unfold(() => 1, () => { throw 'making'; }, toError))).toEqual([['making', 1]]);
  });

  it('runs 200,000 synchronous phases', () => {
    let count = 0;
    unfold(() => 0, counting(200_000), same).subscribe(() => count++);
    expect(count).toBe(200_001);
  });

  it('makes no phase after a synchronous leave, at whatever value', () => {
    for (const wanted of [1, 2, 3, 4]) {
      const made: number[] = [];
      const next = (state: number): Observable<string | Next<number>> => {
        made.push(state);
        return of(`${state}a`, `${state}b`, new Next(state + 1));
      };
      expect(listen(unfold(() => 0, next, same).pipe(take(wanted)))).toHaveLength(wanted + 1);
      expect(made).toEqual([0, 1].slice(0, Math.ceil(wanted / 2)));
    }
  });

  it('tears a phase down before it makes the next', () => {
    const log: string[] = [];
    const next = (state: number): Observable<string | Next<number>> => {
      log.push(`make ${state}`);
      return new Observable((subscriber) => {
        subscriber.add(() => log.push(`close ${state}`));
        if (state < 1) subscriber.next(new Next(state + 1));
        subscriber.complete();
      });
    };
    listen(unfold(() => 0, next, same));
    expect(log).toEqual(['make 0', 'close 0', 'make 1', 'close 1']);
  });

  it('goes on when a phase ends later', async () => {
    const next = (state: number): Observable<number | Next<number>> =>
      state === 2 ? of(state) : new Observable((subscriber) => void Promise.resolve().then(() => { subscriber.next(new Next(state + 1)); subscriber.complete(); }));
    const seen = listen(unfold(() => 0, next, same));
    await new Promise(setImmediate);
    expect(seen).toEqual([2, 'complete']);
  });

  it('waits for a phase that never ends', () => {
    expect(listen(unfold(() => 0, () => concat(of('a'), NEVER), same))).toEqual(['a']);
  });
});
