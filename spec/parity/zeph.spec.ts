import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { ModelError, ToolError, toolLoop, userMessage } from '../../lib/index.ts';
import type { Delta, EventOf } from '../../lib/index.ts';
import { call, fakeTool, finish, script as played } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { play } from '../support/play.ts';

// The behaviours of the fourth engine, with the preset `hosted`: here the run and its tools. What it tells its host is in
// zeph-loopback.spec.ts, zeph-ag-ui.spec.ts and zeph-ui-messages.spec.ts.

const prompt = 'go';
const asked = userMessage(prompt);
const preset = 'hosted';
/** Calls without arguments, by the names of their tools, which are their ids as well. */
const calls = (...names: string[]): readonly Delta[] => names.flatMap((name, index) => call(name, {}, { index, id: name }));
const letters = { α: '0 call first', β: '0 call second', γ: '0 call third', 1: '0 result first', 2: '0 result second error', 3: '0 result third', 9: '0 result first error' };

// prettier-ignore
describe('zeph: tools', () => {
  it('called with ids that are empty, or come twice, get one of their own each [33]', () => {
    const twice = [...call('add', {}, { index: 0, id: '' }), ...call('add', {}, { index: 1, id: 'x' }), ...call('add', {}, { index: 2, id: 'x' })];
    const model = played(of(...twice, finish('tool-use')), of(finish('stop')));
    const { events } = play(toolLoop({ model, tools: [fakeTool(of(1))], prompt, preset, ids: (kind) => `own ${kind}` }));
    expect((events.at(-1) as EventOf<'done'>).outcome.messages).toMatchObject([asked, {}, { results: [{ callId: 'own call' }, { callId: 'x' }, { callId: 'own call-2' }] }]);
  });

  it('that do not exist, or throw, are results, and the run goes on [56, 62]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-d-(y|)               ');
    const mul = tool('        ------#           ', { name: 'mul' });
    const turn2 = turn('            ----t-(z|)  ');
    const events = '     -c-d-(y1)--2---T-(ZL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [mul], prompt, preset })).toBe(events)
      .having('1', { isError: true, error: { kind: 'not-found' } }).having('2', { isError: true, error: { kind: 'other' } });
  }));

  it('overlap, give their results in call order, and one that fails blocks no other [71, 72, 74]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -----p----(y|)                     ', { p: calls('first', 'second', 'third') });
    const first = tool('          ------(1|)                ', { name: 'first' });
    const second = tool('         --#                       ', { name: 'second' });
    const third = tool('          ----(1|)                  ', { name: 'third' });
    const turn2 = turn('                ------t-(z|)        ');
    const events = '     -----(αβγ)y-----(123)-T-(ZL|)      ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [first, second, third], prompt, preset })).toBe(events, letters);
    expectSubscriptions(first).toBe(' ----------^-----!');
    expectSubscriptions(second).toBe('----------^-!    ');
    expectSubscriptions(third).toBe(' ----------^---!  ');
  }));

  it('that need what another gives wait for it, and do not run where it failed [77]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const needs = [...call('first', {}, { index: 0, id: 'f' }), ...call('second', { of: 'f' }, { index: 1, id: 's' })];
    const turn1 = turn(' -----p----(y|)             ', { p: needs });
    const first = tool('          --#               ', { name: 'first' });
    const second = tool('           --(1|)          ', { name: 'second' });
    const turn2 = turn('            ------t-(z|)    ');
    const events = '     -----(αβ)-y-(92)--T-(ZL|)  ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [first, second], prompt, preset })).toBe(events, letters)
      .having('2', { error: { kind: 'cancelled', message: 'Not executed: it needs the call "f" of tool "first", which failed.' } });
    expectSubscriptions(second).toBe([]);
  }));

  it('that fail for now run again where they allow it, within their count and time [67]', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)                   ');
    const body1 = cold('    --#                    ', {}, new ToolError('rate-limited', 'Busy.'));
    const body2 = cold('      ----(1|)             ');
    const turn2 = turn('          ---t-(z|)        ');
    const host = '       -----w---e--------|       ';
    const bodies = [body1, body2];
    const add = { ...tool('-|'), retry: { count: 1, initialDelayMs: 4 }, run: () => bodies.shift() };

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, preset }), null, { lane: 'host' }).toBe(host, { w: 'status "Tool \\"add\\" failed (rate-limited). Trying again in 4 ms (1 of 1)."', e: 'status ""' });
    expectSubscriptions(body1).toBe('---^-!        ');
    expectSubscriptions(body2).toBe('---------^---!');
  }));
});

