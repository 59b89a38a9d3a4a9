import { describe, expect, it } from '@jest/globals';
import { openaiChatUsage } from '../../lib/deltas/openai-chat-usage.ts';

describe('openaiChatUsage', () => {
  it('reads the figures, and keeps the wire’s own', () => {
    const raw = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    expect(openaiChatUsage(raw)).toEqual({
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 4, reasoningTokens: 3 },
      reported: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        'prompt_tokens_details.cached_tokens': 4,
        'prompt_tokens_details.audio_tokens': 0,
        'completion_tokens_details.reasoning_tokens': 3,
      },
    });
  });

  it.each([
    ['what did not come stays unknown', { prompt_tokens: 1 }, { inputTokens: 1 }],
    ['nulls are unknown', { prompt_tokens: 1, completion_tokens: null, prompt_tokens_details: null }, { inputTokens: 1 }],
    ['zero is a figure', { completion_tokens: 0 }, { outputTokens: 0 }],
    ['the other name of cached tokens', { prompt_cache_hit_tokens: 7 }, { cachedInputTokens: 7 }],
    ['the usual name first', { prompt_cache_hit_tokens: 7, prompt_tokens_details: { cached_tokens: 0 } }, { cachedInputTokens: 0 }],
    ['figures that contradict each other pass', { prompt_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } }, { inputTokens: 1, cachedInputTokens: 9 }],
    ['text is no figure', { prompt_tokens: '3', total_tokens: 3 }, { totalTokens: 3 }],
    ['a figure nobody knows is only kept', { cost: 0.5 }, {}],
    ['details of details are left', { a: { b: { c: 1 } }, total_tokens: 1 }, { totalTokens: 1 }],
  ])('%s', (_name, raw, usage) => {
    expect(openaiChatUsage(raw)?.usage).toEqual(usage);
  });

  it.each([[{}], [null], ['x'], [5], [[1, 2]], [{ prompt_tokens_details: {} }]])('is nothing for %j', (raw) => {
    expect(openaiChatUsage(raw)).toBeUndefined();
  });
});
