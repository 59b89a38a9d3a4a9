import { describe, expect, it } from '@jest/globals';
import { concat, defer, ignoreElements, map, of } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { historyOf, ofType, toolLoop, userMessage } from '../../lib/index.ts';
import type { Delta, EventOf, LoopEvent, ToolInput, ToolLoopOptions } from '../../lib/index.ts';
import { call, fakeTool, script as played } from '../../marbles/index.ts';
import { play } from '../support/play.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { callIdsOf, transcriptFaults } from '../support/valid-transcript.ts';

// The behaviours of the second engine, with the default preset: here the run and its tools, in wcode-stream.spec.ts broken
// streams and retries, in wcode-cancel.spec.ts stops and steering, in wcode-hooks.spec.ts hooks.

const prompt = 'go';
const asked = userMessage(prompt);
const numbers: ToolInput = z.object({ a: z.number(), b: z.number() });

/** What `read` finds once the run is over. */
const after = <T>(run$: Observable<LoopEvent>, read: () => T): Observable<T> => concat(run$.pipe(ignoreElements()), defer(() => of(read())));

/** So many calls of one tool, by one letter. */
const calls = (count: number, name = 'add'): readonly Delta[] => Array.from({ length: count }, (_, index) => call(name, { n: index }, { index, id: `${name}${index}` })).flat();

// prettier-ignore
describe('wcode: a run', () => {
  it('gives the deltas of a plain answer, one step-end, one done, and completes [1]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ----t-t-(z|)');
    const story = '      ----t-t-(zL|)';
    const all = '        (Ss)t-t-(fzL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt })).toBe(story).lane('all').toBe(all);
    expectSubscriptions(turn1).toBe('^-------!');
  }));

  it('drops the earlier thinking of a message where a whole thought comes [28]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -k-k-x-t-(z|)', { x: { type: 'reasoning-replace', text: 'better' } });
    const events = '     -k-k-x-t-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt })).toBe(events, { x: '0 reasoning-replace "better"' })
      .having('L', { completion: { text: 'hi', reasoning: 'better' }, answer: { content: [{ type: 'reasoning', text: 'better' }, { type: 'text', text: 'hi' }] } });
  }));

  it('that its budget ended leaves a transcript that a next run goes on with [52]', loopMarbles(({ turn, tool, script, expectEvents, expectValues }) => {
    const turn1 = turn(' -t-c-(y|)   ');
    const add = tool('        --(1|)');
    const events = '     -t-c-y-(1L|)';
    const { events: said } = play(toolLoop({ model: played(of(...call('add', {}), { type: 'finish', reason: 'tool-use' } as const)), tools: [fakeTool(of('1'))], prompt, budget: { maxSteps: 1 } }));
    const history = historyOf((said.at(-1) as EventOf<'done'>).outcome);
    const next = script('-t-(z|)');

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, budget: { maxSteps: 1 } })).toBe(events)
      .having('L', { reason: 'max-steps', messages: [asked, { role: 'assistant' }, { role: 'tool', results: [{ isError: false }] }], answer: undefined });
    expectValues(after(toolLoop({ model: next, messages: history, prompt: 'on' }), () => next.requests[0]?.messages)).toBe('---(m|)', { m: [...history, userMessage('on')] });
    expect(transcriptFaults(history)).toEqual([]);
  }));
});

