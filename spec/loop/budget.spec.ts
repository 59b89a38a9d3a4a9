import { describe, expect, it } from '@jest/globals';
import { characters, estimatedUsage, mayCall, overheadCharacters, tokensOver } from '../../lib/loop/budget.ts';
import { toolCall, userMessage } from '../../lib/message.ts';

const budget = { maxSteps: 2, maxTotalTokens: 25 };

describe('mayCall', () => {
  it('allows exactly maxSteps calls', () => {
    expect([0, 1, 2, 3].map((calls) => mayCall(calls, budget))).toEqual([true, true, false, false]);
    expect(mayCall(0, { ...budget, maxSteps: 0 })).toBe(false);
  });
});

describe('tokensOver', () => {
  it.each([
    ['nothing known', undefined, undefined],
    ['an unknown total', { inputTokens: 100 }, undefined],
    ['exactly the limit', { totalTokens: 25 }, undefined],
    ['more', { totalTokens: 26 }, 26],
    ['input and output together', { inputTokens: 20, outputTokens: 6 }, 26],
    ['the reported total before its parts', { inputTokens: 90, outputTokens: 6, totalTokens: 25 }, undefined],
  ])('judges %s', (_name, usage, over) => {
    expect(tokensOver(usage, budget)).toBe(over);
  });

  it('never binds without a limit', () => {
    expect(tokensOver({ totalTokens: 1e9 }, { ...budget, maxTotalTokens: Infinity })).toBeUndefined();
  });
});

describe('estimatedUsage', () => {
  const parts = [{ type: 'text', text: 'x'.repeat(41) }] as const;

  it('leaves a reported total alone', () => {
    const usage = { totalTokens: 5 };
    expect(estimatedUsage({ parts, usage }, 400)).toBe(usage);
  });

  it('counts four characters a token for what was not reported, and flags it', () => {
    expect(estimatedUsage({ parts, usage: undefined }, 400)).toEqual({ inputTokens: 100, outputTokens: 11, partial: true });
    expect(estimatedUsage({ parts, usage: { inputTokens: 7 } }, 400)).toEqual({ inputTokens: 7, outputTokens: 11, partial: true });
  });
});

describe('characters', () => {
  it('counts what a provider would be sent', () => {
    expect(characters(userMessage('four'))).toBe(4);
    expect(characters({ role: 'assistant', content: [{ type: 'text', text: 'ab' }, { type: 'reasoning', text: 'c' }, { type: 'tool-call', call: toolCall('i', 'add', '{"a":1}') }] })).toBe(2 + 1 + 3 + 7);
    expect(characters({ role: 'assistant', content: [{ type: 'tool-call', call: { id: 'i', name: 'add', arguments: { a: 1 } } }] })).toBe(3 + 7);
    expect(characters({ role: 'tool', results: [{ callId: 'i', name: 'add', content: [{ type: 'text', text: '12345' }], isError: false }] })).toBe(5);
  });

  it('counts what every request repeats', () => {
    expect(overheadCharacters({ system: 'abc', tools: [] })).toBe(3);
    const tools = [{ name: 'add', description: '', parameters: {} }];
    expect(overheadCharacters({ system: undefined, tools })).toBe(JSON.stringify(tools).length);
  });
});
