import { describe, it } from '@jest/globals';
import * as z from 'zod';
import { concurrent, sequential, toolLoop } from '../../lib/index.ts';
import type { ApprovalAnswer, ApprovalPort, Hooks } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// A call that is asked about before it runs, answered while the run lasts: `[` `{` requests, `]` `}` their answers.

const prompt = 'go';
const yes: ApprovalAnswer = { type: 'approve' };
const no: ApprovalAnswer = { type: 'decline', reason: 'Not today.' };
const numbers = z.object({ a: z.number(), b: z.number() });
const asks = { needsApproval: true } as const;
const asksMul = { ...asks, name: 'mul' } as const;

// prettier-ignore
describe('a call that needs an approval', () => {
  it('waits for it, and runs when it is approved', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                   -c-(y|)             ');
    const answer = cold<ApprovalAnswer>('     ---(a|)       ', { a: yes });
    const add = tool('                           --(1|)      ', asks);
    const turn2 = turn('                           --t-(z|)  ');
    const events = '                       -c-y----1-T-(ZL|) ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, approvals: () => answer })).toBe(events).having('1', { elapsedMs: 2, isError: false });
    expectSubscriptions(answer).toBe('---^--!');
    expectSubscriptions(add).toBe('   ------^-!');
  }));

  it('has its request, its answer, and then its start, in this order', loopMarbles(({ turn, tool, script, cold, expectEvents }) => {
    const turn1 = turn('                   -c(y|)                  ');
    const answer = cold<ApprovalAnswer>('    ------(a|)         ', { a: yes });
    const add = tool('                             -------(1|)     ', asks);
    const turn2 = turn('                                   -----(z|)');
    const tools = '                       --(g[)--(]i)---(m1)-|   ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, approvals: () => answer }), null, { lane: 'tools' }).toBe(tools)
      .having('[', { kind: 'approval', callId: 'c0', call: { name: 'add', arguments: { a: 1, b: 2 } }, schema: { type: 'object' }, step: 0, reason: undefined }).having(']', { answer: yes, kind: 'approval' });
  }));

  it('never runs when it is declined: the model reads why, and the run goes on', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                   -c-(y|)           ');
    const answer = cold<ApprovalAnswer>('     --(a|)      ', { a: no });
    const add = tool('                          (1|)       ', asks);
    const turn2 = turn('                        --t-(z|)   ');
    const events = '                       -c-y-1-T-(ZL|)  ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, approvals: () => answer })).toBe(events)
      .having('1', { isError: true, error: { kind: 'refused', message: 'Not today.' }, elapsedMs: 0 });
    expectSubscriptions(add).toBe([]);
  }));

  it('runs with the arguments that the answer gives; the model\'s own stay in the transcript', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-----(y|)            ');
    const add = tool('             ------(1|)  ', { ...asks, input: numbers });
    const tools = '      -------(g[]i)(m1|)   ';
    const call = { arguments: { a: 5, b: 6 } };

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, budget: { maxSteps: 1 }, approvals: () => ({ type: 'approve', ...call }) }), null, { lane: 'tools' }).toBe(tools)
      .having('g', { call: { arguments: { a: 1, b: 2 } } }).having('i', { call }).having('m', { call }).having('1', { call, isError: false });
  }));

  it('fails the run where the arguments of the answer do not fit: the tool does not run', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-----(y|)   ');
    const add = tool('         (1|)   ', { ...asks, input: numbers });
    const tools = '      -------(g[]#)';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, approvals: () => ({ type: 'approve', arguments: { a: 5 } }) }), null, { lane: 'tools' })
      .toBe(tools, {}, { code: 'approval', message: /^The answer to request ".*" \(approval, call "c0" of tool "add"\) has arguments that do not fit: Invalid arguments for tool "add": b: / });
    expectSubscriptions(add).toBe([]);
  }));

  it('is not asked about where its arguments do not fit, or where the tool sees no need', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cd(y|)          ');
    const add = tool('      (1|)        ', { ...asks, input: z.object({ a: z.string() }) });
    const mul = tool('      ----(2|)    ', { name: 'mul', needsApproval: ({ a }: { a: number }) => a > 9 });
    const events = '     -cd(y1)(2L|)   ';
    const approvals: ApprovalPort = () => { throw new Error('Nobody is asked.'); };

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, budget: { maxSteps: 1 }, approvals })).toBe(events).having('1', { error: { kind: 'invalid-input' } }).having('2', { isError: false });
    expectSubscriptions(mul).toBe('---^---!');
  }));

  it('is asked about where the tool cannot say whether it needs one', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)    ');
    const events = '     -c-(y1L|)  ';
    const needsApproval = (): never => { throw new Error('Do not know.'); };

    expectEvents(toolLoop({ model: script(turn1), tools: [tool('(1|)', { needsApproval })], prompt, budget: { maxSteps: 1 }, approvals: () => no })).toBe(events).having('1', { error: { kind: 'refused' } });
  }));
});

