import { describe, expect, it } from '@jest/globals';
import {
  beforeStep, beforeTools, characters, estimatedUsage, isReserved, mayCall, nearlySpent, needsEstimates, overheadCharacters,
} from '../../lib/loop/budget.ts';
import type { Limits, Used } from '../../lib/loop/budget.ts';
import { NO_REPEATS } from '../../lib/loop/repetition.ts';
import { toolCall, userMessage } from '../../lib/message.ts';
import type { Usage } from '../../lib/usage.ts';

const unbound: Limits = {
  maxSteps: Infinity, maxTotalTokens: Infinity, maxCostUsd: Infinity, contextLimit: Infinity, repetition: Infinity,
  maxDurationMs: Infinity, maxToolCalls: Infinity, warnAt: Infinity,
};
const budget: Limits = { ...unbound, maxSteps: 2, maxTotalTokens: 25 };
const nothing: Used = { calls: 0, usage: undefined, context: undefined, repeats: NO_REPEATS };
const same = (count: number): Used => ({ ...nothing, repeats: { text: { key: 'x', count }, calls: { key: '', count: 0 } } });

describe('mayCall', () => {
  it('allows exactly maxSteps calls', () => {
    expect([0, 1, 2, 3].map((calls) => mayCall(calls, budget))).toEqual([true, true, false, false]);
    expect(mayCall(0, { ...budget, maxSteps: 0 })).toBe(false);
  });
});

describe('isReserved', () => {
  it('is the last permitted call, where it is to answer', () => {
    expect([0, 1, 2].map((calls) => isReserved(calls, { ...budget, lastStep: 'answer' }))).toEqual([false, true, false]);
    expect([0, 1, 2].map((calls) => isReserved(calls, budget))).toEqual([false, false, false]);
  });

  it('is no call where none is the last, or none is permitted', () => {
    expect(isReserved(9, { ...unbound, lastStep: 'answer' })).toBe(false);
    expect(isReserved(0, { ...unbound, maxSteps: 0, lastStep: 'answer' })).toBe(false);
  });
});

describe('beforeStep', () => {
  it.each<[string, Used, Partial<Limits>, object | undefined]>([
    ['nothing used', nothing, {}, undefined],
    ['calls left', { ...nothing, calls: 1 }, { maxSteps: 2 }, undefined],
    ['no call left', { ...nothing, calls: 2 }, { maxSteps: 2 }, { budget: 'max-steps', limit: 2, used: 2 }],
    ['no call at all', nothing, { maxSteps: 0 }, { budget: 'max-steps', limit: 0, used: 0 }],
    ['an unknown context', nothing, { contextLimit: 0.5 }, undefined],
    ['a context below its limit', { ...nothing, context: 0.499 }, { contextLimit: 0.5 }, undefined],
    ['a context at its limit', { ...nothing, context: 0.5 }, { contextLimit: 0.5 }, { budget: 'context-full', limit: 0.5, used: 0.5 }],
    ['fewer equal steps', same(2), { repetition: 3 }, undefined],
    ['equal steps', same(3), { repetition: 3 }, { budget: 'repetition', limit: 3, used: 3 }],
    ['equal calls', { ...nothing, repeats: { text: { key: '', count: 0 }, calls: { key: 'x', count: 2 } } }, { repetition: 2 }, { budget: 'repetition', used: 2 }],
    ['tokens and cost, which are checked elsewhere', { ...nothing, usage: { totalTokens: 99, costUsd: 9 } }, { maxTotalTokens: 1, maxCostUsd: 1 }, undefined],
  ])('judges %s', (_name, used, limits, excess) => {
    const judged = beforeStep(used, { ...unbound, ...limits });
    if (excess === undefined) expect(judged).toBeUndefined();
    else expect(judged).toMatchObject(excess);
  });

  it('names the calls first, then the context', () => {
    const used = { ...same(5), calls: 5, context: 1 };
    expect(beforeStep(used, { ...unbound, maxSteps: 5, contextLimit: 1, repetition: 5 })?.budget).toBe('max-steps');
    expect(beforeStep(used, { ...unbound, contextLimit: 1, repetition: 5 })?.budget).toBe('context-full');
  });
});

