import { describe, it } from '@jest/globals';
import { concurrent, errorAsDone, toolLoop } from '../../lib/index.ts';
import type { ApprovalAnswer, Hooks, ToolAnswer } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// The numbers of docs/semantics.md from 11 on. hooks-*.spec.ts say all of 11, approvals*.spec.ts all of 12, hooks-batch.spec.ts all of 13.

const prompt = 'go';
const yes: ApprovalAnswer = { type: 'approve' };

// prettier-ignore
describe('11: hooks decide, one after another', () => {
  it('holds what a hook decides about, and nothing else', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('             -c-(y|)          ');
    const asked = cold<ToolAnswer>('    ---(a|)       ', { a: { type: 'run' } });
    const add = tool('                     --(1|)   ');
    const events = '                 -c-y----(1L|)    ';
    const hooks: Hooks[] = [{ beforeTool: () => asked }, { afterTool: () => ({ type: 'stop' }) }];

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, hooks })).toBe(events).having('L', { reason: 'stopped' });
    expectSubscriptions(asked).toBe('---^--!');
    expectSubscriptions(add).toBe('  ------^-!');
  }));

  it('ends with code "hook" for one that throws, and the messages are closed', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)  ');
    const events = '     -c-(yL|) ';
    const hooks: Hooks = { beforeTool() { throw new Error('No database.'); } };

    expectEvents(toolLoop({ model: script(turn1), tools: [tool('(1|)')], prompt, hooks }).pipe(errorAsDone())).toBe(events)
      .having('L', { error: { code: 'hook' }, messages: [{}, { role: 'assistant' }, { role: 'tool', results: [{ isError: true, error: { kind: 'cancelled' } }] }] });
  }));
});

// prettier-ignore
describe('12: a request holds its call alone', () => {
  it('lets the others run, and gives the results in call order', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('               -cd(y|)             ');
    const slow = cold<ApprovalAnswer>('   ------(a|)       ', { a: yes });
    const fast = cold<ApprovalAnswer>('   --(a|)           ', { a: yes });
    const add = tool('                          --(1|)   ', { needsApproval: true });
    const mul = tool('                      ---(2|)      ', { name: 'mul', needsApproval: true });
    const events = '                   -cdy-------(12L|)   ';
    const approvals = ({ call }: { readonly call: { readonly name: string } }) => (call.name === 'add' ? slow : fast);

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, budget: { maxSteps: 1 }, schedule: concurrent(2), approvals })).toBe(events);
    expectSubscriptions(mul).toBe('-----^--!');
    expectSubscriptions(add).toBe('---------^-!');
  }));
});

// prettier-ignore
describe('13: a batch that is stopped is closed', () => {
  it('waits for what runs with "drain", and commits nothing with "batch"', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cd(y|)         ');
    const add = tool('      ------(1|) ');
    const mul = tool('      --(2|)     ', { name: 'mul' });
    const events = '     -cdy-----(12L|) ';
    const hooks: Hooks = { afterTool: ({ name }) => (name === 'mul' ? { type: 'stop' } : undefined) };

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, schedule: concurrent(2), preset: 'atomic', hooks })).toBe(events)
      .having('1', { isError: true, error: { kind: 'cancelled' } }).having('2', { isError: true }).having('L', { reason: 'stopped', stopped: { callId: 'd0' } });
    expectSubscriptions(add).toBe('---^-----!');
  }));
});
