import { describe, expect, it } from '@jest/globals';
import { concat, defer, ignoreElements, map, of, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { completeToolLoop, concurrent, errorAsDone, historyOf, ofType, parallelSafe, resumeToolLoop, sequential, ToolError, toolLoop } from '../../lib/index.ts';
import type { Checkpoint, EventOf, Hooks, LoopEvent, Outcome, Tool, ToolLoopOptions } from '../../lib/index.ts';
import { call, fakeTool, finish, script as played, text } from '../../marbles/index.ts';
import { play } from '../support/play.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { callIdsOf, transcriptFaults } from '../support/valid-transcript.ts';

// The third engine: tools and batches. See rig.spec.ts. Of a batch that is stopped nothing is committed; each call has a
// result all the same, which says that its tool may have run.

const options = { prompt: 'go', preset: 'atomic' } satisfies Partial<ToolLoopOptions>;
const once = { ...options, budget: { maxSteps: 1 }, policy: { budgetEnd: 'stop' } } as const;
const after = <T>(run$: Observable<LoopEvent>, read: () => T): Observable<T> => concat(run$.pipe(ignoreElements()), defer(() => of(read())));
const NOT_COMMITTED = { isError: true, output: undefined, error: { kind: 'cancelled', message: 'Not committed: the run was stopped before every call of the step had ended. The tool may have done its work.' } };

// prettier-ignore
describe('rig: a call that fails', () => {
  it('keeps arguments that are not JSON, and tells the model; the run goes on [58] [68]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -x-(y|)       ', { x: call('add', '{"a":1,') });
    const add = tool('      (1|)      ');
    const turn2 = turn('    ----t-(z|)');
    const events = '     -c-(y1)T-(ZL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add] })).toBe(events)
      .having('1', { isError: true, error: { kind: 'invalid-input' }, call: { rawArguments: '{"a":1,' } }).having('L', { reason: 'answer' });
    expectSubscriptions(add).toBe([]);
  }));

  it.each<[what: string, error: unknown, kind: string, told: string]>([
    ['a bare error: not a word of it [62] [64]', new Error('SELECT * FROM users'), 'other', 'The tool failed (other).'],
    ['an error with a kind: the kind and the hint [64]', new ToolError('rate-limited', 'Key 42 is at its limit.', { retryable: true }), 'rate-limited', 'The tool failed (rate-limited). Trying again may help.'],
    ['its own refusal [65]', new ToolError('refused', 'I will not.'), 'refused', 'The tool failed (refused).'],
    ['a lack of permission, which is something else [65]', new ToolError('permission-denied', 'Ask root.'), 'permission-denied', 'The tool failed (permission-denied).'],
  ])('tells the model of %s', (_what, error, kind, told) => loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)  ');
    const add = tool('      --#   ', { error });
    const events = '     -c-y-(1L|)';

    expectEvents(toolLoop({ ...once, model: script(turn1), tools: [add] })).toBe(events).having('1', { isError: true, error: { kind }, content: [{ type: 'text', text: told }] });
  })());

  it('has a result of its own kind where it takes too long; a hook may stop the run after some [66]', loopMarbles(({ turn, tool, script, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -c-(y|)               ');
    const timeoutMs = time('   ---|               ');
    const add = tool('         ------------      ', { timeoutMs });
    const turn2 = turn('          -c-(y|)         ');
    const turn3 = turn('                (z|)      ');
    const events = '        -c-y--1C-Y--(3L|)     ';
    const hooks: Hooks = {
      afterTool(_call, { error }, { scratch }) {
        const timeouts = ((scratch.get('timeouts') as number | undefined) ?? 0) + (error?.kind === 'timeout' ? 1 : 0);
        scratch.set('timeouts', timeouts);
        return timeouts >= 2 ? { type: 'stop', reason: 'Too slow.' } : undefined;
      },
    };

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2, turn3), tools: [add], hooks })).toBe(events)
      .having('1', { error: { kind: 'timeout' } }).having('3', NOT_COMMITTED).having('L', { reason: 'stopped', stopped: { reason: 'Too slow.' } });
    expectSubscriptions(turn3).toBe([]);
  }));

  it.each<[when: string, turn1: string, add: string, over: string, stored: number, more: Partial<ToolLoopOptions>]>([
    ['it ran', '               -c-(y|) ', '(1|)', '------(f|) ', 1, {}],
    ['it failed', '            -c-(y|) ', '#   ', '------(f|) ', 1, {}],
    ['its turn was cut', '     -c-(l|) ', '(1|)', '---(f|)    ', 1, {}],
    ['its turn broke', '       -c-#    ', '(1|)', '---(f|)    ', 1, {}],
    ['its batch was stopped', '-c-(y|) ', '(1|)', '---(f|)    ', 1, { hooks: { afterTool: () => ({ type: 'stop' }) } }],
    ['its turn was spoiled', ' -cd-(y|)', '(1|)', '-------(f|)', 2, { hooks: { invalidCall: () => ({ type: 'skip', reason: 'No.' }) } }],
  ])('has one result in the transcript, when %s [69]', (_when, diagram, answer, over, stored, more) => loopMarbles(({ turn, tool, script, expectValues }) => {
    const judged$ = toolLoop({ ...options, ...more, model: script(turn(diagram), turn('-t-(z|)')), tools: [tool(answer)] }).pipe(
      errorAsDone(), ofType('done'), map(({ outcome }) => [transcriptFaults(historyOf(outcome)), callIdsOf(historyOf(outcome)).length]),
    );

    expectValues(judged$).toBe(over, { f: [[], stored] });
  })());
});

