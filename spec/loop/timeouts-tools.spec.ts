import { describe, expect, it } from '@jest/globals';
import { map, ReplaySubject, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { concurrent, defineTool, errorAsDone, toolLoop } from '../../lib/index.ts';
import type { Tool, ToolInput } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const anything: ToolInput = { '~standard': { version: 1, vendor: 'spec', validate: (value) => ({ value }), jsonSchema: { input: () => ({}) } } };
const custom = (run: () => unknown, timeoutMs: number, name = 'add'): Tool => defineTool({ name, description: 'A tool.', input: anything, timeoutMs, run });
const timedOut = (timeoutMs: number) => ({ isError: true, elapsedMs: timeoutMs, error: { kind: 'timeout', message: `The tool did not answer within ${timeoutMs} ms.`, retryable: true } });

/** A promise in virtual time: it settles as the first value or the error of a hot Observable, for whoever asks. */
function promised(source$: Observable<unknown>): PromiseLike<unknown> {
  const settled$ = new ReplaySubject<unknown>(1);
  source$.pipe(take(1)).subscribe(settled$);
  return { then: (onValue, onError) => void settled$.subscribe({ next: (value) => onValue?.(value), error: (error: unknown) => onError?.(error) }) as never };
}

// prettier-ignore
describe('timeoutMs of a tool', () => {
  it('answers the call without it, fires its signal and leaves it; the run goes on', loopMarbles(({ turn, tool, script, time, expectEvents, expectSubscriptions, expectValues, cold }) => {
    const turn1 = turn('     -c-(y|)              ');
    const timeoutMs = time('    ----|             ');
    const add = tool('          --------(1|)    ', { timeoutMs });
    const turn2 = turn('            ---t-(z|)     ');
    const look = '           ------b-x            ';
    const story = '          -c-y---1--T-(ZL|)    ';
    const tools = '          ---(gi)(m1)-|        ';

    expectValues(cold(look).pipe(map(() => add.contexts[0]?.signal.aborted))).toBe(look, { b: false, x: true });
    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt })).toBe(story)
      .having('1', { ...timedOut(timeoutMs), content: [{ type: 'text', text: 'The tool did not answer within 4 ms.' }] })
      .having('L', { reason: 'answer' })
      .lane('tools').toBe(tools);
    expectSubscriptions(add).toBe('---^---!');
    expectSubscriptions(turn2).toBe('-------^----!');
  }));

  it('does not touch a tool that is quicker', loopMarbles(({ turn, tool, script, time, expectEvents }) => {
    const timeoutMs = time('    ----|             ');
    const add = tool('          ---(1|)         ', { timeoutMs });

    expectEvents(toolLoop({ model: script(turn('-c-(y|)'), turn('-t-(z|)')), tools: [add], prompt })).toBe('-c-y--1T-(ZL|)').having('1', { isError: false, elapsedMs: 3 });
  }));

  it('is not prolonged by what a tool says on the way', loopMarbles(({ turn, tool, script, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('     -c-(y|)             ');
    const timeoutMs = time('    ---------|       ');
    const add = tool('          a----b-----(c|)  ', { timeoutMs });
    const turn2 = turn('                 ----(z|)');
    const tools = '          ---(gi)-p---(m1)|    ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt }), null, { lane: 'tools' }).toBe(tools).having('1', timedOut(timeoutMs));
    expectSubscriptions(add).toBe('---^--------!');
  }));

  it('is each call\'s own: its siblings are not disturbed', loopMarbles(({ turn, tool, script, time, expectEvents }) => {
    const turn1 = turn('     -cd(y|)             ');
    const timeoutMs = time('    --|              ');
    const add = tool('          --------1       ', { timeoutMs, parallelSafe: true });
    const mul = tool('          ----(2|)        ', { name: 'mul', parallelSafe: true });
    const turn2 = turn('            --t-(z|)    ');
    const events = '         -cdy-1-2-T-(ZL|)     ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt })).toBe(events).having('1', timedOut(timeoutMs)).having('2', { isError: false });
  }));

  it('begins when the body does, not while the call waits for its turn', loopMarbles(({ turn, tool, script, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('     -cd(y|)             ');
    const add = tool('          -----(1|)       ');
    const timeoutMs = time('         ---|        ');
    const mul = tool('               --(2|)     ', { name: 'mul', timeoutMs });
    const events = '         -cdy----1-2T(ZL|)    ';

    expectEvents(toolLoop({ model: script(turn1, turn('-t(z|)')), tools: [add, mul], prompt })).toBe(events).having('2', { isError: false, elapsedMs: 2 });
    expectSubscriptions(mul).toBe('--------^-!');
  }));

  it('has no grace: the result is fixed at that moment, whatever `graceMs` is', loopMarbles(({ turn, tool, script, time, expectEvents }) => {
    const timeoutMs = time('    --|          ');
    const add = tool('          ---(1|)    ', { timeoutMs });

    for (const graceMs of [0, 1_000]) {
      expectEvents(toolLoop({ model: script(turn('-c-(y|)'), turn('-t-(z|)')), tools: [add], prompt, timeouts: { graceMs } })).toBe('-c-y-1T-(ZL|)').having('1', timedOut(timeoutMs));
    }
  }));

  it('comes before the time of grace of a stop, if it is sooner', loopMarbles(({ turn, tool, script, hot, time, expectEvents }) => {
    const turn1 = turn('     -c-(y|)           ');
    const timeoutMs = time('    ----|          ');
    const add = tool('          ---------1    ', { timeoutMs });
    const abort$ = hot('     -----x            ');
    const events = '         -c-y---(1L|)       ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, abort$ })).toBe(events).having('1', timedOut(timeoutMs)).having('L', { reason: 'aborted' });
  }));

  it.each([0, -1, Number.NaN])('is refused where the tool is defined: %s', (timeoutMs) => {
    expect(() => custom(() => 1, timeoutMs)).toThrow(/timeoutMs of tool "add" is .*; give milliseconds, more than 0/);
  });
});

