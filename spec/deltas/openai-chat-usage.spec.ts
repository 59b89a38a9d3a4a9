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
    ['the name of cached tokens at Moonshot', { cached_tokens: 6 }, { cachedInputTokens: 6 }],
    ['the names of Anthropic behind a gateway', { cache_read_input_tokens: 5, cache_creation_input_tokens: 4 }, { cachedInputTokens: 5, cacheWriteTokens: 4 }],
    ['what was written to a cache', { prompt_tokens_details: { cache_write_tokens: 3 } }, { cacheWriteTokens: 3 }],
    ['the other names of that', { prompt_tokens_details: { cache_creation_tokens: 2 } }, { cacheWriteTokens: 2 }],
    ['and the longest', { prompt_tokens_details: { cache_creation_input_tokens: 1 } }, { cacheWriteTokens: 1 }],
    ['reasoning outside of the details', { reasoning_tokens: 8 }, { reasoningTokens: 8 }],
    [
      'reasoning on top of the output, as the total says',
      { prompt_tokens: 213, completion_tokens: 2, total_tokens: 413, completion_tokens_details: { reasoning_tokens: 198 } },
      { inputTokens: 213, outputTokens: 200, reasoningTokens: 198, totalTokens: 413 },
    ],
    [
      'reasoning in the output, as the total says',
      { prompt_tokens: 1, completion_tokens: 5, total_tokens: 6, completion_tokens_details: { reasoning_tokens: 4 } },
      { inputTokens: 1, outputTokens: 5, reasoningTokens: 4, totalTokens: 6 },
    ],
    [
      'more reasoning than output, where the total says nothing of it',
      { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, completion_tokens_details: { reasoning_tokens: 9 } },
      { inputTokens: 1, outputTokens: 2, reasoningTokens: 9, totalTokens: 3 },
    ],
    ['reasoning without a total', { completion_tokens: 2, reasoning_tokens: 9, prompt_tokens: 1 }, { inputTokens: 1, outputTokens: 2, reasoningTokens: 9 }],
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
