import { describe, expect, it } from '@jest/globals';
import { stride } from '../../marbles/stride.ts';

describe('stride', () => {
  it('gives room to each event, less to the pieces of a stroke', () => {
    expect([stride('marble', 0), stride('dot', 0), stride('stroke', 0)]).toEqual([24, 10, 2.5]);
  });

  it('grows with the wait, but has a bound', () => {
    const waits = [0, 50, 500, 5_000, 500_000, 1e9].map((ms) => stride('marble', ms));
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(waits[1]).toBe(34);
    expect(waits.at(-1)).toBe(144);
  });
});
