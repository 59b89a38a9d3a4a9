import { describe, it } from '@jest/globals';
import { fromEvent, map, Subject, take, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { concurrent, defineTool, toolLoop, userMessage } from '../../lib/index.ts';
import type { Tool, ToolContext, ToolInput } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const asked = userMessage(prompt);
const anything: ToolInput = { '~standard': { version: 1, vendor: 'spec', validate: (value) => ({ value }), jsonSchema: { input: () => ({}) } } };

const custom = (run: (context: ToolContext) => unknown, name = 'add'): Tool => defineTool({ name, description: 'A tool.', input: anything, run: (_args, context) => run(context) });

/** A promise in virtual time: it settles when `source$` does, for whoever asks. Give it a hot one. */
const promised = (source$: Observable<unknown>): PromiseLike<unknown> => ({
  then: (onValue, onError) => {
    source$.pipe(take(1)).subscribe({ next: (value) => onValue?.(value), error: (error: unknown) => onError?.(error) });
    return undefined as never;
  },
});

const cancelled = { isError: true, error: { kind: 'cancelled', message: 'The run was stopped while the tool was running. It may have done its work.' } };
const notRun = { isError: true, elapsedMs: 0, error: { kind: 'cancelled', message: 'Not executed: the run was stopped.' } };

// prettier-ignore
describe('a tool that runs when the run is told to stop', () => {
  it('is signalled at once, has `graceMs` to end, and is then answered without it', loopMarbles(({ turn, tool, script, hot, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -c-(y|)          ');
    const add = tool('         ------------1');
    const turn2 = turn('             (z|)    ');
    const abort$ = hot('    -----x           ');
    const graceMs = time('       ----|       ');
    const story = '         -c-y-----(1L|)   ';
    const tools = '         ---(gi)--(m1|)   ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, abort$, timeouts: { graceMs } })).toBe(story)
      .having('y', { finish: 'tool-use' })
      .having('1', { ...cancelled, elapsedMs: 6 })
      .having('L', {
        reason: 'aborted', answer: undefined, completion: { finish: 'tool-use' },
        messages: [asked, { role: 'assistant', finish: 'tool-use', content: [{ type: 'tool-call' }] }, { role: 'tool', results: [{ callId: 'c0', isError: true }] }],
      })
      .lane('tools').toBe(tools);
    expectSubscriptions(add).toBe('---^-----!');
    expectSubscriptions(turn2).toBe([]);
  }));

  it('hears its signal in the tick of the stop', loopMarbles(({ turn, script, hot, expectEvents, expectValues }) => {
    const turn1 = turn('    -c-(y|)   ');
    const abort$ = hot('    -----x    ');
    const heard = '         -----x    ';
    const events = '        -c-y-(1L|)';
    const heard$ = new Subject<string>();
    const add = custom(({ signal }) => fromEvent(signal, 'abort').pipe(take(1), tap(() => heard$.next('x')), map(() => 'cleaned up')));

    expectValues(heard$).toBe(heard);
    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, abort$ })).toBe(events).having('1', { isError: false, output: 'cleaned up', elapsedMs: 2 });
  }));

  it('that ends within `graceMs` has its result counted', loopMarbles(({ turn, tool, script, hot, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -c-(y|)        ');
    const add = tool('         -----(1|)   ');
    const abort$ = hot('    -----x         ');
    const graceMs = time('       ----|     ');
    const events = '        -c-y----(1L|)  ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, abort$, timeouts: { graceMs } })).toBe(events)
      .having('1', { isError: false, output: '1', elapsedMs: 5 })
      .having('L', { reason: 'aborted', messages: [{}, {}, { results: [{ isError: false }] }] });
    expectSubscriptions(add).toBe('---^----!');
  }));

  it('that fails within `graceMs` has its own failure', loopMarbles(({ turn, tool, script, hot, expectEvents }) => {
    const turn1 = turn('    -c-(y|)      ');
    const add = tool('         ----#     ');
    const abort$ = hot('    -----x       ');
    const events = '        -c-y---(1L|) ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, abort$ })).toBe(events).having('1', { isError: true, error: { kind: 'other', message: 'The tool failed.' } });
  }));

  it('is answered at once with `graceMs: 0`', loopMarbles(({ turn, tool, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -c-(y|)      ');
    const add = tool('         ----(1|)  ');
    const abort$ = hot('    -----x       ');
    const events = '        -c-y-(1L|)   ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, abort$, timeouts: { graceMs: 0 } })).toBe(events).having('1', cancelled);
    expectSubscriptions(add).toBe('---^-!');
  }));

  it('has a second of grace by default, with each preset', loopMarbles(({ turn, tool, script, hot, expectEvents }) => {
    const abort$ = hot('        -----x             ');
    const events = '            -c-y- 1000ms (1L|) ';

    for (const preset of ['strict', 'resilient'] as const) {
      expectEvents(toolLoop({ model: script(turn('-c-(y|)')), tools: [tool('- 2000ms 1')], prompt, preset, abort$ })).toBe(events).having('1', cancelled);
    }
  }));

  it('says nothing after the ending: a promise that settles later is not heard', loopMarbles(({ turn, script, hot, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -c-(y|)           ');
    const late$ = hot('     -----------x      ');
    const abort$ = hot('    -----x            ');
    const graceMs = time('       ---|         ');
    const events = '        -c-y----(1L|)     ';

    expectEvents(toolLoop({ model: script(turn1), tools: [custom(() => promised(late$))], prompt, abort$, timeouts: { graceMs } }))
      .toBe(events).having('1', cancelled).lane('host').toBe('--------|');
    expectSubscriptions(abort$).toBe('^----!');
  }));

  it('may still say progress in its time of grace, and no longer', loopMarbles(({ turn, tool, script, hot, time, expectEvents }) => {
    const turn1 = turn('    -c-(y|)          ');
    const add = tool('         ---a-b-----c');
    const abort$ = hot('    -----x           ');
    const graceMs = time('       ----|       ');
    const tools = '         ---(gi)-p(m1|)   ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, abort$, timeouts: { graceMs } }), null, { lane: 'tools' }).toBe(tools);
  }));
});

// prettier-ignore
describe('the calls of a batch when the run is told to stop', () => {
  it('that have settled keep their results; those that have not begun do not begin', loopMarbles(({ turn, tool, script, hot, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -cde(y|)               ', { e: [{ type: 'tool-call-start', index: 2, id: 'e0', name: 'add' }, { type: 'tool-call-end', index: 2, call: { id: 'e0', name: 'add', arguments: {} } }] });
    const add = tool('          --(1|)              ');
    const mul = tool('            --------          ', { name: 'mul' });
    const abort$ = hot('    --------x              ');
    const graceMs = time('          --|            ');
    const events = '        -cdey-1---(2vL|)       ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, abort$, timeouts: { graceMs } })).toBe(events, { e: '0 call add#2', v: '0 result add#2 error' })
      .having('1', { isError: false }).having('2', cancelled).having('v', notRun)
      .having('L', { messages: [{}, {}, { results: [{ callId: 'c0' }, { callId: 'd0' }, { callId: 'e0' }] }] });
    expectSubscriptions(add).toBe('----^-!');
    expectSubscriptions(mul).toBe('------^---!');
  }));

  it('between two of them, runs the second no more', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -cd-(y|)       ');
    const add = tool('          --(1|)    ');
    const mul = tool('            (2|)    ', { name: 'mul' });
    const events = '        -cd-y-(12L|)   ';
    const abort$ = new Subject<void>();

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul], prompt, abort$ }).pipe(tap(({ type }) => type === 'tool-result' && abort$.next()))).toBe(events)
      .having('1', { isError: false }).having('2', notRun);
    expectSubscriptions(mul).toBe([]);
  }));

  it('after the last of them, makes no further call', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -c-(y|)     ');
    const add = tool('         --(1|) ');
    const turn2 = turn('         (z|) ');
    const events = '        -c-y-(1L|)  ';
    const abort$ = new Subject<void>();

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, abort$ }).pipe(tap(({ type }) => type === 'tool-result' && abort$.next()))).toBe(events)
      .having('1', { isError: false }).having('L', { reason: 'aborted' });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('that run together are signalled together, and those that wait for a place do not begin', loopMarbles(({ turn, tool, script, hot, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -cdx(y|)           ', { x: [{ type: 'tool-call-start', index: 2, id: 'x0', name: 'sub' }, { type: 'tool-call-end', index: 2, call: { id: 'x0', name: 'sub', arguments: {} } }] });
    const add = tool('          ------          ');
    const mul = tool('          ----(2|)        ', { name: 'mul' });
    const sub = tool('              (3|)        ', { name: 'sub' });
    const abort$ = hot('    ------x            ');
    const graceMs = time('        ----|        ');
    const events = '        -cdxy-----(12eL|)  ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add, mul, sub], prompt, abort$, schedule: concurrent(2), timeouts: { graceMs } }))
      .toBe(events, { x: '0 call sub', e: '0 result sub error' })
      .having('1', cancelled).having('2', { isError: false, output: '2' }).having('e', notRun);
    expectSubscriptions(add).toBe('----^-----!');
    expectSubscriptions(mul).toBe('----^---!');
    expectSubscriptions(sub).toBe([]);
  }));

  it('of which one still has its arguments checked, do not begin; the check is not waited for', loopMarbles(({ turn, script, hot, cold, expectEvents }) => {
    const turn1 = turn('       -c-(y|)      ');
    const checked = '             ----x    ';
    const abort$ = hot('       -----x       ');
    const events = '           -c-y-(1L|)   ';
    const slow: ToolInput = { '~standard': { ...anything['~standard'], validate: (value) => promised(cold(checked).pipe(map(() => ({ value })))) as PromiseLike<{ value: unknown }> } };
    const add = defineTool({ name: 'add', description: 'A tool.', input: slow, run: () => 'ran' });

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, abort$ })).toBe(events).having('1', notRun);
  }));

  it('fail the run where it was a notifier that failed, once they are answered', loopMarbles(({ turn, tool, script, hot, time, expectEvents }) => {
    const turn1 = turn('    -c-(y|)      ');
    const add = tool('         -------   ');
    const steering$ = hot<string>('-----#', undefined, new Error('Gone.'));
    const graceMs = time('       --|     ');
    const events = '        -c-y---(1#)  ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, steering$, timeouts: { graceMs } })).toBe(events, {}, { code: 'other', message: 'Gone.' }).having('1', cancelled);
  }));
});