// prettier-ignore
describe('wcode: arguments and tool failures', () => {
  it('answers a call of an unknown tool with an error and goes on [56]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -d-(y|)         ');
    const turn2 = turn('    -----t-(z|) ');
    const add = tool('      (1|)        ');
    const events = '     -d-(y1)-T-(ZL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt })).toBe(events, { d: '0 call mul' })
      .having('1', { isError: true, error: { kind: 'not-found', message: 'There is no tool "mul". Available: add.' } }).having('L', { reason: 'answer' });
    expectSubscriptions(add).toBe([]);
  }));

  it('never gives a tool arguments against its schema; the model does better in the next step [59]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)               ', { c: call('add', { a: 1, b: 'two' }) });
    const turn2 = turn('    -----c-(y|)       ');
    const add = tool('             --(1|)    ', { input: numbers });
    const turn3 = turn('               --(z|) ');
    const events = '     -c-(y1)-C-Y-3-(eL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2, turn3), tools: [add], prompt })).toBe(events, { e: '2 end stop' })
      .having('1', { isError: true, error: { kind: 'invalid-input' } }).having('3', { isError: false, output: '1' });
    expectSubscriptions(add).toBe('----------^-!');
  }));

  it('flags the error in the next request [63]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const model = script(turn('-cd-(y|)'), turn('-t-(z|)'));
    const tools = [tool('#'), tool('(2|)', { name: 'mul' })];
    const over = '             -------(r|)';
    const results = () => model.requests[1]?.messages.flatMap((one) => (one.role === 'tool' ? one.results.map(({ name, isError, error }) => [name, isError, error?.kind]) : []));

    expectValues(after(toolLoop({ model, tools, prompt }), results)).toBe(over, { r: [['add', true, 'other'], ['mul', false, undefined]] });
  }));

  it.each<[when: string, turn1: string, add: string, over: string, stored: number, options: Partial<ToolLoopOptions>]>([
    ['it ran', '              -c-(y|)', '(1|)', '------(f|)', 1, {}],
    ['it failed', '           -c-(y|)', '#   ', '------(f|)', 1, {}],
    ['it named no tool', '    -d-(y|)', '(1|)', '------(f|)', 1, {}],
    ['its turn was cut', '    -c-(l|)', '(1|)', '---(f|)   ', 1, {}],
    ['its turn broke', '      -c-#   ', '(1|)', '------(f|)', 1, {}],
    ['a budget was spent', ' -cu-(y|)', '(1|)', '----(f|)   ', 1, { budget: { maxTotalTokens: 4 } }],
    ['no call was left', '    -c-(y|)', '(1|)', '------(f|)', 1, { budget: { maxToolCalls: 0 } }],
    ['the run was stopped', ' -c--(y|)', '----', '------(f|)', 1, { timeouts: { graceMs: 0 } }],
    ['it was half sent', '    -o-#   ', '(1|)', '------(f|)', 0, {}],
  ])('has one result for a call in the transcript, when %s [69]', (_when, diagram, answer, over, stored, options) => loopMarbles(({ turn, tool, script, hot, expectValues }) => {
    const o: Delta = { type: 'tool-call-start', index: 0, id: 'half', name: 'add' };
    const abort$ = options.timeouts === undefined ? hot('-') : hot('------x');
    const model = script(turn(diagram, diagram.includes('o') ? { o } : {}), turn('-t-(z|)'));
    const faults$ = toolLoop({ ...options, model, tools: [tool(answer)], prompt, abort$ }).pipe(
      ofType('done'),
      map(({ outcome }) => [transcriptFaults(historyOf(outcome)), callIdsOf(historyOf(outcome)).length]),
    );

    expectValues(faults$).toBe(over, { f: [[], stored] });
  })());
});

// prettier-ignore
describe('wcode: tools that run together', () => {
  it('gives results in call order when calls finish out of order [71]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cd(y|)               ');
    const add = tool('      -----(1|)        ', { parallelSafe: true });
    const mul = tool('      --(2|)           ', { name: 'mul', parallelSafe: true });
    const turn2 = turn('         ----t-(z|)   ');
    const story = '      -cdy----(12)T-(ZL|)  ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt })).toBe(story)
      .having('1', { elapsedMs: 5, output: '1' }).having('2', { elapsedMs: 2, output: '2' })
      .having('L', { messages: [{}, {}, { results: [{ callId: 'c0' }, { callId: 'd0' }] }] });
    expectSubscriptions(add).toBe('---^----!');
    expectSubscriptions(mul).toBe('---^-!');
  }));

  it('overlaps calls, eight at a time and no more [72]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ----c-(y|)             ', { c: calls(10) });
    const add = tool('         -----(1|)        ', { parallelSafe: true });
    const eight = '      ------^----!            ';
    const rest = '       -----------^----!       ';
    const turn2 = turn('                 --t(z|) ');
    const frame = '      (Ss)--y---------s--(ZL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt }), null, { lane: 'frame' }).toBe(frame);
    expectSubscriptions(add).toBe([...Array.from({ length: 8 }, () => eight), rest, rest]);
  }));

  it('runs an unsafe call alone: a barrier between what may overlap [75]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const four = [...calls(2), ...call('mul', {}, { index: 2, id: 'm' }), ...call('add', {}, { index: 3, id: 'last' })];
    const turn1 = turn(' -c-----(y|)                   ', { c: four });
    const add = tool('          -----(1|)              ', { parallelSafe: true });
    const mul = tool('               ----(2|)          ', { name: 'mul' });
    const turn2 = turn('                      -t-(z|)  ');
    const events = '     -(cdxe)y----(12)m----nT-(ZL|) ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt }))
      .toBe(events, { x: '0 call mul', e: '0 call add#3', 1: '0 result add', 2: '0 result add#2', m: '0 result mul', n: '0 result add#3' });
    expectSubscriptions(add).toBe(['-------^----!', '-------^----!', '----------------^----!']);
    expectSubscriptions(mul).toBe('  ------------^---!');
  }));

  it('starts a group in call order before any of it ends [76]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -cd(y|)               ');
    const add = tool('      (1|)             ', { parallelSafe: true });
    const mul = tool('      ---------(2|)    ', { name: 'mul', parallelSafe: true });
    const turn2 = turn('             ----t-(z|)');
    const tools = '      ---(ghijm1)-(n2)--|  ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt }), null, { lane: 'tools' }).toBe(tools);
  }));
});
