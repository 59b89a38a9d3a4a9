import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { ConfigError, toolLoop } from '../../lib/index.ts';
import type { Budget, Delta, Model, Usage } from '../../lib/index.ts';
import { call, script as played, text, usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const ten: Usage = { inputTokens: 7, outputTokens: 3 };
const u = usage(ten);
/** A dollar a token, so that sums can be read. */
const price = { input: 1_000_000, output: 1_000_000 };

// prettier-ignore
describe('maxCostUsd', () => {
  it('stops before the tools of the step that passes it, and closes its calls', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ---cu-(y|)            ', { u });
    const add = tool('         --(1|)         ');
    const turn2 = turn('           ---cu-(y|)  ', { u });
    const story = '      ---c--y-1--C--(Y3L|)   ';
    const model = { ...script(turn1, turn2), price };

    expectEvents(toolLoop({ model, tools: [add], prompt, budget: { maxCostUsd: 19 } })).toBe(story)
      .having('y', { costUsd: 10 }).having('Y', { costUsd: 20 })
      .having('3', { isError: true, elapsedMs: 0, error: { kind: 'cancelled', message: 'Not executed: the run has used up its budget.' } })
      .having('L', { reason: 'max-cost', usage: { inputTokens: 14, outputTokens: 6, costUsd: 20 }, steps: [{ usage: { costUsd: 10 } }, { usage: { costUsd: 10 } }], answer: undefined });
    expectSubscriptions(add).toBe('------^-!');
  }));

  it('goes on at exactly that, and returns an answer that is over it', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const model = { ...script(turn('-cu-(y|)', { u }), turn('-tu-(z|)', { u })), price };
    const add = tool('        -(1|)        ');
    const events = '     -c--y1T--(ZL|)    ';

    expectEvents(toolLoop({ model, tools: [add], prompt, budget: { maxCostUsd: 10 } })).toBe(events).having('L', { reason: 'answer', usage: { costUsd: 20 } });
  }));

  it('is a `BudgetError` right after the step-end with `budgetEnd: "error"`', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cu-(y|)', { u });
    const add = tool('       (1|)');
    const events = '     -c--(y#)';

    expectEvents(toolLoop({ model: { ...script(turn1), price }, tools: [add], prompt, budget: { maxCostUsd: 9 }, policy: { budgetEnd: 'error' } }))
      .toBe(events, {}, { code: 'budget', message: /has cost 10 US dollars, over budget.maxCostUsd 9/ });
    expectSubscriptions(add).toBe([]);
  }));

  it('prices what is read from a cache and written to one apart', loopMarbles(({ turn, script, expectEvents }) => {
    const cached = usage({ inputTokens: 100, cachedInputTokens: 60, cacheWriteTokens: 30, outputTokens: 5 });
    const model = { ...script(turn('-tu-(z|)', { u: cached })), price: { ...price, cachedInput: 100_000, cacheWrite: 2_000_000 } };

    // 10 plain, 60 tenths, 30 doubles, 5 of output.
    expectEvents(toolLoop({ model, prompt })).toBe('-t--(zL|)').having('z', { costUsd: 10 + 6 + 60 + 5 });
  }));

  it('estimates what the provider does not report at four characters a token, and says so', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -w-c-(y|) ', { w: text('eight ch'), c: call('add', '{"a":1}') });
    const events = '     -w-c-(y1L|)';

    // In: "go" and the tool as it is told; out: 8 + 3 + 7 characters. Half a token counts as one.
    expectEvents(toolLoop({ model: { ...script(turn1), price: { input: 0, output: 1_000_000 } }, tools: [tool('(1|)')], prompt, budget: { maxCostUsd: 4 } }))
      .toBe(events, { w: '0 text "eight ch"' }).having('y', { usage: { outputTokens: 5, costUsd: 5, partial: true } }).having('L', { reason: 'max-cost' });
  }));
});