// prettier-ignore
describe('a hook before a call', () => {
  const ask: Hooks = { beforeTool: () => ({ type: 'ask', reason: 'Is it safe?' }) };

  it('asks at the turn of the call, with its reason', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                   -cd(y|)                      ');
    const add = tool('                        --------(1|)            ');
    const answer = cold<ApprovalAnswer>('             -----(a|)      ', { a: yes });
    const mul = tool('                                     -----(2|)  ', { name: 'mul' });
    const tools = '                       ---(ghi)---(m1{)(}j)-(n2|)   ';
    const hooks: Hooks = { beforeTool: ({ name }) => (name === 'mul' ? { type: 'ask', reason: 'Is it safe?' } : undefined) };

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, budget: { maxSteps: 1 }, hooks, approvals: () => answer }), null, { lane: 'tools' })
      .toBe(tools).having('{', { kind: 'approval', reason: 'Is it safe?' });
    expectSubscriptions(answer).toBe('-----------^----!');
  }));

  it('asks again about what was approved before it was rewritten', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-----(y|)                ');
    const add = tool('             ---------(1|)   ', asks);
    const tools = '      -------(g[][]i)-(m1|)    ';
    const hooks: Hooks[] = [{ beforeTool: () => ({ type: 'rewrite', arguments: { a: 9 } }) }, ask];

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, budget: { maxSteps: 1 }, hooks, approvals: () => yes }), null, { lane: 'tools' }).toBe(tools).having('i', { call: { arguments: { a: 9 } } });
  }));

  it('does not ask again about what was approved as it is', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-----(y|)              ');
    const add = tool('             ------(1|)    ', asks);
    const tools = '      -------(g[]i)(m1|)     ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, budget: { maxSteps: 1 }, hooks: ask, approvals: () => yes }), null, { lane: 'tools' }).toBe(tools);
  }));

  it('that blocks overrules one that asks: nobody is asked', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-----(y|)  ');
    const tools = '      -------(g1|) ';
    const hooks: Hooks[] = [ask, { beforeTool: () => ({ type: 'block', reason: 'Never.' }) }];

    expectEvents(toolLoop({ model: script(turn1), tools: [tool('(1|)')], prompt, budget: { maxSteps: 1 }, hooks, approvals: () => yes }), null, { lane: 'tools' }).toBe(tools).having('1', { error: { kind: 'refused', message: 'Never.' } });
  }));
});

// prettier-ignore
describe('several requests at once', () => {
  it('are made together, in call order, and answered in any', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                   -cd(y|)                                ');
    const slow = cold<ApprovalAnswer>('         --------------(a|)           ', { a: yes });
    const fast = cold<ApprovalAnswer>('         --------(a|)                 ', { a: yes });
    const add = tool('                                       ------(1|)         ', asks);
    const mul = tool('                                             -----(2|)    ', asksMul);
    const tools = '                       ---(gh[{)--}-----(]i)--(m1j)(n2|)     ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, budget: { maxSteps: 1 }, schedule: sequential, approvals: ({ call }) => (call.name === 'add' ? slow : fast) }), null, { lane: 'tools' }).toBe(tools);
    expectSubscriptions(slow).toBe('---^-------------!');
    expectSubscriptions(fast).toBe('---^-------!');
    expectSubscriptions(add).toBe(' -----------------^-----!');
    expectSubscriptions(mul).toBe(' -----------------------^----!');
  }));

  it('hold their own calls alone where the schedule lets calls run together', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                   -cd(y|)                             ');
    const slow = cold<ApprovalAnswer>('         --------------(a|)        ', { a: yes });
    const fast = cold<ApprovalAnswer>('         --------(a|)              ', { a: yes });
    const add = tool('                                       ------(1|)      ', asks);
    const mul = tool('                                 ----(2|)              ', asksMul);
    const tools = '                       ---(gh[{)--(}j)--(]i)--(m1n2|)     ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, budget: { maxSteps: 1 }, schedule: concurrent(2), approvals: ({ call }) => (call.name === 'add' ? slow : fast) }), null, { lane: 'tools' }).toBe(tools);
    expectSubscriptions(mul).toBe('-----------^---!');
    expectSubscriptions(add).toBe('-----------------^-----!');
  }));

  it('let the calls before them run: an open one holds only what the schedule puts behind it', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                   -cd(y|)                    ');
    const add = tool('                        ------(1|)            ');
    const answer = cold<ApprovalAnswer>('       -----------(a|)    ', { a: no });
    const mul = tool('                        (2|)                  ', asksMul);
    const tools = '                       ---(gh{i)(m1)-(}2|)        ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, budget: { maxSteps: 1 }, schedule: sequential, approvals: () => answer }), null, { lane: 'tools' }).toBe(tools);
    expectSubscriptions(add).toBe('---^-----!');
    expectSubscriptions(mul).toBe([]);
  }));
});