// prettier-ignore
describe('rig: calls that run together', () => {
  it('give their results in call order, and overlap within the bound [71] [72]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const three = [...call('add', {}, { index: 0, id: 'a' }), ...call('mul', {}, { index: 1, id: 'b' }), ...call('mul', {}, { index: 2, id: 'c' })];
    const turn1 = turn(' -----c----(y|)            ', { c: three });
    const add = tool('             -----(1|)      ');
    const mul = tool('             --(2|)         ', { name: 'mul' });
    const events = '     -----(cde)y----(123L|)     ';

    expectEvents(toolLoop({ ...once, model: script(turn1), tools: [add, mul], schedule: concurrent(2) })).toBe(events, { e: '0 call mul#2', 3: '0 result mul#2' });
    expectSubscriptions(add).toBe(' ----------^----!');
    expectSubscriptions(mul).toBe(['----------^-!', '------------^-!']);
  }));

  it('run one after another with a bound of zero [73]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    for (const schedule of [concurrent(0), parallelSafe(0)]) {
      const turn1 = turn(' -cd(y|)       ');
      const add = tool('      --(1|)    ', { parallelSafe: true });
      const mul = tool('        --(2|)  ', { name: 'mul', parallelSafe: true });
      const events = '     -cdy---(12L|) ';

      expectEvents(toolLoop({ ...once, model: script(turn1), tools: [add, mul], schedule })).toBe(events);
      expectSubscriptions(mul).toBe('-----^-!');
    }
  }));

  it('show nothing of their results before the last has settled [78]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -cd(y|)                 ');
    const add = tool('      --(1|)              ');
    const mul = tool('      ------(2|)          ', { name: 'mul' });
    const tools = '      ---(ghij)(m1n2|)       ';

    expectEvents(toolLoop({ ...once, model: script(turn1), tools: [add, mul], schedule: concurrent(2) }), null, { lane: 'tools' }).toBe(tools);
  }));

  it('commit nothing where a hook stops them; none that waits starts, those that run are waited for [79] [80]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const three = [...call('add', {}, { index: 0, id: 'a' }), ...call('mul', {}, { index: 1, id: 'b' }), ...call('div', {}, { index: 2, id: 'c' })];
    const turn1 = turn(' -----c----(y|)            ', { c: three });
    const add = tool('             ------------(1|)');
    const mul = tool('             --(2|)          ', { name: 'mul' });
    const div = tool('             (3|)            ', { name: 'div' });
    const tools = '      ----------(ghkij)-----(123|)   ';
    const hooks: Hooks = { afterTool: ({ name }) => (name === 'mul' ? { type: 'stop' } : undefined) };

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add, mul, div], schedule: concurrent(2), hooks }), null, { lane: 'tools' })
      .toBe(tools, { k: '0 tool-call div', 3: '0 result div error' }).having('1', NOT_COMMITTED).having('2', NOT_COMMITTED).having('3', NOT_COMMITTED);
    expectSubscriptions(add).toBe('----------^-----------!');
    expectSubscriptions(div).toBe([]);
  }));

  it('report the lowest call of those that stop [81]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -cd(y|)          ');
    const add = tool('      ----(1|)     ');
    const mul = tool('      --(2|)       ', { name: 'mul' });
    const events = '     -cdy---(12L|)   ';

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add, mul], schedule: concurrent(2), hooks: { afterTool: ({ name }) => ({ type: 'stop', reason: name }) } })).toBe(events)
      .having('L', { reason: 'stopped', stopped: { reason: 'add', callId: 'c0' } });
  }));
});

