import { describe, expect, it } from '@jest/globals';
import { anthropicSettings } from '../../lib/deltas/anthropic-settings.ts';
import type { ModelOptions, ToolChoice } from '../../lib/model.ts';

const ADAPTIVE = 'claude-sonnet-4-6';
const BUDGET = 'claude-haiku-4-5-20251001';

function settings(options: ModelOptions, model = ADAPTIVE, choice: ToolChoice = 'auto'): Record<string, unknown> {
  return { ...anthropicSettings(model, options, choice, 8_192).fields };
}

function lacking(options: ModelOptions, model = ADAPTIVE, choice: ToolChoice = 'auto'): string[] {
  return anthropicSettings(model, options, choice, 8_192).lacking.map(({ option }) => option);
}

describe('anthropicSettings', () => {
  it('says nothing but the bound on the answer, which the wire demands', () => {
    expect(anthropicSettings(ADAPTIVE, {}, 'auto', 100)).toEqual({ fields: { max_tokens: 100 }, lacking: [] });
    expect(settings({ maxTokens: 7 })).toEqual({ max_tokens: 7 });
  });

  it('says the options of sampling and service', () => {
    expect(settings({ temperature: 0, topP: 0.5, stop: ['a', 'b'], serviceTier: 'standard_only' })).toEqual({
      max_tokens: 8_192,
      temperature: 0,
      top_p: 0.5,
      stop_sequences: ['a', 'b'],
      service_tier: 'standard_only',
    });
    expect(settings({ stop: [], responseFormat: 'text', cache: true, parallelCalls: false })).toEqual({ max_tokens: 8_192 });
  });

  it('names the options that the wire does not have', () => {
    expect(lacking({ seed: 0, responseFormat: 'json', temperature: 1 })).toEqual(['seed', 'responseFormat']);
    expect(settings({ seed: 0, responseFormat: 'json' })).toEqual({ max_tokens: 8_192 });
    expect(lacking({ responseFormat: 'text', parallelCalls: true, cache: false })).toEqual([]);
  });

  it.each([
    ['claude-sonnet-4-6', true],
    ['claude-opus-4-7-20260101', true],
    ['claude-opus-4-10', true],
    ['claude-opus-5', true],
    ['claude-fable-5-1', true],
    ['anthropic/claude-sonnet-4.6', true],
    ['us.anthropic.claude-opus-4-6-v1', true],
    ['claude-mythos-preview', true],
    ['claude-opus-4-5-20251101', false],
    ['claude-sonnet-4-20250514', false],
    ['claude-opus-4@20250514', false],
    ['claude-3-7-sonnet-20250219', false],
    ['claude-3-5-haiku-latest', false],
    ['kimi-k2', false],
    ['glm-5', false],
  ])('tells %s the effort itself: %s', (model, isAdaptive) => {
    expect(settings({ reasoning: { effort: 'high' } }, model)).toEqual(
      isAdaptive
        ? { max_tokens: 8_192, thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }
        : { max_tokens: 16_384 + 8_192, thinking: { type: 'enabled', budget_tokens: 16_384 } },
    );
  });

  it.each([
    ['minimal', 'low', 1_024],
    ['low', 'low', 2_048],
    ['medium', 'medium', 8_192],
    ['high', 'high', 16_384],
  ] as const)('has a word and a budget for effort %s', (effort, word, budget) => {
    expect(settings({ reasoning: { effort } })['output_config']).toEqual({ effort: word });
    expect(settings({ reasoning: { effort } }, BUDGET)['thinking']).toEqual({ type: 'enabled', budget_tokens: budget });
  });

  it.each([
    ['claude-haiku-4-5', undefined],
    ['claude-opus-4-8', undefined],
    ['claude-opus-5', { type: 'disabled' }],
    ['glm-5', { type: 'disabled' }],
  ])('switches thinking off for %s as far as it is on', (model, thinking) => {
    expect(settings({ reasoning: { effort: 'none' } }, model)).toEqual({ max_tokens: 8_192, ...(thinking && { thinking }) });
    expect(lacking({ reasoning: { effort: 'none' }, temperature: 0 }, model, 'required')).toEqual([]);
  });

  it('says nothing for reasoning without an effort', () => {
    expect(settings({ reasoning: {} })).toEqual({ max_tokens: 8_192 });
  });

  it.each([
    [1_024, undefined, 8_192],
    [8_191, undefined, 8_192],
    [8_192, undefined, 16_384],
    [10_000, 2_000, 12_000],
    [2_000, 10_000, 10_000],
  ])('bounds an answer with a budget of %s and a bound of %s by %s', (budgetTokens, maxTokens, bound) => {
    const options = { reasoning: { budgetTokens }, ...(maxTokens !== undefined && { maxTokens }) };
    expect(settings(options)).toEqual({ max_tokens: bound, thinking: { type: 'enabled', budget_tokens: budgetTokens } });
  });

  it.each<[choice: ToolChoice, thinks: boolean]>([
    ['auto', true],
    ['none', true],
    ['required', false],
    [{ tool: 'f' }, false],
  ])('thinks beside the choice %j: %s', (choice, thinks) => {
    const reasoning = { budgetTokens: 10_000 };
    expect(settings({ reasoning }, BUDGET, choice)).toEqual({
      max_tokens: thinks ? 18_192 : 8_192,
      ...(thinks && { thinking: { type: 'enabled', budget_tokens: 10_000 } }),
    });
    expect(lacking({ reasoning, temperature: 0 }, BUDGET, choice)).toEqual(thinks ? ['temperature'] : ['reasoning']);
  });

  it('keeps the effort where thinking gives way', () => {
    expect(settings({ reasoning: { effort: 'low' } }, ADAPTIVE, 'required')).toEqual({ max_tokens: 8_192, output_config: { effort: 'low' } });
  });

  it('keeps of the sampling what a thinking model takes', () => {
    const reasoning = { effort: 'low' } as const;
    expect(settings({ reasoning, temperature: 1, topP: 0.95 })).toMatchObject({ temperature: 1, top_p: 0.95 });
    expect(lacking({ reasoning, temperature: 1, topP: 0.95 })).toEqual([]);
    expect(settings({ reasoning, temperature: 0, topP: 0.9 })).not.toHaveProperty('temperature');
    expect(settings({ reasoning, temperature: 0, topP: 0.9 })).not.toHaveProperty('top_p');
    expect(lacking({ reasoning, temperature: 0, topP: 0.9 })).toEqual(['temperature', 'topP']);
  });
});
