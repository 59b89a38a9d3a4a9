import { describe, expect, it } from '@jest/globals';
import { concat, defer, filter, ignoreElements, lastValueFrom, map, of, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { ofType, toolLoop } from '../../lib/index.ts';
import type { Delta, FinishReason, LoopEvent, ToolLoopOptions, ToolMessage } from '../../lib/index.ts';
import { call, fakeTool, finish, reasoning, script as played, text } from '../../marbles/index.ts';
import { play } from '../support/play.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// The third engine: what a model says. See rig.spec.ts.

const options = { prompt: 'go', preset: 'atomic' } satisfies Partial<ToolLoopOptions>;
const after = <T>(run$: Observable<LoopEvent>, read: () => T): Observable<T> => concat(run$.pipe(ignoreElements()), defer(() => of(read())));
const start = (index: number, id: string, name = 'add'): Delta => ({ type: 'tool-call-start', index, id, name });
const chunk = (index: number, words: string): Delta => ({ type: 'tool-call-arguments', index, chunk: words });
const end = (index: number, id: string, args: unknown, name = 'add'): Delta => ({ type: 'tool-call-end', index, call: { id, name, arguments: args, rawArguments: JSON.stringify(args) } });

// prettier-ignore
describe('rig: folding a turn', () => {
  it('joins text in order, and keeps its parts in the order in which they came [19] [30]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -k-t-t-(z|) ');
    const events = '     -k-t-t-(zL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1) })).toBe(events).having('L', { completion: { text: 'hihi' }, answer: { content: [{ type: 'reasoning' }, { type: 'text', text: 'hihi' }] } });
  }));

  it('assembles the interleaved arguments of parallel calls, each by itself [23]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const pieces = [start(0, 'one'), start(1, 'two', 'mul'), chunk(0, '{"a":'), chunk(1, '{"b":'), chunk(0, '1}'), chunk(1, '2}'), end(1, 'two', { b: 2 }, 'mul'), end(0, 'one', { a: 1 })];
    const turn1 = turn(' -----x----(y|) ', { x: pieces });
    const events = '     -----(dc)-(y12#)';

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [tool('(1|)'), tool('(2|)', { name: 'mul' })], budget: { maxSteps: 1 } })).toBe(events)
      .having('1', { call: { arguments: { a: 1 } } }).having('2', { call: { arguments: { b: 2 } } });
  }));

  it('comes to the same call however its arguments are cut [24]', () => {
    const raw = '{"a":1,"b":"ä𝄞"}';
    const run = (pieces: readonly string[]) => {
      const deltas = [start(0, 'c0'), ...pieces.map((piece) => chunk(0, piece)), end(0, 'c0', JSON.parse(raw)), finish('tool-use')];
      return play(toolLoop({ ...options, model: played(of(...deltas)), tools: [fakeTool(of('1'))], runId: 'r', budget: { maxSteps: 1 } })).events.filter(({ type }) => type === 'tool-call');
    };
    const whole = run([raw]);

    expect(whole).toMatchObject([{ call: { arguments: { a: 1, b: 'ä𝄞' } } }]);
    for (let at = 0; at <= raw.length; at += 1) expect(run([raw.slice(0, at), raw.slice(at)])).toEqual(whole);
  });

  it('keeps interleaved pieces of reasoning apart, in the order in which they began [29]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -abcd-(z|) ', { a: reasoning('one', 'r1'), b: reasoning('two', 'r2'), c: reasoning(' more', 'r1'), d: text('hi') });
    const answer = { content: [{ type: 'reasoning', block: 'r1', text: 'one more' }, { type: 'reasoning', block: 'r2', text: 'two' }, { type: 'text' }] };

    expectEvents(toolLoop({ ...options, model: script(turn1) })).toBe('-abct-(zL|)', { a: '0 reasoning "one"', b: '0 reasoning "two"', c: '0 reasoning " more"' }).having('L', { answer });
  }));

  it('passes on what it does not know, and keeps it out of the turn [31]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' ----x-t-(z|)    ', { x: { type: 'unknown', raw: { kind: 'new' } } });
    const all = '        (Ss)x-t-(fzL|) ';

    expectEvents(toolLoop({ ...options, model: script(turn1) }), null, { lane: 'all' }).toBe(all, { x: '0 unknown' }).having('L', { answer: { content: [{ type: 'text' }] } });
  }));

  it('hears a second end of a call no more; a call that was cut is not there [32]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-x-h-(y|)   ', { x: end(0, 'c0', { a: 9 }), h: [start(1, 'half'), chunk(1, '{"a"')] });
    const add = tool('          (1|)   ');
    const events = '     -c-----(y1#)  ';

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add], budget: { maxSteps: 1 } })).toBe(events, {}, { code: 'budget' }).having('1', { call: { arguments: { a: 1, b: 2 } } });
    expectSubscriptions(add).toBe('-------(^!)');
  }));

  it('gives calls without an id, or with one twice, ids and results of their own [33]', loopMarbles(({ turn, tool, script, expectValues }) => {
    const same = [...call('add', {}, { index: 0, id: 'x' }), ...call('add', {}, { index: 1, id: 'x' }), ...call('add', {}, { index: 2, id: '' })];
    const model = script(turn('-c-(y|)', { c: same }), turn('-(z|)'));
    const ids = () => (model.requests[1]?.messages.at(-1) as ToolMessage).results.map(({ callId }) => callId);

    expectValues(after(toolLoop({ ...options, model, tools: [tool('(1|)')] }), () => new Set(ids()).size)).toBe('----(n|)', { n: 3 });
  }));

  it('takes a stop with calls for the use of tools [34]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(z|)     ');
    const add = tool('      --(1|)  ');
    const events = '     -c-y-(1#)   ';

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add], budget: { maxSteps: 1 } })).toBe(events, {}, { code: 'budget' }).having('y', { finish: 'tool-use', toolCalls: 1 });
  }));

  it('passes on a reason to finish that it has no word for [35]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(e|) ', { e: { type: 'finish', reason: 'other', rawFinish: 'recitation' } });
    const events = '     -t-(zL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1) })).toBe(events, { z: '0 end other' }).having('z', { rawFinish: 'recitation' }).having('L', { reason: 'answer', completion: { rawFinish: 'recitation' } });
  }));
});