// prettier-ignore
describe('contextLimit', () => {
  it('makes no further call once the last one used that share of the window', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cu-(y|)              ', { u: usage({ inputTokens: 79, outputTokens: 0 }) });
    const add = tool('       --(1|)           ');
    const turn2 = turn('         -cu-(y|)       ', { u: usage({ inputTokens: 70, outputTokens: 10 }) });
    const turn3 = turn('               (z|)     ');
    const events = '     -c--y-1C--Y-(3L|)      ';

    expectEvents(toolLoop({ model: { ...script(turn1, turn2, turn3), contextWindow: 100 }, tools: [add], prompt, budget: { contextLimit: 0.8 } })).toBe(events)
      .having('y', { context: { used: 79, window: 100 } }).having('Y', { context: { used: 80, window: 100 } })
      .having('L', { reason: 'context-full', messages: [{}, {}, {}, {}, { role: 'tool', results: [{ isError: false }] }] });
    expectSubscriptions(turn3).toBe([]);
  }));

  it('is a `BudgetError` with `budgetEnd: "error"`', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const model = { ...script(turn('-cu-(y|)', { u })), contextWindow: 10 };

    expectEvents(toolLoop({ model, tools: [tool('-(1|)')], prompt, preset: 'strict', budget: { contextLimit: 1 } }))
      .toBe('-c--y(1#)', {}, { code: 'budget', message: /used 1 of the context window, and budget.contextLimit is 1/ });
  }));

  it('returns an answer that is over it', loopMarbles(({ turn, script, expectEvents }) => {
    const model = { ...script(turn('-tu-(z|)', { u })), contextWindow: 10 };

    expectEvents(toolLoop({ model, prompt, budget: { contextLimit: 0.1 } })).toBe('-t--(zL|)').having('L', { reason: 'answer' });
  }));
});

// prettier-ignore
describe('repetition', () => {
  const ask = (a: number): readonly Delta[] => call('add', { a });

  it('ends the run after so many steps in a row with equal calls and results, ids aside', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)          ');
    const add = tool('      --(1|)       ');
    const turn2 = turn('        -c-(y|)   ');
    const turn3 = turn('             (z|) ');
    const events = '     -c-y-1C-Y-(3L|)';

    expectEvents(toolLoop({ model: script(turn1, turn2, turn3), tools: [add], prompt, budget: { repetition: 2 } })).toBe(events)
      .having('1', { callId: 'c0' }).having('3', { callId: 'c1', isError: false }).having('L', { reason: 'repetition' });
    expectSubscriptions(turn3).toBe([]);
  }));

  it('ends it after so many equal texts in a row', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(p|)      ');
    const turn2 = turn('    ----t-(p|)');
    const turn3 = turn('          (z|)');

    expectEvents(toolLoop({ model: script(turn1, turn2, turn3), prompt, budget: { repetition: 2 } })).toBe('-t-z---T-(ZL|)').having('L', { reason: 'repetition' });
    expectSubscriptions(turn3).toBe([]);
  }));

  it('is a `BudgetError` with `budgetEnd: "error"`', loopMarbles(({ script, expectEvents }) => {
    expectEvents(toolLoop({ model: script('-t-(p|)', '-t-(p|)'), prompt, preset: 'strict', budget: { repetition: 2 } })).toBe('-t-zT-(Z#)', {}, { code: 'budget', message: /last 2 steps were the same/ });
  }));

  it.each<[string, readonly Delta[]]>([
    ['other arguments', ask(2)],
    ['another name', call('mul', { a: 1 })],
  ])('takes %s for another step', (_what, second) => loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)              ', { c: ask(1) });
    const turn2 = turn('    ----c-(y|)        ', { c: second });
    const turn3 = turn('          ----t-(z|) ');
    const story = '      -c-(y1)C-(Y3)e-(nL|) ';
    const tools = [tool('(1|)'), tool('(1|)', { name: 'mul' })];

    expectEvents(toolLoop({ model: script(turn1, turn2, turn3), tools, prompt, budget: { repetition: 2 } })).toBe(story, { e: '2 text', n: '2 end stop' }).having('L', { reason: 'answer' });
  })());

  it('takes another result for another step', loopMarbles(({ turn, tool, script, expectEvents }) => {
    let count = 0;
    const add = tool('-(1|)');
    const counting = { ...add, run: () => of(++count) };
    const model = script(turn('-c-(y|)'), turn('----c-(y|)'), turn('----t-(z|)'));

    expectEvents(toolLoop({ model, tools: [counting], prompt, budget: { repetition: 2 } })).toBe('-c-(y1)C-(Y3)e-(nL|)', { e: '2 text', n: '2 end stop' }).having('L', { reason: 'answer' });
  }));

  it('counts anew after a step that is other', loopMarbles(({ turn, script, expectEvents }) => {
    const model = script('---t-(p|)', turn('---x-(p|)', { x: text('ho') }), '---t-(p|)', '---t-(z|)');
    const story = '---t-z--X-Z--e-n--o-(qL|)';

    expectEvents(toolLoop({ model, prompt, budget: { repetition: 2 } })).toBe(story, { X: '1 text "ho"', e: '2 text', n: '2 end pause', o: '3 text', q: '3 end stop' }).having('L', { reason: 'answer' });
  }));
});

