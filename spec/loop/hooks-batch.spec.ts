import { describe, it } from '@jest/globals';
import { concurrent, toolLoop } from '../../lib/index.ts';
import type { Hooks, Policy, ResultAnswer } from '../../lib/index.ts';
import { call } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// A hook's stop in the middle of a batch, by policy: `onStop` says what becomes of the calls that run, `toolCommit` what
// becomes of those that have ended.

const prompt = 'go';
const schedule = concurrent(8);
const three = [...call('add', {}, { index: 0, id: 'c0' }), ...call('mul', {}, { index: 1, id: 'd0' }), ...call('div', {}, { index: 2, id: 'e0' })];
const letters = { x: '0 call div', 3: '0 result div error' };
const stopAfter = (name: string, reason = name): Hooks => ({ afterTool: (one) => (one.name === name ? { type: 'stop', reason } : undefined) });

// prettier-ignore
describe('a stop in a batch, one tool after another', () => {
  it('by beforeTool: the call does not run, nor those behind it; those before it keep their results', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ---c----(y|)      ', { c: three });
    const add = tool('           --(1|)   ');
    const mul = tool('             (2|)   ', { name: 'mul' });
    const div = tool('             (3|)   ', { name: 'div' });
    const events = '     ---(cdx)y-(123L|)';
    const hooks: Hooks = { beforeTool: ({ name }) => (name === 'mul' ? { type: 'stop', reason: 'enough' } : undefined) };

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul, div], prompt, hooks })).toBe(events, letters)
      .having('1', { isError: false, output: '1' }).having('2', { isError: true, error: { kind: 'cancelled', message: 'Not executed: the run was stopped.' } }).having('3', { error: { kind: 'cancelled' } })
      .having('L', { reason: 'stopped', stopped: { reason: 'enough', callId: 'd0' }, messages: [{}, {}, { results: [{ isError: false }, { isError: true }, { isError: true }] }] });
    expectSubscriptions(mul).toBe([]);
    expectSubscriptions(div).toBe([]);
  }));

  it('by afterTool: its own result stays', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cd(y|)       ');
    const add = tool('      --(1|)   ');
    const mul = tool('      (2|)     ', { name: 'mul' });
    const events = '     -cdy-(12L|)';

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, hooks: stopAfter('add') })).toBe(events)
      .having('1', { isError: false }).having('2', { isError: true, error: { kind: 'cancelled' } }).having('L', { reason: 'stopped', stopped: { reason: 'add', callId: 'c0' } });
    expectSubscriptions(mul).toBe([]);
  }));
});

// prettier-ignore
describe('a stop in a batch whose calls run together', () => {
  it.each<[onStop: Policy['onStop'], toolCommit: Policy['toolCommit'], add: string, first: Record<string, unknown>, second: Record<string, unknown>]>([
    ['drain', 'each', '---^-------!', { isError: false, output: '1' }, { isError: false, output: '2' }],
    ['abort', 'each', '---^-----!', { isError: true, error: { kind: 'cancelled' } }, { isError: false, output: '2' }],
    ['drain', 'batch', '---^-------!', { isError: true, error: { kind: 'cancelled' }, output: undefined }, { isError: true, error: { kind: 'cancelled' } }],
    ['abort', 'batch', '---^-----!', { isError: true, error: { kind: 'cancelled' }, output: undefined }, { isError: true, error: { kind: 'cancelled' } }],
  ])('with onStop "%s" and toolCommit "%s"', (onStop, toolCommit, ran, first, second) => loopMarbles(({ turn, tool, script, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -cd(y|)           ');
    const add = tool('         --------(1|) ');
    const mul = tool('         ---(2|)      ', { name: 'mul' });
    const graceMs = time('         ---|      ');
    const drained = '       -cdy-------(12L|)';
    const aborted = '       -cdy-----(12L|)  ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, schedule, policy: { onStop, toolCommit }, timeouts: { graceMs }, hooks: stopAfter('mul') }))
      .toBe(onStop === 'drain' ? drained : aborted).having('1', first).having('2', second)
      .having('L', { reason: 'stopped', stopped: { callId: 'd0' } });
    expectSubscriptions(add).toBe(ran);
    expectSubscriptions(mul).toBe('---^--!');
  })());

  it('commits nothing with toolCommit "batch": each result says that the body may have run', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -cd(y|)               ');
    const add = tool('      --------(1|)     ');
    const mul = tool('      ---(2|)          ', { name: 'mul' });
    const tools = '      ---(ghij)--(12|)    ';
    const message = 'Not committed: the run was stopped before every call of the step had ended. The tool may have done its work.';

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, schedule, policy: { toolCommit: 'batch', onStop: 'drain' }, hooks: stopAfter('mul') }), null, { lane: 'tools' })
      .toBe(tools).having('1', { error: { kind: 'cancelled', message } }).having('2', { error: { kind: 'cancelled', message } });
  }));

  it('fires the signal with "abort" alone; with "drain" abort$ fires it still', loopMarbles(({ turn, tool, script, hot, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -cd(y|)           ');
    const add = tool('         ------------ ');
    const mul = tool('         ---(2|)      ', { name: 'mul' });
    const abort$ = hot('    --------x         ');
    const graceMs = time('          ---|     ');
    const events = '        -cdy-------(12L|) ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, schedule, policy: { onStop: 'drain' }, timeouts: { graceMs }, abort$, hooks: stopAfter('mul') })).toBe(events)
      .having('1', { error: { kind: 'cancelled' } }).having('2', { isError: false }).having('L', { reason: 'aborted', stopped: undefined });
    expectSubscriptions(add).toBe('---^-------!');
  }));

  it('reports the lowest call of two that stop, whichever came first', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -cd(y|)            ');
    const add = tool('      -----(1|)     ');
    const mul = tool('      ---(2|)       ', { name: 'mul' });
    const events = '     -cdy----(12L|)  ';
    const hooks: Hooks = { afterTool: ({ name }) => ({ type: 'stop', reason: `after ${name}` }) };

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, schedule, policy: { onStop: 'drain' }, hooks })).toBe(events)
      .having('L', { reason: 'stopped', stopped: { reason: 'after add', callId: 'c0' } });
  }));

  it('starts no call that the bound has kept waiting', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ---c----(y|)       ', { c: three });
    const add = tool('           ---(1|)   ');
    const mul = tool('           -----(2|) ', { name: 'mul' });
    const div = tool('           (3|)      ', { name: 'div' });
    const events = '     ---(cdx)y--1-(23L|)';

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul, div], prompt, schedule: concurrent(2), policy: { onStop: 'drain' }, hooks: stopAfter('add') })).toBe(events, letters)
      .having('2', { isError: false }).having('3', { isError: true, error: { kind: 'cancelled' } });
    expectSubscriptions(div).toBe([]);
  }));

  it('waits for what afterTool says of a call that is drained', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                -cd(y|)             ');
    const add = tool('                     ---(1|)        ');
    const mul = tool('                     --(2|)         ', { name: 'mul' });
    const asked = cold<ResultAnswer>('         ----(a|)    ', { a: { type: 'rewrite', content: 'one' } });
    const events = '                    -cdy------(12L|)    ';
    const hooks: Hooks = { afterTool: ({ name }) => (name === 'mul' ? { type: 'stop' } : asked) };

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, schedule, policy: { onStop: 'drain' }, timeouts: { graceMs: 0 }, hooks })).toBe(events).having('1', { content: [{ text: 'one' }] });
    expectSubscriptions(asked).toBe('------^---!');
  }));
});
