import { describe, expect, it } from '@jest/globals';
import { amount } from '../../lib/serve/amount.ts';

describe('amount', () => {
  it.each([1, 2.5, Infinity])('takes %d', (value) => expect(amount('x', 'y', value)).toBe(value));
  it('takes 0 where that is the least', () => expect(amount('x', 'y', 0, 0)).toBe(0));
  it.each([0, -1, Number.NaN, '3' as never])('refuses %j, and says what would be right', (value) => {
    expect(() => amount('httpHandler', 'limits.maxRuns', value)).toThrow(/^httpHandler: limits\.maxRuns is .*; give a number of 1 or more\.$/);
  });
});
