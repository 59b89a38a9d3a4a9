import { describe, expect, it } from '@jest/globals';
import { concat, defer, NEVER, of, Subject, throwError, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import { readAgain } from '../../lib/serve/read-again.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

/** Each subscription is the next of these. */
const inTurn = <T>(...readings: readonly Observable<T>[]): Observable<T> => {
  let at = 0;
  return defer(() => readings[at++] ?? NEVER);
};

/** What is told, word by word. */
function listener(): { readonly told: string[]; onFault(why: string): void; onMended(): void } {
  const told: string[] = [];
  return { told, onFault: (why) => void told.push(why), onMended: () => void told.push('mended') };
}

describe('readAgain', () => {
  // prettier-ignore
  it('reads again where a later reading fails', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const source = cold('   -a-#                ');
    const second = cold('           -#          ');
    const third = cold('                 -b     ');
    const expected = '      -a- 1s -  2s -b     ';

    expectValues(inTurn(source, second, third).pipe(readAgain(listener()))).toBe(expected);
    expectSubscriptions(source).toBe('^--!');
  }));

  // prettier-ignore
  it('fails as the first reading does', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold('--#').pipe(readAgain(listener()))).toBe('--#');
    expectValues(cold('#').pipe(readAgain(listener()))).toBe('#');
  }));

  // prettier-ignore
  it('completes as the source does', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold('-a-|').pipe(readAgain(listener()))).toBe('-a-|');
    expectValues(cold('--|').pipe(readAgain(listener()))).toBe('--|');
    expectValues(cold('----').pipe(readAgain(listener()))).toBe('----');
    expectValues(inTurn(cold('-a#'), cold('-|')).pipe(readAgain(listener()))).toBe('-a 1s -|');
  }));

  // prettier-ignore
  it('begins with a second again once it has been read', loopMarbles(({ cold, expectValues }) => {
    const readings = [cold('-a#'), cold('#'), cold('b-#'), cold('c')];
    expectValues(inTurn(...readings).pipe(readAgain(listener()))).toBe('-a 1s 2s b- 1s c');
  }));

  // prettier-ignore
  it('leaves the source, and the wait', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const [source, broken, next] = [cold('-a--b'), cold('-a#'), cold('b')];
    expectValues(source.pipe(readAgain(listener())), '^--!').toBe('-a--');
    expectSubscriptions(source).toBe('^--!');
    expectValues(inTurn(broken, next).pipe(readAgain(listener())), '^ 500ms !').toBe('-a');
    expectSubscriptions(next).toBe([]);
  }));

  it('waits twice as long each time, up to a minute, and has no timer while all is well', () => {
    const scheduler = new VirtualTimeScheduler();
    const readAt: number[] = [];
    const first$ = new Subject<string>();
    const broken$ = throwError(() => new Error('No.'));
    const well$ = new Subject<string>();
    const readings = [first$, ...Array.from({ length: 8 }, () => broken$), well$];
    const reading$ = defer(() => {
      readAt.push(scheduler.now());
      return readings[readAt.length - 1] as Observable<string>;
    });
    const life = reading$.pipe(readAgain({ ...listener(), scheduler })).subscribe();
    first$.next('a');
    expect(scheduler.actions).toEqual([]);
    first$.error(new Error('No.'));
    scheduler.flush();
    expect(readAt.slice(1).map((at, index) => at - (readAt[index] as number))).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    well$.next('b');
    expect(scheduler.actions).toEqual([]);
    life.unsubscribe();
  });

  it('is cold: each subscription knows its own faults', () => {
    const scheduler = new VirtualTimeScheduler();
    const sets$ = concat(of('a'), throwError(() => new Error('No.'))).pipe(readAgain({ ...listener(), scheduler }));
    const lives = [sets$.subscribe(), sets$.subscribe()];
    expect(scheduler.actions).toHaveLength(2);
    lives.forEach((life) => life.unsubscribe());
  });

  it('has no timer left when it is left in a wait', () => {
    const scheduler = new VirtualTimeScheduler();
    const source$ = new Subject<string>();
    const life = source$.pipe(readAgain({ ...listener(), scheduler })).subscribe();
    source$.next('a');
    source$.error(new Error('No.'));
    expect(scheduler.actions).toHaveLength(1);
    life.unsubscribe();
    scheduler.flush();
    expect(scheduler.now()).toBe(0);
  });

  it('tells a reason once while it stays the same, and when it is over', () => {
    const scheduler = new VirtualTimeScheduler();
    const said = listener();
    const fault = (why: string): Observable<never> => throwError(() => new Error(why));
    const readings = [concat(of('a'), fault('No disk.')), fault('No disk.'), fault('No key.'), fault('No disk.'), concat(of('b'), fault('No disk.')), of('c')];
    inTurn(...readings).pipe(readAgain({ ...said, scheduler })).subscribe();
    scheduler.flush();
    expect(said.told).toEqual(['No disk.', 'No key.', 'No disk.', 'mended', 'No disk.', 'mended']);
  });
});
