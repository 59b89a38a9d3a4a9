import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { firstFrom, visible } from '../../../lib/view/inspector/visible.ts';

const self = (place: number): number => place;
const shown = (row: readonly number[], from: number, to: number, gap: number) => [...visible(row, self, from, to, gap)].map(({ one, count }) => [one, count]);

describe('visible', () => {
  it('gives those between two places, none too near to the one before it, and how many each stands for', () => {
    expect(shown([0, 1, 2, 10, 11, 30, 99], 0, 50, 5)).toEqual([[0, 3], [10, 2], [30, 1]]);
    expect(shown([0, 1, 2, 10, 11, 30, 99], 2, 10, 1)).toEqual([[2, 1], [10, 1]]);
    expect(shown([], 0, 9, 1)).toEqual([]);
    expect(shown([1, 2], 5, 9, 1)).toEqual([]);
  });

  it('looks at few of many', () => {
    const row = Array.from({ length: 1_000_000 }, (_, at) => at);
    let looks = 0;
    const found = [...visible(row, (place) => ((looks += 1), place), 500_000, 510_000, 100)];
    expect(found).toHaveLength(101);
    expect(looks).toBeLessThan(5_000);
  });

  it('never leaves out one that has room, for any row', () => {
    fc.assert(fc.property(fc.array(fc.nat(500)), fc.nat(500), fc.nat(500), fc.integer({ min: 1, max: 50 }), (places, from, length, gap) => {
      const row = places.sort((a, b) => a - b);
      const expected: number[] = [];
      for (const place of row) if (place >= from && place <= from + length && (expected.length === 0 || place >= (expected.at(-1) ?? 0) + gap)) expected.push(place);
      expect([...visible(row, self, from, from + length, gap)].map(({ one }) => one)).toEqual(expected);
    }));
  });
});

describe('firstFrom', () => {
  it('finds the first at or behind a place, from any start', () => {
    fc.assert(fc.property(fc.array(fc.nat(100)), fc.nat(110), fc.nat(20), (places, place, start) => {
      const row = places.sort((a, b) => a - b);
      const from = Math.min(start, row.length);
      const found = row.findIndex((one, at) => at >= from && one >= place);
      expect(firstFrom(row, self, place, from)).toBe(found < 0 ? row.length : found);
    }));
  });
});
