import { describe, expect, it } from '@jest/globals';
import { concat, concatMap, map, Observable, of, range, throwError } from 'rxjs';
import { toReadableStream } from '../../lib/index.ts';
import type { Demand } from '../../lib/index.ts';

const turn = (): Promise<void> => new Promise(setImmediate);

describe('toReadableStream', () => {
  it('carries every value, then closes', async () => {
    const seen: number[] = [];
    const reader = toReadableStream(() => of(1, 2, 3)).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) seen.push(read.value);
    expect(seen).toEqual([1, 2, 3]);
  });

  it('starts at the first read', async () => {
    let started = false;
    const stream = toReadableStream(() => { started = true; return of(1); });
    await turn();
    expect(started).toBe(false);
    await stream.getReader().read();
    expect(started).toBe(true);
  });

  it('lets the run be at most highWaterMark values ahead', async () => {
    let made = 0;
    const run = (demand: Demand): Observable<number> => range(1, 100).pipe(concatMap((n) => demand.ready().pipe(map(() => (made = n)))));
    const reader = toReadableStream(run, { highWaterMark: 4 }).getReader();
    for (let read = 1; read <= 20; read += 1) {
      await reader.read();
      await turn();
      expect(made - read).toBeLessThanOrEqual(4);
    }
  });

  it('leaves the run when it is cancelled', async () => {
    let left = false;
    const run = (): Observable<number> => new Observable((subscriber) => { subscriber.next(1); return () => (left = true); });
    const reader = toReadableStream(run).getReader();
    await reader.read();
    await reader.cancel();
    expect(left).toBe(true);
  });

  it('errors with the error of the run, after what was said before it', async () => {
    const reader = toReadableStream(() => concat(of('a'), throwError(() => new Error('broke')))).getReader();
    await expect(reader.read()).resolves.toEqual({ done: false, value: 'a' });
    await expect(reader.read()).rejects.toThrow('broke');
  });
});