const frame = (delta: object, reason: string | null = null): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
const piece = (more: object, args: string): string => frame({ tool_calls: [{ index: 0, ...more, function: { ...more, arguments: args } }] });
const wire = (...frames: string[]) => openaiChat({ model: 'm', fetch: (async () => new Response([...frames, 'data: [DONE]\n\n'].join(''))) as typeof fetch });
const deltasOf = (model: ReturnType<typeof wire>): Promise<readonly Delta[]> =>
  lastValueFrom(toolLoop({ ...options, model, tools: [fakeTool(of('1'))], budget: { maxSteps: 1 }, policy: { budgetEnd: 'stop' } }).pipe(ofType('delta'), map(({ delta }) => delta), filter(({ type }) => type !== 'usage'), toArray()));

describe('rig: over the wire', () => {
  it('holds arguments that come before their name, and gives them after it [36]', async () => {
    const model = wire(piece({}, '{"a":'), piece({ id: 'c0', name: 'add' }, ''), piece({}, '1}'), frame({}, 'tool_calls'));

    expect((await deltasOf(model)).map((delta) => (delta.type === 'tool-call-arguments' ? delta.chunk : delta.type))).toEqual(['tool-call-start', '{"a":', '1}', 'tool-call-end', 'finish']);
  });

  it('fails where arguments never get a name [37]', async () => {
    await expect(deltasOf(wire(piece({ id: 'c0' }, '{"a":1}'), frame({}, 'tool_calls')))).rejects.toMatchObject({ code: 'model-protocol' });
  });

  it('reports one frame that cannot be read, and goes on [132]', async () => {
    const deltas = await deltasOf(wire(frame({ content: 'hi' }), 'data: {"choices":\n\n', frame({ content: ' you' }), frame({}, 'stop')));

    expect(deltas.map((delta) => (delta.type === 'text' ? delta.text : delta.type))).toEqual(['hi', 'unknown', ' you', 'finish']);
  });

  it('refuses an input of a call that is longer than a frame may be [38]', async () => {
    const model = wire(piece({ id: 'c0', name: 'add' }, `{"a":"${'x'.repeat(16 * 1_048_576)}"}`), frame({}, 'tool_calls'));

    await expect(deltasOf(model)).rejects.toMatchObject({ code: 'model-stream' });
  });
});

// prettier-ignore
describe('rig: a stream that breaks', () => {
  it.each<[how: string, turn1: string, events: string, code: string]>([
    ['ends without its finish', '-t-c-|', '-t-c-#', 'model-transport'],
    ['fails', '                  -t-c-#', '-t-c-#', 'model-transport'],
    ['asks for tools without a call', '-t-(y|)', '-t-#', 'model-protocol'],
  ])('is a failure where it %s: its complete calls are shown, and do not run [128] [133]', (_how, diagram, events, code) => loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(diagram);
    const add = tool('(1|)');

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add] })).toBe(events, {}, { code });
    expectSubscriptions(add).toBe([]);
  })());

  it('shows no finish behind an error, and takes content behind a finish for one [131]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' ----t-(ez|)', { e: finish('error') });
    const turn2 = turn(' ----t-(zt|)');
    const all = '        (Ss)t-#    ';

    expectEvents(toolLoop({ ...options, model: script(turn1) }), null, { lane: 'all' }).toBe(all, {}, { code: 'model-protocol' });
    expectEvents(toolLoop({ ...options, model: script(turn2) }), null, { lane: 'all' }).toBe(all, {}, { code: 'model-protocol', message: /sent "text" after its finish/ });
  }));

  it.each<FinishReason>(['length', 'content-filter'])('fails where nothing but reasoning came before "%s"; partial text is an answer [134]', (reason) => loopMarbles(({ turn, script, expectEvents }) => {
    const e = finish(reason);
    const empty = turn('  --(e|)  ', { e });
    const thought = turn('-k-(e|) ', { e });
    const partial = turn('-t-(e|) ', { e });

    expectEvents(toolLoop({ ...options, model: script(empty) })).toBe('  --(z#) ', {}, { code: 'empty-answer' });
    expectEvents(toolLoop({ ...options, model: script(thought) })).toBe('-k-(z#) ', {}, { code: 'empty-answer' });
    expectEvents(toolLoop({ ...options, model: script(partial) })).toBe('-t-(zL|)').having('L', { reason, completion: { text: 'hi' } });
  })());

  it('takes an empty turn that stopped for an answer [134]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -k-(z|) ');
    const events = '     -k-(zL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1) })).toBe(events).having('L', { reason: 'answer', completion: { text: '' } });
  }));
});
