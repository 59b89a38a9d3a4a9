import { describe, expect, it } from '@jest/globals';
import type { Outcome, StepRecord, Usage } from '../../lib/index.ts';
import { usageLine } from '../../lib/serve/usage-line.ts';

const line = (usage: Usage, steps = 2): string =>
  usageLine({ steps: Array.from({ length: steps }, () => ({}) as StepRecord), usage } as unknown as Outcome);

describe('usageLine', () => {
  it.each<[string, Usage, string]>([
    ['both ways', { inputTokens: 24, outputTokens: 12, totalTokens: 36 }, '2 steps, tokens: 24 in, 12 out'],
    ['parts', { inputTokens: 24, cachedInputTokens: 8, outputTokens: 12, reasoningTokens: 3 }, '2 steps, tokens: 24 in (8 cached), 12 out (3 reasoning)'],
    ['parts of nothing', { inputTokens: 24, cachedInputTokens: 0, outputTokens: 12, reasoningTokens: 0 }, '2 steps, tokens: 24 in, 12 out'],
    ['one way', { outputTokens: 0 }, '2 steps, tokens: 0 out'],
    ['a total alone', { totalTokens: 36 }, '2 steps, tokens: 36'],
    ['a lower bound', { inputTokens: 24, partial: true }, '2 steps, tokens: at least 24 in'],
    ['nothing', {}, '2 steps, tokens not reported'],
  ])('says %s', (_name, usage, text) => {
    expect(line(usage)).toBe(text);
  });

  it('counts one step as one', () => {
    expect(line({}, 1)).toBe('1 step, tokens not reported');
  });
});
