import { describe, expect, it } from '@jest/globals';
import { anthropicUsage } from '../../lib/deltas/anthropic-usage.ts';

describe('anthropicUsage', () => {
  it('counts what was read from the cache and written to it as input', () => {
    const raw = { input_tokens: 1, cache_read_input_tokens: 10, cache_creation_input_tokens: 100, output_tokens: 5 };
    expect(anthropicUsage()(raw, false)).toEqual({
      type: 'usage',
      usage: { inputTokens: 111, outputTokens: 5, cachedInputTokens: 10, cacheWriteTokens: 100 },
      reported: raw,
    });
  });

  it('keeps what a later part leaves out or sends as null, and replaces the rest', () => {
    const figures = anthropicUsage();
    expect(figures({ input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 1 }, true)?.usage).toEqual({
      inputTokens: 10,
      outputTokens: 1,
      cachedInputTokens: 3,
      partial: true,
    });
    const later = { input_tokens: null, cache_read_input_tokens: null, output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } };
    expect(figures(later, false)?.usage).toEqual({ inputTokens: 10, outputTokens: 9, cachedInputTokens: 3, reasoningTokens: 4 });
    expect(figures({ input_tokens: 2 }, false)?.usage.inputTokens).toBe(5);
  });

  it('knows no input where only the cache was counted', () => {
    expect(anthropicUsage()({ cache_read_input_tokens: 3 }, false)?.usage).toEqual({ cachedInputTokens: 3 });
  });

  it('reports every figure, nested ones by a dotted name, and no list', () => {
    const raw = { server_tool_use: { web_search_requests: 2, deep: { more: 1 } }, service_tier: 'standard', iterations: [{ input_tokens: 9 }], new_tokens: 0 };
    expect(anthropicUsage()(raw, false)).toEqual({ type: 'usage', usage: {}, reported: { 'server_tool_use.web_search_requests': 2, new_tokens: 0 } });
  });

  it('gives a report that later parts do not change', () => {
    const figures = anthropicUsage();
    const first = figures({ output_tokens: 1 }, true);
    figures({ output_tokens: 2 }, false);
    expect(first?.reported).toEqual({ output_tokens: 1 });
  });

  it.each([undefined, null, 'many', 7, [], [1], {}, { input_tokens: 'x' }, { cache_creation: null }])('finds no figure in %j', (raw) => {
    const figures = anthropicUsage();
    figures({ output_tokens: 1 }, true);
    expect(figures(raw, false)).toBeUndefined();
  });
});
