import { describe, expect, it } from '@jest/globals';
import { concat, concatMap, delay, lastValueFrom, map, NEVER, of, range, throwError, toArray } from 'rxjs';
import { paced } from '../../lib/index.ts';
import type { Demand } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const asking = (total: number, made: number[]) => (demand: Demand) =>
  range(1, total).pipe(concatMap((n) => demand.ready().pipe(map(() => (made.push(n), n)))));

// prettier-ignore
describe('paced', () => {
  it('takes one value after another, in order, and the run waits for it', loopMarbles(({ expectValues }) => {
    const made: number[] = [];
    const paced$ = paced(asking(4, made), (n) => of(`${n}`).pipe(delay(2)), { highWaterMark: 1 });

    expectValues(paced$.pipe(map((n) => `${n}/${made.length}`))).toBe('--a-b-c-(d|)', { a: '1/1', b: '2/2', c: '3/3', d: '4/4' });
  }));

  it('lets highWaterMark values wait', loopMarbles(({ expectValues }) => {
    const made: number[] = [];
    const paced$ = paced(asking(9, made), () => of(null).pipe(delay(1)), { highWaterMark: 3 });

    expectValues(paced$.pipe(map(() => made.length)), '---!').toBe('-ab', { a: 3, b: 4 });
  }));

  it('leaves the run and the consumer with the subscriber', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const run = cold('-a-b-c-');
    const consumer = cold('--------x|');

    expectValues(paced(() => run, () => consumer), '----!').toBe('-----');
    expectSubscriptions(run).toBe('^---!');
    expectSubscriptions(consumer).toBe('-^--!');
  }));

  it('fails as the run or the consumer does', loopMarbles(({ cold, expectValues }) => {
    expectValues(paced(() => cold('-a-#'), () => of('x'))).toBe('-x-#');
    expectValues(paced(() => cold('-a-b-'), () => throwError(() => 'error'))).toBe('-#');
  }));
});

describe('paced with promises', () => {
  it('waits for the promise of a consumer', async () => {
    await expect(lastValueFrom(paced(() => of(1, 2, 3), async (n) => n * 2).pipe(toArray()))).resolves.toEqual([2, 4, 6]);
  });

  it('turns a consumer that throws into an error, and one that answers nothing into silence', async () => {
    await expect(lastValueFrom(paced(() => of(1), () => { throw new Error('consumer'); }))).rejects.toThrow('consumer');
    await expect(lastValueFrom(paced(() => concat(of(1)), () => undefined).pipe(toArray()))).resolves.toEqual([undefined]);
  });

  it('begins a run for each subscriber', () => {
    let runs = 0;
    const paced$ = paced(() => { runs += 1; return NEVER; }, () => 1);
    expect(runs).toBe(0);
    paced$.subscribe().unsubscribe();
    paced$.subscribe().unsubscribe();
    expect(runs).toBe(2);
  });
});