describe('beforeTools', () => {
  const limits: Limits = { ...unbound, maxTotalTokens: 25, maxCostUsd: 0.5 };

  it.each<[string, Usage | undefined, object | undefined]>([
    ['nothing known', undefined, undefined],
    ['an unknown total', { inputTokens: 100 }, undefined],
    ['exactly the limit', { totalTokens: 25, costUsd: 0.5 }, undefined],
    ['more tokens', { totalTokens: 26 }, { budget: 'max-tokens', limit: 25, used: 26 }],
    ['input and output together', { inputTokens: 20, outputTokens: 6 }, { budget: 'max-tokens', limit: 25, used: 26 }],
    ['the reported total before its parts', { inputTokens: 90, outputTokens: 6, totalTokens: 25 }, undefined],
    ['a higher cost', { costUsd: 0.51 }, { budget: 'max-cost', limit: 0.5, used: 0.51 }],
    ['both, tokens first', { totalTokens: 26, costUsd: 0.51 }, { budget: 'max-tokens', limit: 25, used: 26 }],
  ])('judges %s', (_name, usage, excess) => {
    expect(beforeTools(usage, limits)).toEqual(excess);
  });

  it('never binds without a limit', () => {
    expect(beforeTools({ totalTokens: 1e9, costUsd: 1e9 }, unbound)).toBeUndefined();
  });
});

describe('nearlySpent', () => {
  const used: Used = { ...nothing, calls: 8, usage: { totalTokens: 80, costUsd: 0.4 }, context: 0.4 };
  const limits: Limits = { ...unbound, maxSteps: 10, maxTotalTokens: 100, maxCostUsd: 0.5, contextLimit: 0.5 };

  it('names every budget of which the share is used, with its figures', () => {
    expect(nearlySpent(used, 4, { ...limits, maxToolCalls: 5, repetition: 3, warnAt: 0.8 })).toEqual([
      { name: 'maxSteps', text: 'budget.maxSteps: 8 of 10 used.' },
      { name: 'maxTotalTokens', text: 'budget.maxTotalTokens: 80 of 100 used.' },
      { name: 'maxCostUsd', text: 'budget.maxCostUsd: 0.4 of 0.5 used.' },
      { name: 'contextLimit', text: 'budget.contextLimit: 0.4 of 0.5 used.' },
      { name: 'maxToolCalls', text: 'budget.maxToolCalls: 4 of 5 used.' },
    ]);
  });

  it('names none below the share, nor without one', () => {
    expect(nearlySpent(used, 4, { ...limits, warnAt: 0.81 })).toEqual([]);
    expect(nearlySpent(used, 4, limits)).toEqual([]);
    expect(nearlySpent(same(2), 0, { ...unbound, repetition: 4, warnAt: 0.5 })).toMatchObject([{ name: 'repetition' }]);
  });

  it('names no budget that does not bind, nor one of nothing', () => {
    expect(nearlySpent(used, 4, { ...unbound, warnAt: 0 })).toEqual([]);
    expect(nearlySpent(nothing, 0, { ...unbound, maxCostUsd: 0, warnAt: 0.5 })).toEqual([]);
  });
});

describe('needsEstimates', () => {
  it('is where tokens or their cost are limited', () => {
    expect(needsEstimates(unbound)).toBe(false);
    expect(needsEstimates({ ...unbound, maxSteps: 1, contextLimit: 0.5 })).toBe(false);
    expect(needsEstimates({ ...unbound, maxTotalTokens: 1 })).toBe(true);
    expect(needsEstimates({ ...unbound, maxCostUsd: 1 })).toBe(true);
  });
});

describe('estimatedUsage', () => {
  const parts = [{ type: 'text', text: 'x'.repeat(41) }] as const;
  const tokensOnly = { maxCostUsd: Infinity };

  it('leaves a reported total alone, and writes one out that follows from the counts', () => {
    const usage = { totalTokens: 5 };
    expect(estimatedUsage({ parts, usage }, 400, tokensOnly)).toBe(usage);
    expect(estimatedUsage({ parts, usage: { inputTokens: 3, outputTokens: 4 } }, 400, tokensOnly)).toEqual({ inputTokens: 3, outputTokens: 4, totalTokens: 7 });
  });

  it('counts four characters a token for what was not reported, and flags it', () => {
    const estimated = { inputTokens: 100, outputTokens: 11, totalTokens: 111, partial: true };
    expect(estimatedUsage({ parts, usage: undefined }, 400, tokensOnly)).toEqual(estimated);
    expect(estimatedUsage({ parts, usage: { inputTokens: 7 } }, 400, tokensOnly)).toEqual({ ...estimated, inputTokens: 7, totalTokens: 18 });
  });

  it('counts where money is counted, even beside a reported total', () => {
    expect(estimatedUsage({ parts, usage: { totalTokens: 5 } }, 400, { maxCostUsd: 1 })).toEqual({ inputTokens: 100, outputTokens: 11, totalTokens: 5, partial: true });
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
