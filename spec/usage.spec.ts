import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addUsage, totalTokens, withCost } from '../lib/usage.ts';
import type { Usage } from '../lib/usage.ts';

const count = fc.nat(1000);
const usage: fc.Arbitrary<Usage> = fc.record(
  {
    inputTokens: count,
    outputTokens: count,
    cachedInputTokens: count,
    cacheWriteTokens: count,
    reasoningTokens: count,
    totalTokens: count,
    costUsd: count,
    partial: fc.constant(true as const),
  },
  { requiredKeys: [] },
);

describe('addUsage', () => {
  it('sums each count', () => {
    const all = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 3, cacheWriteTokens: 4, reasoningTokens: 5, totalTokens: 6, costUsd: 0.5 };
    expect(addUsage(all, all)).toEqual({
      inputTokens: 2,
      outputTokens: 4,
      cachedInputTokens: 6,
      cacheWriteTokens: 8,
      reasoningTokens: 10,
      totalTokens: 12,
      costUsd: 1,
    });
  });

  it('keeps a count that one side alone reports, and calls the sum partial', () => {
    expect(addUsage({ inputTokens: 1 }, { inputTokens: 2, outputTokens: 3 })).toEqual({ inputTokens: 3, outputTokens: 3, partial: true });
    expect(addUsage({ inputTokens: 1 }, {})).toEqual({ inputTokens: 1, partial: true });
  });

  it('takes zero for a report of zero', () => {
    expect(addUsage({ inputTokens: 0 }, { inputTokens: 2 })).toEqual({ inputTokens: 2 });
    expect(addUsage({ inputTokens: 0 }, { inputTokens: 0 })).toEqual({ inputTokens: 0 });
  });

  it('leaves unknown what neither side reports', () => {
    expect(addUsage({}, {})).toEqual({});
    expect(Object.keys(addUsage({ inputTokens: 1 }, { inputTokens: 1 }))).toEqual(['inputTokens']);
  });

  it('stays partial once it is', () => {
    expect(addUsage({ inputTokens: 1, partial: true }, { inputTokens: 1 })).toEqual({ inputTokens: 2, partial: true });
    expect(addUsage({ inputTokens: 1 }, { inputTokens: 1, partial: true })).toEqual({ inputTokens: 2, partial: true });
  });

  it('takes nothing at all for nothing at all, which marks nothing', () => {
    expect(addUsage(undefined, undefined)).toEqual({});
    expect(addUsage(undefined, { inputTokens: 1 })).toEqual({ inputTokens: 1 });
    expect(addUsage({ inputTokens: 1 }, undefined)).toEqual({ inputTokens: 1 });
  });

  it('does not depend on order or grouping, and changes neither side', () => {
    fc.assert(
      fc.property(usage, usage, usage, (a, b, c) => {
        const before = JSON.stringify([a, b, c]);
        expect(addUsage(a, b)).toEqual(addUsage(b, a));
        expect(addUsage(addUsage(a, b), c)).toEqual(addUsage(a, addUsage(b, c)));
        expect(JSON.stringify([a, b, c])).toBe(before);
      }),
      { seed: 1 },
    );
  });
});

describe('totalTokens', () => {
  it.each([
    [{ totalTokens: 7, inputTokens: 1, outputTokens: 1 }, 7],
    [{ totalTokens: 0, inputTokens: 1, outputTokens: 1 }, 0],
    [{ inputTokens: 1, outputTokens: 2 }, 3],
    [{ inputTokens: 0, outputTokens: 0 }, 0],
    [{ inputTokens: 1 }, undefined],
    [{ outputTokens: 1 }, undefined],
    [{}, undefined],
  ])('of %j is %s', (given, expected) => {
    expect(totalTokens(given)).toBe(expected);
  });

  it('does not count what input and output already include', () => {
    expect(totalTokens({ inputTokens: 10, outputTokens: 5, cachedInputTokens: 4, cacheWriteTokens: 3, reasoningTokens: 2 })).toBe(15);
  });
});

describe('withCost', () => {
  const price = { input: 3, output: 15 };

  it('is what a million tokens cost, for as many as were used', () => {
    expect(withCost({ inputTokens: 1_000_000, outputTokens: 0 }, price)).toEqual({ inputTokens: 1_000_000, outputTokens: 0, costUsd: 3 });
    expect(withCost({ inputTokens: 2_000, outputTokens: 1_000 }, price).costUsd).toBeCloseTo(0.021, 12);
    expect(withCost({ inputTokens: 0, outputTokens: 0 }, price).costUsd).toBe(0);
  });

  it.each([
    ['reads from the cache at their own price', { cachedInputTokens: 400 }, { cachedInput: 0.3 }, 600 * 3 + 400 * 0.3],
    ['writes to the cache at their own price', { cacheWriteTokens: 400 }, { cacheWrite: 3.75 }, 600 * 3 + 400 * 3.75],
    ['both', { cachedInputTokens: 400, cacheWriteTokens: 100 }, { cachedInput: 0.3, cacheWrite: 3.75 }, 500 * 3 + 400 * 0.3 + 100 * 3.75],
    ['the cache as other input where it has no price', { cachedInputTokens: 400, cacheWriteTokens: 100 }, {}, 1000 * 3],
    ['no input below zero, where a wire counts the cache apart', { cachedInputTokens: 1500 }, { cachedInput: 0.3 }, 1500 * 0.3],
  ])('counts %s', (_name, cached, more, millionths) => {
    expect(withCost({ inputTokens: 1000, outputTokens: 0, ...cached }, { ...price, ...more }).costUsd).toBeCloseTo(millionths / 1_000_000, 12);
  });

  it('counts reasoning as the output that it is part of', () => {
    expect(withCost({ inputTokens: 0, outputTokens: 100, reasoningTokens: 90 }, price).costUsd).toBeCloseTo(0.0015, 12);
  });

  it.each([
    ['without a price', { inputTokens: 1, outputTokens: 1 }, undefined],
    ['without an input count', { outputTokens: 1 }, price],
    ['without an output count', { inputTokens: 1, totalTokens: 2 }, price],
  ])('is unknown %s', (_name, given, of) => {
    expect(withCost(given, of)).toBe(given);
  });

  it('keeps what was reported, `partial` too', () => {
    const given = { inputTokens: 1, outputTokens: 1, reasoningTokens: 1, partial: true } as const;
    expect(withCost(given, price)).toEqual({ ...given, costUsd: 0.000018 });
  });
});