// prettier-ignore
describe('maxToolCalls', () => {
  it('answers a call over it with an error and goes on', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cd(y|)           ');
    const add = tool('      -(1|)        ');
    const mul = tool('       (2|)        ', { name: 'mul' });
    const turn2 = turn('       ----t-(z|) ');
    const events = '     -cdy(12)T-(ZL|)  ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt, budget: { maxToolCalls: 1 } })).toBe(events)
      .having('1', { isError: false }).having('2', { isError: true, elapsedMs: 0, error: { message: 'Not executed: the run may call 1 tools, and has.' } })
      .having('L', { reason: 'answer' });
    expectSubscriptions(mul).toBe([]);
  }));

  it('counts the bodies of the whole run, and only bodies', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const bad = call('add', '[1]');
    const model = script(turn('-c-(y|)', { c: bad }), '----c-(y|)', '----c-(y|)', '----t-(z|)');
    const events = '-c-(y1)C-(Y3)e-(no)p-(qL|)';
    const later = { e: '2 call add', n: '2 end tool-use', o: '2 result add error', p: '3 text', q: '3 end stop' };

    expectEvents(toolLoop({ model, tools: [tool('(1|)')], prompt, budget: { maxToolCalls: 1 } })).toBe(events, later)
      .having('1', { isError: true, error: { kind: 'invalid-input' } }).having('3', { isError: false }).having('o', { isError: true });
  }));

  it('runs none with 0', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const add = tool('(1|)');

    expectEvents(toolLoop({ model: script(turn('-c-(y|)'), turn('----t-(z|)')), tools: [add], prompt, budget: { maxToolCalls: 0 } })).toBe('-c-(y1)T-(ZL|)').having('1', { isError: true });
    expectSubscriptions(add).toBe([]);
  }));
});

describe('a budget that cannot be measured', () => {
  const able: Model = { ...played(), contextWindow: 100, price };

  it.each<[string, Budget, Model | readonly Model[]]>([
    ['maxCostUsd', { maxCostUsd: 1 }, played()],
    ['contextLimit', { contextLimit: 0.5 }, played()],
    ['maxCostUsd', { maxCostUsd: 1 }, [able, played()]],
    ['contextLimit', { contextLimit: 0.5 }, [able, played()]],
  ])('is refused when the function is called: %s', (name, budget, model) => {
    expect(() => toolLoop({ model, prompt, budget })).toThrow(ConfigError);
    expect(() => toolLoop({ model, prompt, budget })).toThrow(new RegExp(`budget.${name} cannot be measured; give every model`));
  });

  it('is taken where every model can say', () => {
    expect(() => toolLoop({ model: [able, able], prompt, budget: { maxCostUsd: 1, contextLimit: 0.5 } })).not.toThrow();
  });
});
