import { describe, expect, it } from '@jest/globals';
import { openaiChatOptions } from '../../lib/deltas/openai-chat-options.ts';
import type { ModelOptions } from '../../lib/model.ts';

function fields(options: ModelOptions, hasTools = true): { fields: Record<string, unknown>; lacks: string[] } {
  const lacks: string[] = [];
  return { fields: openaiChatOptions(options, 'max_tokens', hasTools, lacks), lacks };
}

describe('openaiChatOptions', () => {
  it.each<[options: ModelOptions, wire: object]>([
    [{}, {}],
    [{ temperature: 0 }, { temperature: 0 }],
    [{ topP: 0.5 }, { top_p: 0.5 }],
    [{ maxTokens: 9 }, { max_tokens: 9 }],
    [{ stop: ['a', 'b'] }, { stop: ['a', 'b'] }],
    [{ seed: 0 }, { seed: 0 }],
    [{ parallelCalls: false }, { parallel_tool_calls: false }],
    [{ reasoning: { effort: 'low' } }, { reasoning_effort: 'low' }],
    [{ reasoning: {} }, {}],
    [{ responseFormat: 'json' }, { response_format: { type: 'json_object' } }],
    [{ responseFormat: 'text' }, {}],
    [{ serviceTier: 'flex' }, { service_tier: 'flex' }],
    [{ cache: true }, {}],
  ])('writes %j', (options, wire) => {
    expect(fields(options)).toEqual({ fields: wire, lacks: [] });
  });

  it('says nothing of parallel calls where no tools are offered', () => {
    expect(fields({ parallelCalls: true }, false)).toEqual({ fields: {}, lacks: [] });
  });

  it('takes undefined for absent', () => {
    expect(fields({ temperature: undefined } as object)).toEqual({ fields: {}, lacks: [] });
  });

  it('names what the wire lacks', () => {
    expect(fields({ temperature: 1, reasoning: { budgetTokens: 9 } })).toEqual({ fields: { temperature: 1 }, lacks: ['reasoning.budgetTokens'] });
    expect(fields({ topK: 4, constructor: 5 } as object)).toEqual({ fields: {}, lacks: ['topK', 'constructor'] });
  });
});