describe('rig: one history', () => {
  const turn1 = of(...call('add', { a: 1 }), ...call('add', { a: 2 }, { index: 1, id: 'second' }), finish('tool-use'));
  const settings = (more: Partial<ToolLoopOptions> = {}): ToolLoopOptions =>
    ({ ...options, model: played(turn1, of(text('hi'), finish('stop'))), tools: [fakeTool(of('1'))], runId: 'r', scheduler: new VirtualTimeScheduler(), ...more }) as ToolLoopOptions;

  it('is written whether the run is streamed or not, and its calls run together or not [82]', () => {
    const told = [sequential, concurrent(2)].flatMap((schedule) => {
      const heard: Outcome[] = [];
      completeToolLoop(settings({ schedule })).subscribe((outcome) => heard.push(outcome as Outcome));
      return [...heard, (play(toolLoop(settings({ schedule }))).events.at(-1) as EventOf<'done'>).outcome];
    });

    expect(told).toHaveLength(4);
    for (const one of told) expect(historyOf(one)).toEqual(historyOf(told[0] as Outcome));
    expect(transcriptFaults(historyOf(told[0] as Outcome))).toEqual([]);
  });

  it('takes answers for the calls that wait, no other, and each once [70]', () => {
    const asked: Tool = fakeTool(of('1'), { needsApproval: true });
    const { checkpoint } = (play(toolLoop(settings({ tools: [asked] }))).events.at(-1) as EventOf<'done'>).outcome as { checkpoint: Checkpoint };
    const open = checkpoint.batch?.calls.flatMap(({ request }) => request?.id ?? []) ?? [];
    const resume = (answers: Record<string, { type: 'approve' }>) => () => resumeToolLoop(checkpoint, answers, settings({ tools: [asked], model: played(of(text('hi'), finish('stop'))) }));
    const yes = { type: 'approve' } as const;

    expect(open).toHaveLength(2);
    expect(resume({ [open[0] as string]: yes, other: yes })).toThrow(/the answer "other" is for a request that is not open/);
    const some = play(resume({ [open[0] as string]: yes })()).events.at(-1);
    expect(some).toMatchObject({ type: 'done', outcome: { reason: 'suspended' } });
    const all = play(resume(Object.fromEntries(open.map((id) => [id, yes])))());
    expect(all.events.filter(({ type }) => type === 'tool-result')).toHaveLength(2);
    expect(all.events.at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'answer' } });
  });
});

// prettier-ignore
describe('rig: the tools of a turn', () => {
  it('are those that it was told of, whatever comes meanwhile [83]', loopMarbles(({ turn, tool, script, hot, expectEvents, expectSubscriptions, expectValues }) => {
    const old = tool('             --(1|)           ');
    const fresh = tool('                (1|)          ', { name: 'mul', input: z.object({}) });
    const sets = { a: [old], b: [fresh] };
    const tools = hot<Tool[]>('    a--b             ', sets);
    const turn1 = turn('           -c----(y|)       ');
    const turn2 = turn('                  --t-(z|)  ');
    const story = '                -c----y-1-T-(ZL|)';
    const over = '                 ------------(m|) ';
    const model = script(turn1, turn2);
    const again = script(turn('-c----(y|)'), turn('--t-(z|)'));

    expectEvents(toolLoop({ ...options, model, tools })).toBe(story).having('1', { isError: false });
    expectSubscriptions(old).toBe(['------^-!', '------^-!']);
    expectValues(after(toolLoop({ ...options, model: again, tools }), () => again.requests.map((one) => one.tools.map(({ name }) => name)))).toBe(over, { m: [['add'], ['mul']] });
  }));
});
