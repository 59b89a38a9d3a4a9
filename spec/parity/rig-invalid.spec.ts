import { describe, it } from '@jest/globals';
import { concat, defer, ignoreElements, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { errorAsDone, toolLoop, userMessage } from '../../lib/index.ts';
import type { Hooks, InvalidCallAnswer, LoopEvent, ToolLoopOptions } from '../../lib/index.ts';
import { call, usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// The third engine: calls of tools that the step does not have. Nothing of a turn with such a call runs. See rig.spec.ts.

const options = { prompt: 'go', preset: 'atomic' } satisfies Partial<ToolLoopOptions>;
const asked = userMessage('go');
const u = usage({ inputTokens: 7, outputTokens: 3 });
const after = <T>(run$: Observable<LoopEvent>, read: () => T): Observable<T> => concat(run$.pipe(ignoreElements()), defer(() => of(read())));
const say = (answer: InvalidCallAnswer, more: Partial<Hooks> = {}): Hooks => ({ invalidCall: () => answer, ...more });
const retry = { type: 'retry', feedback: 'There is only add.' } as const;
const SPOILED = 'Not executed: another call of the response was invalid.';

// prettier-ignore
describe('rig: an invalid call', () => {
  it('ends the run by default: before any tool of the turn, before any of it is shown, before the next request [101] [106]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -----c-----d-(y|)');
    const add = tool('              (1|)  ');
    const turn2 = turn('             (z|)  ');
    const all = '        (Ss)-(oac)-#      ';
    const story = '      -----c-----(L|)   ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add] }), null, { lane: 'all' })
      .toBe(all, {}, { code: 'unknown-tool', message: 'The model called the tool "mul", but the step has add.' });
    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add] }).pipe(errorAsDone())).toBe(story)
      .having('L', { error: { code: 'unknown-tool' }, messages: [asked, { role: 'assistant' }, { role: 'tool', results: [{ callId: 'c0', isError: true }] }] });
    expectSubscriptions(add).toBe([]);
    expectSubscriptions(turn2).toBe([]);
  }));

  it('is not taken for the fault of its model: no other is asked, nothing is tried again', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -d-(y|)');
    const turn2 = turn(' (z|)   ');
    const events = '     -#      ';

    expectEvents(toolLoop({ ...options, model: [script(turn1, turn2), script(turn2)], tools: [tool('(1|)')], retry: { count: 3, classify: () => 'transient' } })).toBe(events, {}, { code: 'unknown-tool' });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('sent back, stays in the history with its feedback; its peers have a fixed note, and none ran [102]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-d-c-(y|)          ');
    const add = tool('              (1|)       ');
    const turn2 = turn('          -----t-(z|)  ');
    const events = '     -t-c-----(y12)T-(ZL|)  ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add], hooks: say(retry) })).toBe(events, { 2: '0 result mul error' })
      .having('1', { isError: true, error: { kind: 'cancelled', message: SPOILED } }).having('2', { isError: true, error: { kind: 'not-found' }, content: [{ text: 'There is only add.' }] })
      .having('L', { reason: 'answer', messages: [asked, { content: [{ type: 'text' }, { type: 'tool-call' }, { type: 'tool-call', call: { name: 'mul' } }] }, { results: [{}, {}] }] });
    expectSubscriptions(add).toBe([]);
  }));

  it('may be sent back as often as the hook says, and as the budget of calls lets it [103]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const run = (more: Partial<ToolLoopOptions>) => toolLoop({ ...options, model: script(turn('-d-(y|)'), turn('----d-(y|)'), turn('----d-(y|)')), tools: [tool('(1|)')], ...more });
    const letters = { 1: '0 result mul error', 3: '1 result mul error' };

    expectEvents(run({ hooks: say(retry) })).toBe('                                              ---(y1)#       ', letters, { code: 'unknown-tool' });
    expectEvents(run({ hooks: say(retry, { invalidRetries: 2 }) })).toBe('                         ---(y1)--(Y3)#', letters, { code: 'unknown-tool' });
    expectEvents(run({ hooks: say(retry, { invalidRetries: 9 }), budget: { maxSteps: 2 } })).toBe('---(y1)--(Y3#) ', letters, { code: 'budget' });
  }));

  it('skipped, has one result that is no error; no peer runs [104]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cd-(y|)             ');
    const add = tool('       (1|)           ');
    const turn2 = turn('     -----t-(z|)     ');
    const events = '     -c--(y12)T-(ZL|)      ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add], hooks: say({ type: 'skip', reason: 'Not now.' }) })).toBe(events, { 2: '0 result mul' })
      .having('1', { isError: true, error: { message: SPOILED } }).having('2', { isError: false, content: [{ text: 'Not now.' }] });
    expectSubscriptions(add).toBe([]);
  }));

  it('is repaired only to a name that the step has; it goes on with its own arguments [105]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -----d-(y|)             ');
    const add = tool('             ------(1|)   ');
    const story = '      -----c-y-----(1#)        ';

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add], budget: { maxSteps: 1 }, hooks: say({ type: 'repair', name: 'add' }) }))
      .toBe(story, { c: '0 call add' }, { code: 'budget' }).having('c', { call: { name: 'add', arguments: { a: 2, b: 3 } } }).having('1', { name: 'add', isError: false });
    expectEvents(toolLoop({ ...options, model: script(turn('-----d-(y|)')), tools: [tool('(1|)')], hooks: say({ type: 'repair', name: 'sub' }) })).toBe('-----#', {}, { code: 'hook', message: 'An answer of invalidCall repairs to "sub", which the step does not have.' });
    expectSubscriptions(add).toBe('-------^-----!');
  }));

  it('that is repaired passes the hooks on deltas as any other', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -----d-(y|)');
    const all = '        (Ss)-(zL|)';
    const hooks = say({ type: 'repair', name: 'add' }, { deltas: ['tool-call-start'], onDelta: (delta) => (delta.type === 'tool-call-start' && delta.name === 'add' ? { type: 'stop' } : undefined) });

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [tool('(1|)')], hooks }), null, { lane: 'all' }).toBe(all).having('L', { reason: 'stopped' });
  }));

  it('lets nothing of its turn\'s text into the next [107]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -t-d-t-(y|)       ');
    const turn2 = turn('        ----t-(z|) ');
    const events = '     -t-----(y1)T-(ZL|)  ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [tool('(1|)')], hooks: say(retry) })).toBe(events, { 1: '0 result mul error' }).having('L', { completion: { text: 'hi' }, answer: { content: [{ text: 'hi' }] } });
  }));

  it('has its stream read to the end, for its usage [108]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -d-t-u-(y|)       ', { u });
    const turn2 = turn('        ----t-(z|) ');
    const events = '     -------(y1)T-(ZL|)  ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [tool('(1|)')], hooks: say(retry) })).toBe(events, { 1: '0 result mul error' }).having('y', { usage: { inputTokens: 7 } }).having('L', { usage: { inputTokens: 7 } });
    expectSubscriptions(turn1).toBe('^------!');
  }));

  it('may stop the run: nothing of it is shown', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-d-t-(y|)');
    const events = '     -t-(zL|)   ';

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [tool('(1|)')], hooks: say({ type: 'stop', reason: 'No.' }) })).toBe(events).having('L', { reason: 'stopped', completion: { text: 'hi', toolCalls: [] } });
    expectSubscriptions(turn1).toBe('^--!');
  }));

  it('spoils its own call alone where the policy says so', loopMarbles(({ turn, tool, script, expectValues }) => {
    const model = script(turn('-cd-(y|)', { d: call('mul', {}) }), turn('-t-(z|)'));
    const over = '              -------(r|)';
    const results = () => model.requests[1]?.messages.flatMap((one) => (one.role === 'tool' ? one.results.map(({ name, isError }) => [name, isError]) : []));

    expectValues(after(toolLoop({ ...options, model, tools: [tool('(1|)')], policy: { invalidScope: 'call', unknownTool: 'feedback' } }), results)).toBe(over, { r: [['add', false], ['mul', true]] });
  }));
});
