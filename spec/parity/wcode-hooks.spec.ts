import { describe, it } from '@jest/globals';
import { toolLoop } from '../../lib/index.ts';
import type { HookContext, Hooks } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// The second engine: its hooks, with the default preset. See wcode.spec.ts.

const prompt = 'go';
const once = { prompt, budget: { maxSteps: 1 } } as const;
const never = (): never => {
  throw new Error('It is asked.');
};

// prettier-ignore
describe('wcode: hooks', () => {
  it.each<[first: string, answer: Exclude<ReturnType<NonNullable<Hooks['beforeTool']>>, void>, error: string, reason: string]>([
    ['blocks', { type: 'block', reason: 'Not that.' }, 'refused', 'max-steps'],
    ['stops', { type: 'stop' }, 'cancelled', 'stopped'],
  ])('asks none after the first that %s [85]', (_first, answer, error, reason) => loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)  ');
    const add = tool('      (1|) ');
    const events = '     -c-(y1L|)';

    expectEvents(toolLoop({ ...once, model: script(turn1), tools: [add], hooks: [{ beforeTool: () => answer }, { beforeTool: never }] })).toBe(events)
      .having('1', { isError: true, error: { kind: error } }).having('L', { reason });
    expectSubscriptions(add).toBe([]);
  })());

  it('chains rewrites of arguments: the last runs, the model\'s own is told as asked [86]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)        ');
    const add = tool('      ----(1|)   ');
    const tools = '      ---(gi)(m1|)   ';
    const more = (key: string): Hooks => ({ beforeTool: ({ arguments: args }) => ({ type: 'rewrite', arguments: { ...(args as object), [key]: 9 } }) });

    expectEvents(toolLoop({ ...once, model: script(turn1), tools: [add], hooks: [more('x'), more('b')] }), null, { lane: 'tools' }).toBe(tools)
      .having('g', { call: { arguments: { a: 1, b: 2 } } }).having('i', { call: { arguments: { a: 1, b: 9, x: 9 } } });
  }));

  it('changes what the model sees of a result, and whether it is an error; not what came of it [88]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)    ');
    const add = tool('      --(1|)  ');
    const events = '     -c-y-(1L|) ';

    expectEvents(toolLoop({ ...once, model: script(turn1), tools: [add], hooks: { afterTool: () => ({ type: 'rewrite', content: 'Not enough.', isError: true }) } })).toBe(events)
      .having('1', { content: [{ text: 'Not enough.' }], isError: true, output: '1', error: undefined })
      .having('L', { messages: [{}, {}, { results: [{ content: [{ text: 'Not enough.' }], output: '1' }] }] });
  }));

  it('stops after a turn without tools as after any [98]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(z|) ');
    const events = '     -t-(zL|)';
    const hooks: Hooks = { afterStep: (_step, { step }: HookContext) => ({ type: 'stop', reason: `after ${step}` }) };

    expectEvents(toolLoop({ model: script(turn1), prompt, hooks })).toBe(events).having('L', { reason: 'stopped', stopped: { reason: 'after 0' }, answer: { content: [{ text: 'hi' }] } });
    expectSubscriptions(turn1).toBe('^--!');
  }));
});
