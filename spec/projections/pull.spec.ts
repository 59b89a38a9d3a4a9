import { describe, expect, it } from '@jest/globals';
import { concat, concatMap, from, map, NEVER, Observable, of, range, throwError } from 'rxjs';
import { pull, toolLoop } from '../../lib/index.ts';
import type { Demand } from '../../lib/index.ts';
import { scripted } from '../../lib/deltas/scripted.ts';

/** A source that asks before each value, and counts what it made. */
function counting(total: number): { run: (demand: Demand) => Observable<number>; made: () => number; left: () => boolean } {
  let made = 0;
  let left = false;
  const run = (demand: Demand): Observable<number> =>
    new Observable((subscriber) => {
      subscriber.add(() => (left = made < total));
      subscriber.add(range(1, total).pipe(concatMap((n) => demand.ready().pipe(map(() => ((made = n), n))))).subscribe(subscriber));
    });
  return { run, made: () => made, left: () => left };
}

const turn = (): Promise<void> => new Promise(setImmediate);

describe('pull', () => {
  it('gives every value in order, then ends', async () => {
    const seen: number[] = [];
    for await (const value of pull(() => of(1, 2, 3))) seen.push(value);
    expect(seen).toEqual([1, 2, 3]);
  });

  it('starts at the first next, and anew for each iterator', async () => {
    let runs = 0;
    const iterable = pull(() => { runs += 1; return of(runs); });
    const iterator = iterable[Symbol.asyncIterator]();
    expect(runs).toBe(0);
    await expect(iterator.next()).resolves.toEqual({ done: false, value: 1 });
    await expect(iterable[Symbol.asyncIterator]().next()).resolves.toEqual({ done: false, value: 2 });
  });

  it.each([1, 4, 16])('lets the source be at most %i values ahead of the reader', async (highWaterMark) => {
    const { run, made } = counting(1000);
    let read = 0;
    for await (const _ of pull(run, { highWaterMark })) {
      read += 1;
      await turn();
      expect(made() - read).toBeLessThanOrEqual(highWaterMark);
    }
    expect(read).toBe(1000);
  });

  it('keeps 16 ahead unless told otherwise', async () => {
    const { run, made } = counting(100);
    await pull(run)[Symbol.asyncIterator]().next();
    expect(made()).toBe(17);
  });

  it('leaves the run on break, on return and on a throw, in the same tick', async () => {
    const broken = counting(1000);
    for await (const value of pull(broken.run)) if (value === 3) break;
    expect(broken.left()).toBe(true);

    const returned = counting(1000);
    const iterator = pull(returned.run)[Symbol.asyncIterator]();
    await iterator.next();
    void iterator.return?.();
    expect(returned.left()).toBe(true);
    await expect(iterator.next()).resolves.toEqual({ done: true, value: undefined });

    const thrown = counting(1000);
    await expect((async () => { for await (const _ of pull(thrown.run)) throw new Error('reader'); })()).rejects.toThrow('reader');
    expect(thrown.left()).toBe(true);
  });

  it('throws the error of the run after what was said before it, once', async () => {
    const iterator = pull(() => concat(of('a'), throwError(() => new Error('broke'))))[Symbol.asyncIterator]();
    await expect(iterator.next()).resolves.toEqual({ done: false, value: 'a' });
    await expect(iterator.next()).rejects.toThrow('broke');
    await expect(iterator.next()).resolves.toEqual({ done: true, value: undefined });
  });

  it('answers several reads that wait at once, in order', async () => {
    const source = new Observable<number>((subscriber) => void Promise.resolve().then(() => { subscriber.next(1); subscriber.next(2); subscriber.complete(); }));
    const iterator = pull(() => source)[Symbol.asyncIterator]();
    await expect(Promise.all([iterator.next(), iterator.next(), iterator.next()])).resolves.toEqual([
      { done: false, value: 1 }, { done: false, value: 2 }, { done: true, value: undefined },
    ]);
  });

  it('settles a read that waits when it is returned', async () => {
    const iterator = pull(() => NEVER)[Symbol.asyncIterator]();
    const waiting = iterator.next();
    await iterator.return?.();
    await expect(waiting).resolves.toEqual({ done: true, value: undefined });
  });

  it('does not start a run that was returned before its first read', async () => {
    let started = false;
    const iterator = pull(() => { started = true; return NEVER; })[Symbol.asyncIterator]();
    await iterator.return?.();
    await expect(iterator.next()).resolves.toEqual({ done: true, value: undefined });
    expect(started).toBe(false);
  });

  it('paces a whole run: each delta and each step wait for the reader', async () => {
    const model = scripted([
      { text: Array.from({ length: 50 }, (_, at) => String(at)), calls: [{ name: 'nope' }] },
      { text: 'end' },
    ]);
    const types: string[] = [];
    for await (const event of pull((demand) => toolLoop({ model, prompt: 'go', demand }), { highWaterMark: 1 })) {
      types.push(event.type);
      await turn();
      if (types.length === 10) expect(model.requests).toHaveLength(1);
    }
    expect(types.filter((type) => type === 'delta').length).toBeGreaterThan(50);
    expect(types.at(-1)).toBe('done');
  });

  it('gives a backlog of any length without shifting it', async () => {
    let sum = 0;
    for await (const value of pull(() => from(Array.from({ length: 50_000 }, () => 1)))) sum += value;
    expect(sum).toBe(50_000);
  });
});
