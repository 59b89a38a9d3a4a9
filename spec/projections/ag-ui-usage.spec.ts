import { describe, expect, it } from '@jest/globals';
import { AgUiUsage } from '../../lib/projections/ag-ui-usage.ts';
import type { Usage } from '../../lib/index.ts';

const usageOf = (...used: readonly (readonly [model: string, usage: Usage])[]): unknown => {
  const usage = new AgUiUsage();
  for (const [model, one] of used) usage.add(model, one);
  return usage.field();
};

describe('usage in AG-UI', () => {
  it('is one entry for each model, summed', () => {
    expect(usageOf(['a', { inputTokens: 3, outputTokens: 1 }], ['b', { outputTokens: 2 }], ['a', { inputTokens: 4, outputTokens: 1 }])).toEqual({
      usage: [{ model: 'a', inputTokens: 7, outputTokens: 2, totalTokens: 9 }, { model: 'b', outputTokens: 2 }],
    });
  });

  it('names the parts in the words of the protocol', () => {
    expect(usageOf(['a', { inputTokens: 9, outputTokens: 5, cachedInputTokens: 1, cacheWriteTokens: 2, reasoningTokens: 3, totalTokens: 99, costUsd: 1, partial: true }])).toEqual({
      usage: [{ model: 'a', inputTokens: 9, outputTokens: 5, totalTokens: 14, reasoningTokens: 3, cachedInputTokens: 1, cacheWriteInputTokens: 2 }],
    });
  });

  it('keeps a total that is all there is', () => {
    expect(usageOf(['a', { totalTokens: 9 }])).toEqual({ usage: [{ model: 'a', totalTokens: 9 }] });
  });

  it('is absent where nothing was reported', () => {
    expect(usageOf()).toEqual({});
    expect(usageOf(['a', {}])).toEqual({});
  });

  it('leaves out what a client would refuse the event for', () => {
    expect(usageOf(['a', { inputTokens: 2.4, outputTokens: -1, reasoningTokens: Infinity, cachedInputTokens: NaN }])).toEqual({ usage: [{ model: 'a', inputTokens: 2, totalTokens: 1 }] });
  });
});