// prettier-ignore
describe('zeph: a run', () => {
  it('ends before the call that would overfill the window [53]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cu-(y|)      ', { u: { type: 'usage', usage: { totalTokens: 8 } } });
    const add = tool('       -(1|)    ');
    const turn2 = turn('        (z|)   ');
    const events = '     -c--y(1L|)    ';

    expectEvents(toolLoop({ model: { ...script(turn1, turn2), contextWindow: 10 }, tools: [add], prompt, preset, budget: { contextLimit: 0.8 } })).toBe(events).having('L', { reason: 'context-full' });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('ends by its limit on money, and its tools do not run [53]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cu-(y|)  ');
    const add = tool('       -(1|)');
    const events = '     -c--(y1L|)';

    expectEvents(toolLoop({ model: { ...script(turn1), price: { input: 1e6, output: 1e6 } }, tools: [add], prompt, preset, budget: { maxCostUsd: 4 } })).toBe(events)
      .having('1', { isError: true }).having('L', { reason: 'max-cost', usage: { costUsd: 5 } });
    expectSubscriptions(add).toBe([]);
  }));

  it('ends where it does the same again and again, whatever the ids are [54]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)            ');
    const add = tool('      -(1|)         ');
    const turn2 = turn('       -c-(y|)     ');
    const turn3 = turn('              (z|) ');
    const events = '     -c-y1C-Y(3L|)      ';

    expectEvents(toolLoop({ model: script(turn1, turn2, turn3), tools: [add], prompt, preset, budget: { repetition: 2 } })).toBe(events).having('L', { reason: 'repetition' });
  }));

  it('waits for a provider that is busy and for no other; the last failure decides [123]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const busy = new ModelError('model-http', 'Busy.', { status: 503, retryable: true });
    const turn1 = turn(' -#         ', {}, busy);
    const turn2 = turn('  -----#    ', {}, new ModelError('model-http', 'Broken.', { status: 500, retryable: true }));
    const events = '     -w---------#';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, preset, random: () => 0, retry: { initialDelayMs: 5 } })).toBe(events, {}, { code: 'model-http', message: 'Broken.' });
    expectSubscriptions(turn2).toBe('------^----!');
  }));
});

// prettier-ignore
describe('zeph: a stop', () => {
  it('during tools leaves every call with one result [69, 140]', loopMarbles(({ turn, tool, script, hot, expectEvents }) => {
    const turn1 = turn('    -----p----(y|)          ', { p: calls('first', 'second') });
    const first = tool('             --(1|)         ', { name: 'first' });
    const second = tool('            ---------(1|)  ', { name: 'second' });
    const abort$ = hot('    ---------------x        ');
    const events = '        -----(αβ)-y-1--(2L|)    ';

    expectEvents(toolLoop({ model: script(turn1), tools: [first, second], prompt, preset, abort$, timeouts: { graceMs: 0 } })).toBe(events, letters)
      .having('2', { error: { kind: 'cancelled' } }).having('L', { reason: 'aborted' });
  }));

  it('that came for one run does not reach the next [141]', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const turn1 = turn('-t-----(z|)');
    const abort$ = hot('-----x     ');
    const first = '     -t---(zL|) ';
    const second = '    -t-----(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, preset, abort$ })).toBe(first).having('L', { reason: 'aborted' });
    expectEvents(toolLoop({ model: script(turn1), prompt, preset })).toBe(second).having('L', { reason: 'answer' });
  }));
});
