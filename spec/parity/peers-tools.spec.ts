import { describe, expect, it } from '@jest/globals';
import { map, of, timer, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { concurrent, defineTool, resultText, toolLoop } from '../../lib/index.ts';
import type { Delta, EventOf, EventType, Tool, ToolLoopOptions } from '../../lib/index.ts';
import { call, finish, script, text } from '../../marbles/index.ts';
import { play } from '../support/play.ts';

// Arguments, ids and calls side by side. The numbers are those of docs/peers.md.

const answer = of(text('over', 'b'), finish('stop'));
const asks = (...calls: (readonly Delta[])[]): Observable<Delta> => of(...calls.flat(), finish('tool-use'));
const echo = defineTool({ name: 'echo', description: 'Says what it got.', input: z.looseObject({}), run: (args) => args }) as Tool;

function run(turns: readonly Observable<Delta>[], tools: readonly Tool[], options: Partial<ToolLoopOptions> = {}) {
  const scheduler = new VirtualTimeScheduler();
  const model = script(...turns);
  const played = play(toolLoop({ model, tools, prompt: 'go', scheduler, ...options }));
  scheduler.flush();
  const all = <Type extends EventType>(type: Type): EventOf<Type>[] => played.events.filter((event): event is EventOf<Type> => event.type === type);
  return { ...played, model, all, outcome: (played.events.at(-1) as EventOf<'done'>).outcome };
}
/** A tool for the scheduler of its run. */
const late = (name: string, ms: number, scheduler: VirtualTimeScheduler, act: () => unknown = () => name): Tool =>
  defineTool({ name, description: `Takes ${ms} ms.`, input: z.object({}), parallelSafe: true, run: () => timer(ms, scheduler).pipe(map(act)) }) as Tool;
function runLate(turns: readonly Observable<Delta>[], tools: (scheduler: VirtualTimeScheduler) => readonly Tool[], options: Partial<ToolLoopOptions> = {}) {
  const scheduler = new VirtualTimeScheduler();
  const played = run(turns, tools(scheduler), { scheduler, ...options });
  scheduler.flush();
  return { ...played, done: played.events.at(-1) as EventOf<'done'> };
}

describe('arguments', () => {
  it.each(['', '{}'])('of a tool without parameters that are %j are an empty object [#80]', (raw) => {
    const { all } = run([asks(call('echo', raw, { id: 'c', index: 0 })), answer], [echo]);
    expect(all('tool-start')[0]?.call.arguments).toEqual({});
  });

  it('of two calls whose pieces alternate stay apart, each with its own index [#76]', () => {
    const [a, b] = [call('echo', { a: 1 }, { id: 'x', index: 0 }), call('echo', { b: 2 }, { id: 'y', index: 1 })];
    const mixed = a.flatMap((delta, n) => [delta, b[n] as Delta]);
    const { all } = run([asks(mixed), answer], [echo]);
    expect(all('tool-result').map(({ callId, result }) => [callId, result.output])).toEqual([['x', { a: 1 }], ['y', { b: 2 }]]);
  });

  it.each([
    ['are a string', '"add"'],
    ['are half an object', '{"a":'],
  ])('that %s are fed back, and the run goes on [#77] [#79]', (_what, raw) => {
    const { all, outcome } = run([asks(call('echo', raw, { id: 'c', index: 0 })), answer], [echo]);
    expect([all('tool-start').length, all('tool-result')[0]?.result.isError, outcome.reason]).toEqual([0, true, 'answer']);
  });
});

describe('calls of one step', () => {
  it('have their results in call order, whichever ends first [#82]', () => {
    const { model } = runLate([asks(call('a', {}, { id: 'A', index: 0 }), call('b', {}, { id: 'B', index: 1 })), answer], (scheduler) => [late('a', 80, scheduler), late('b', 5, scheduler)]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ callId: 'A' }, { callId: 'B' }] });
  });

  it('stand together in one turn, and their results in the message after it [#83]', () => {
    const { model } = runLate([asks(call('a', {}, { id: 'A', index: 0 }), call('b', {}, { id: 'B', index: 1 })), answer], (scheduler) => [late('a', 8, scheduler), late('b', 5, scheduler)]);
    const [, turn, results, ...rest] = model.requests[1]?.messages ?? [];
    expect([turn?.role === 'assistant' && turn.content.map(({ type }) => type), results?.role === 'tool' && results.results.length, rest]).toEqual([['tool-call', 'tool-call'], 2, []]);
  });

  it('run so many at a time as are allowed, of fifty too [#85]', () => {
    let [open, most] = [0, 0];
    const fifty = Array.from({ length: 50 }, (_, index) => call('a', {}, { id: `c${index}`, index }));
    const counted = (scheduler: VirtualTimeScheduler): Tool =>
      defineTool({
        name: 'a', description: 'Counts.', input: z.object({}), parallelSafe: true,
        run() {
          most = Math.max(most, ++open);
          return timer(3, scheduler).pipe(map(() => --open));
        },
      }) as Tool;
    const { all } = runLate([asks(...fifty), answer], (scheduler) => [counted(scheduler)], { schedule: concurrent(4) });
    expect([most, all('tool-start').length]).toEqual([4, 50]);
    [open, most] = [0, 0];
    runLate([asks(...fifty), answer], (scheduler) => [counted(scheduler)]);
    expect(most).toBe(8);
  });

  it('end each for itself: one that throws spoils no other [#86]', () => {
    const throws = () => {
      throw new Error('No.');
    };
    const three = ['a', 'b', 'c'].map((name, index) => call(name, {}, { id: name, index }));
    const { done } = runLate([asks(...three), answer], (scheduler) => [late('a', 9, scheduler), late('b', 1, scheduler, throws), late('c', 5, scheduler)]);
    const results = done.outcome.messages.at(-1);
    expect(results?.role === 'tool' && results.results.map(({ isError, content }) => [isError, resultText(content)])).toEqual([[false, 'a'], [true, 'No.'], [false, 'c']]);
  });
});

describe('a run with tools', () => {
  it.each(['tool', 'prompt'] as const)('and an output that is asked for (%s) ends with it, after its tools [#88]', (mode) => {
    const value = { sum: 3 };
    const said = mode === 'tool' ? asks(call('final_result', value, { id: 'o', index: 0 })) : of(text(JSON.stringify(value), 'b'), finish('stop'));
    const { outcome, model } = run([asks(call('echo', {}, { id: 'c', index: 0 })), said], [echo], { output: { schema: z.object({ sum: z.number() }), mode } });
    expect([outcome.reason, outcome.completion.json, model.requests.length]).toEqual(['output', value, 2]);
  });

  it('changes them between two steps by a hook, which may also end it there [#107]', () => {
    const { model } = run([asks(call('echo', {}, { id: 'c', index: 0 })), answer], [echo], { hooks: [{ beforeRequest: (_view, { step }) => (step > 0 ? { tools: [] } : undefined) }] });
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['echo'], []]);
    const stopped = run([asks(call('echo', {}, { id: 'c', index: 0 })), answer], [echo], { hooks: [{ beforeRequest: (_view, { step }) => (step > 0 ? { type: 'stop' } : undefined) }] });
    expect([stopped.outcome.reason, stopped.model.requests.length]).toEqual(['stopped', 1]);
  });
});
