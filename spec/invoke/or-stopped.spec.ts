import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { orStopped } from '../../lib/invoke/or-stopped.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const stopped = { type: 'stopped' };

// prettier-ignore
describe('orStopped', () => {
  it('is what is awaited', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const awaited = cold('---a|');
    const stop = cold('   -----x');

    expectValues(orStopped(awaited, stop)).toBe('---(a|)', { a: 'a' });
    expectSubscriptions(stop).toBe('^--!');
  }));

  it('is the stop where that comes first, and leaves what was awaited', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const awaited = cold('-----a|');
    const stop = cold('   ---x');

    expectValues(orStopped(awaited, stop)).toBe('---(s|)', { s: stopped });
    expectSubscriptions(awaited).toBe('^--!');
  }));

  it('is the stop where the run is stopped already; nothing is awaited', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const awaited = cold('a|');

    expectValues(orStopped(awaited, of(1))).toBe('(s|)', { s: stopped });
    expectSubscriptions(awaited).toBe([]);
  }));

  it('fails as what is awaited does', loopMarbles(({ cold, expectValues }) => {
    expectValues(orStopped(cold('-#'), cold('---x'))).toBe('-#');
  }));

  it('is what is awaited alone where nothing can stop the run', () => {
    const awaited = of(1);
    expect(orStopped(awaited, undefined)).toBe(awaited);
  });
});