// prettier-ignore
describe('tool-dropped', () => {
  it('says that a promise has settled after its call was answered, while the run lasts', loopMarbles(({ turn, script, hot, time, expectEvents }) => {
    const turn1 = turn('     -c-(y|)               ');
    const timeoutMs = time('    --|                ');
    const late$ = hot('      -------x              ');
    const turn2 = turn('          -----t-(z|)      ');
    const story = '          -c-y-1----T-(ZL|)     ';
    const host = '           -------5----|         ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [custom(() => promised(late$), timeoutMs)], prompt })).toBe(story).having('1', timedOut(timeoutMs))
      .lane('host').toBe(host).having('5', { step: 0, callId: 'c0', elapsedMs: 4, isError: false, reason: 'late' });
  }));

  it('says whether it failed', loopMarbles(({ turn, script, hot, time, expectEvents }) => {
    const timeoutMs = time('    --|           ');
    const late$ = hot('      -------#         ');
    const host = '           -------5----|    ';

    expectEvents(toolLoop({ model: script(turn('-c-(y|)'), turn('-----t-(z|)')), tools: [custom(() => promised(late$), timeoutMs)], prompt }), null, { lane: 'host' })
      .toBe(host).having('5', { isError: true, reason: 'late' });
  }));

  it('is not said of an Observable, which is left', loopMarbles(({ turn, tool, script, time, expectEvents, expectSubscriptions }) => {
    const timeoutMs = time('--|');
    const add = tool('      ----(1|)', { timeoutMs });

    expectEvents(toolLoop({ model: script(turn('-c-(y|)'), turn('-----t-(z|)')), tools: [add], prompt }), null, { lane: 'host' }).toBe('------------|');
    expectSubscriptions(add).toBe('---^-!');
  }));

  it.each([
    ['done', '-t-(z|)', '-c-y-1T-(ZL|)'],
    ['an error', '-t-#', '-c-y-1T-(L|)'],
  ])('is not said after the ending: %s', (_ending, second, events) => loopMarbles(({ turn, script, hot, time, expectEvents }) => {
    const timeoutMs = time('--|');
    const late$ = hot('--------------x');
    const run$ = toolLoop({ model: script(turn('-c-(y|)'), turn(second)), tools: [custom(() => promised(late$), timeoutMs)], prompt, preset: 'strict' });

    expectEvents(run$.pipe(errorAsDone())).toBe(events).lane('host').toBe('--------|');
  })());

  it('stands beside whatever the run is at: here a batch of its own', loopMarbles(({ turn, tool, script, hot, time, expectEvents }) => {
    const turn1 = turn('     -cd(y|)              ');
    const timeoutMs = time('    --|               ');
    const late$ = hot('      -------x             ');
    const mul = tool('          ------(2|)       ', { name: 'mul' });
    const turn2 = turn('               -t(z|)      ');
    const story = '          -cdy-1---2T(ZL|)      ';
    const host = '           -------5---|          ';
    const add = custom(() => promised(late$), timeoutMs);

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt, schedule: concurrent(2) })).toBe(story)
      .lane('host').toBe(host).having('5', { callId: 'c0', elapsedMs: 4 });
  }));
});
