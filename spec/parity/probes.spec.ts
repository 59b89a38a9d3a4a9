import { afterAll, describe, expect, it } from '@jest/globals';
import { config, concat, from, interval, map, NEVER, of, shareReplay, Subject, take, tap, throwError, timer, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { concurrent, defineTool, historyOf, ModelError, ofType, pull, resultText, toolLoop } from '../../lib/index.ts';
import type { Delta, EventOf, EventType, LoopEvent, Model, Tool, ToolLoopOptions } from '../../lib/index.ts';
import { onDemand } from '../../lib/demand.ts';
import { call, fakeTool, finish, script, text } from '../../marbles/index.ts';
import { play } from '../support/play.ts';
import { transcriptFaults } from '../support/valid-transcript.ts';

// Small inputs on which engines differ: what becomes of each here, printed as one table at the end.

const rows: string[][] = [];
const row = (name: string, input: string, outcome: string): void => void rows.push([name, input, outcome]);
afterAll(() => {
  const widths = [0, 1].map((at) => Math.max(...rows.map((one) => one[at]?.length ?? 0)));
  const order = (name = ''): number => Number(name.slice(1));
  console.log(rows.sort(([a], [b]) => order(a) - order(b)).map((one) => one.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')).join('\n'));
});

const answer = of(text('over', 'b'), finish('stop'));
const asks = (...calls: (readonly Delta[])[]): Observable<Delta> => of(...calls.flat(), finish('tool-use'));
const add = (run: (args: { a: number; b: number }) => unknown = ({ a, b }) => a + b): Tool =>
  defineTool({ name: 'add', description: 'Adds.', input: z.object({ a: z.number(), b: z.number() }), run }) as Tool;

/** A run in virtual time, all of it over. */
function run(options: Omit<ToolLoopOptions, 'prompt' | 'scheduler' | 'ids'>, scheduler = new VirtualTimeScheduler(), read = (run$: Observable<LoopEvent>) => run$) {
  let ids = 0;
  const frames: number[] = [];
  const run$ = toolLoop({ prompt: 'go', scheduler, ids: (kind) => `${kind}${++ids}`, ...options });
  const played = play(read(run$).pipe(tap({ next: () => frames.push(scheduler.frame), complete: () => frames.push(scheduler.frame) })));
  scheduler.flush();
  const all = <Type extends EventType>(type: Type): EventOf<Type>[] => played.events.filter((event): event is EventOf<Type> => event.type === type);
  const outcome = () => (played.events.at(-1) as EventOf<'done'>).outcome;
  return { ...played, frames, all, outcome };
}

/** The result of the only call of a run, told to the model. */
function fedBack(given: readonly Delta[], tool = add(), options: Partial<ToolLoopOptions> = {}) {
  const model = script(asks(given), answer);
  const { all, outcome } = run({ model, tools: [tool], ...options });
  const [result] = all('tool-result');
  expect(all('tool-result')).toHaveLength(1);
  expect(outcome().reason).toBe('answer');
  expect(model.requests[1]?.messages.at(-1)).toEqual({ role: 'tool', results: [result?.result] });
  return { text: resultText(result?.result.content ?? []), isError: result?.result.isError, started: all('tool-start').length };
}

describe('a stream', () => {
  it('P1: is never read further ahead of a slow reader than it is told', async () => {
    const readBy = async (highWaterMark: number): Promise<number> => {
      let made = 0;
      const model: Model = {
        ...script(), stream: ({ demand }) => concat(from(Array.from({ length: 5_000 }, () => text('x', 'b'))), of(finish('stop'))).pipe(onDemand(demand), tap(() => made++)),
      };
      let taken = 0;
      for await (const { type } of pull((demand) => toolLoop({ model, prompt: 'go', demand }), { highWaterMark })) if (type === 'delta' && ++taken === 20) break;
      return made;
    };
    const [few, many] = [await readBy(4), await readBy(64)];
    expect(few).toBeLessThanOrEqual(20 + 4);
    expect(many).toBeLessThanOrEqual(20 + 64);
    expect(many).toBeGreaterThan(few);
    row('P1', '5,000 deltas at once, reader takes 20', `the model made ${few} with a mark of 4, ${many} with 64`);
  });

  it('P2: ends in the tick in which the reader leaves', () => {
    const scheduler = new VirtualTimeScheduler();
    scheduler.maxFrames = 1_000;
    let made = 0;
    const endless = interval(5, scheduler).pipe(map(() => text('x', 'b')), tap(() => made++));
    const { all } = run({ model: script(endless) }, scheduler, (run$) => run$.pipe(take(10)));
    expect(all('delta')).toHaveLength(made);
    expect(scheduler.actions).toEqual([]);
    row('P2', 'endless deltas, reader leaves after 8', `the model made ${made}; no timer is left`);
  });

  it('P3: that fails for good is not repeated; one that may be is withdrawn, numbered and said once', () => {
    const words = of(text('Hello ', 'b'), text('wor', 'b'));
    const failing = (error: ModelError) => concat(words, throwError(() => error));
    const whole = of(text('Hello ', 'b'), text('world', 'b'), finish('stop'));
    const policy = { streamFailure: { retract: 2 } } as const;
    const fatalModel = script(failing(new ModelError('model-http', 'No.', { status: 400 })), whole);
    const fatal = run({ model: fatalModel, policy, retry: { count: 2 } });
    expect([fatalModel.requests.length, fatal.ending, (fatal.error as { code: string }).code]).toEqual([1, 'error', 'model-http']);

    const again = run({ model: script(failing(new ModelError('model-transport', 'Cut.', { retryable: true })), whole), policy, retry: { count: 2, jitter: 0 } });
    expect(again.all('step-retract')).toMatchObject([{ attempt: 1, blocks: ['b'] }]);
    expect(again.all('retry')).toMatchObject([{ attempt: 2, count: 1, max: 2, delayMs: 500 }]);
    expect(again.outcome().completion.text).toBe('Hello world');
    row('P3', 'two deltas, then an error', 'fatal: 1 request; transient: withdrawn, attempt 2, the text is "Hello world"');
  });

  it('P4: that just stops is a typed, transient failure', () => {
    const cut = of(text('hi', 'b'));
    const failed = run({ model: script(cut), policy: { streamFailure: 'fail' } });
    expect(failed.error).toMatchObject({ code: 'model-transport', retryable: true });
    const repeated = run({ model: script(of(), answer), retry: { jitter: 0 } });
    expect(repeated.all('retry')).toHaveLength(1);
    expect(repeated.outcome().reason).toBe('answer');
    const told = run({ model: script(cut, answer) });
    expect(told.all('correction')).toHaveLength(1);
    row('P4', 'one delta, then the end without finish', 'model-transport, retryable; unseen it is repeated, seen the model is told');
  });
});

describe('tools', () => {
  it('P5: that ignore a stop are answered within graceMs; a late word is dropped and reported', async () => {
    const scheduler = new VirtualTimeScheduler();
    const model = script(asks(call('add', {}, { id: 'c', index: 0 })), answer);
    const { frames, outcome } = run({ model, tools: [fakeTool(NEVER)], abort$: timer(60, scheduler), timeouts: { graceMs: 100 } }, scheduler);
    expect([frames.at(-1), model.requests.length, outcome().reason]).toEqual([160, 1, 'aborted']);
    expect(outcome().messages.at(-1)).toMatchObject({ role: 'tool', results: [{ callId: 'c', isError: true, error: { kind: 'cancelled' } }] });
    expect(transcriptFaults(historyOf(outcome()))).toEqual([]);

    const settle$ = new Subject<void>();
    const slow = defineTool({ name: 'add', description: 'Late.', input: z.object({}), timeoutMs: 60, run: () => new Promise((resolve) => settle$.subscribe(resolve)) });
    const time = new VirtualTimeScheduler();
    const { all } = run({ model: script(asks(call('add', {}, { id: 'c', index: 0 })), concat(answer.pipe(take(1)), NEVER)), tools: [slow], timeouts: { idleMs: 0, stallMs: 0 } }, time);
    expect(all('tool-result')).toMatchObject([{ result: { error: { kind: 'timeout' } } }]);
    settle$.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(all('tool-dropped')).toMatchObject([{ callId: 'c', reason: 'late' }]);
    row('P5', 'a tool that ignores the stop', 'stopped at 60, grace 100: done at 160, result `cancelled`, no further model call; late: tool-dropped');
  });

  it('P6: run together and are told of in call order, to reader and model', () => {
    const scheduler = new VirtualTimeScheduler();
    const late = (ms: number, name: string) => fakeTool(timer(ms, scheduler).pipe(map(() => name)), { name, parallelSafe: true });
    const model = script(asks(call('a', {}, { id: 'A', index: 0 }), call('b', {}, { id: 'B', index: 1 })), answer);
    const { all, events, frames } = run({ model, tools: [late(80, 'a'), late(5, 'b')], schedule: concurrent(8) }, scheduler);
    expect(all('tool-start').map((event) => frames[events.indexOf(event)])).toEqual([0, 0]);
    expect(all('tool-result').map((event) => [event.callId, event.elapsedMs, frames[events.indexOf(event)]])).toEqual([['A', 80, 80], ['B', 5, 80]]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ callId: 'A' }, { callId: 'B' }] });
    row('P6', 'two tools, 80 and 5 ms', 'both start at once; results A, B at 80; the model reads A, B');
  });

  it('P7: are not called with arguments that were cut; the model is told where they end', () => {
    const { text, isError, started } = fedBack(call('add', '{"a": 1', { index: 0, id: 'c' }));
    expect([isError, started]).toEqual([true, 0]);
    expect(text).toMatch(/position 7/);
    row('P7', 'arguments are half a JSON object', `fed back: ${text.slice(0, 90)}`);
  });

  it('P8: without arguments are called with an empty object, if their schema takes one', () => {
    const { text, started } = fedBack(call('add', '', { index: 0, id: 'c' }));
    expect(started).toBe(0);
    expect(text).toMatch(/Invalid arguments.*a: .*; b: /);
    const now = defineTool({ name: 'now', description: 'The time.', input: z.object({}), run: () => 'noon' });
    expect(fedBack(call('now', '', { index: 0, id: 'c' }), now)).toMatchObject({ text: 'noon', isError: false });
    row('P8', 'arguments are the empty string', 'read as {}, then checked: fed back where a field is needed, run where none is');
  });

  it('P9: that do not exist are fed back with the nearest known name', () => {
    const { text, isError } = fedBack(call('ad', {}, { index: 0, id: 'c' }));
    expect(isError).toBe(true);
    expect(text).toMatch(/no tool "ad".*"add"/);
    row('P9', 'an unknown tool', `fed back: ${text}`);
  });

  it('P10: refuse arguments that break their schema, naming the place', () => {
    const { text, isError, started } = fedBack(call('add', { a: 1, b: 'two' }, { index: 0, id: 'c' }));
    expect([isError, started]).toEqual([true, 0]);
    expect(text).toMatch(/"add": b: /);
    row('P10', 'arguments break the schema', `fed back: ${text}`);
  });

  it('P11: called twice under one id both run, under ids of their own', () => {
    const twice = [...call('add', { a: 1, b: 1 }, { index: 0, id: 'x' }), ...call('add', { a: 2, b: 2 }, { index: 1, id: 'x' })];
    const { all } = run({ model: script(asks(twice), answer), tools: [add()] });
    expect(all('tool-result').map(({ callId, result }) => [callId, result.output])).toEqual([['x', 2], ['call2', 4]]);
    expect(all('tool-call')[1]?.call).toMatchObject({ id: 'call2', meta: { providerId: 'x' } });
    row('P11', 'two calls with the id x', 'both run, as x and call2; the second keeps providerId x');
  });

  it('P12: called for ever end at the cap, with an answer, or where they repeat themselves', () => {
    const endless = (): Model => {
      let n = 0;
      return { ...script(), stream: ({ toolChoice }) => (toolChoice === 'none' ? answer : asks(call('add', { a: 1, b: 1 }, { index: 0, id: `c${n++}` }))) };
    };
    const capped = run({ model: endless(), tools: [add()], budget: { maxSteps: 4, lastStep: 'answer' } }).outcome();
    expect([capped.reason, capped.steps.length, capped.completion.text]).toEqual(['max-steps', 4, 'over']);
    const repeated = run({ model: endless(), tools: [add()], budget: { maxSteps: 50, repetition: 3 } }).outcome();
    expect([repeated.reason, repeated.steps.length]).toEqual(['repetition', 3]);
    row('P12', 'a model that calls for ever', 'cap 4: 3 rounds and an answer; or `repetition` after 3 equal steps');
  });

  it('P13: start at the end of the step, or as soon as their call is complete where they may', () => {
    const startOf = (eager: boolean): number | undefined => {
      const scheduler = new VirtualTimeScheduler();
      const speech = concat(of(...call('add', {}, { id: 'c', index: 0 })), timer(200, scheduler).pipe(map(() => text('so', 'b'))), of(finish('tool-use')));
      const { all, events, frames } = run({ model: script(speech, answer), tools: [fakeTool(of(1), { eager })] }, scheduler);
      const [start] = all('tool-start');
      expect([all('tool-start').length, start?.speculative]).toEqual([1, eager ? true : undefined]);
      return start && frames[events.indexOf(start)];
    };
    expect([startOf(true), startOf(false)]).toEqual([0, 200]);
    row('P13', 'a call, then 200 ms of text', 'the tool starts at 0 where it is eager, else at 200');
  });

  it('P14: that throw are fed back, whole or redacted', () => {
    const bad = (): Tool => add(() => {
      throw new Error('The key is 123.');
    });
    const sum = call('add', { a: 1, b: 1 }, { index: 0, id: 'c' });
    expect(fedBack(sum, bad())).toMatchObject({ text: 'The key is 123.', isError: true });
    expect(fedBack(sum, bad(), { policy: { toolErrorText: 'redacted' } })).toMatchObject({ text: 'The tool failed (other).', isError: true });
    row('P14', 'a tool throws', 'fed back: its text, or by policy "The tool failed (other)."');
  });
});

describe('a reader', () => {
  it('P15: that throws is reported to the host, once, and changes nothing', async () => {
    const reported: unknown[] = [];
    config.onUnhandledError = (error) => reported.push(error);
    const heard: string[] = [];
    toolLoop({ model: script(asks(call('add', { a: 1, b: 1 }, { index: 0, id: 'c' })), answer), tools: [add()], prompt: 'go' }).subscribe(({ type }) => {
      heard.push(type);
      if (type === 'tool-result') throw new Error('The reader threw.');
    });
    await new Promise((resolve) => setTimeout(resolve));
    config.onUnhandledError = null;
    expect(heard.at(-1)).toBe('done');
    expect(reported.map(String)).toEqual(['Error: The reader threw.']);
    row('P15', 'a reader throws in `next`', 'reported once; the run goes on to `done`');
  });

  it('P15: that is a hook and throws ends the run, or is told of once where it only looks on', () => {
    const hook = (observe: boolean) => ({
      ...(observe && { observe: true as const }), deltas: ['text' as const],
      onDelta() {
        throw new Error('The hook threw.');
      },
    });
    const model = (): Model => script(of(text('a', 'b'), text('b', 'b'), finish('stop')));
    const looking = run({ model: model(), hooks: [hook(true)] });
    expect(looking.all('status').map(({ text: said }) => said)).toEqual(['Hook 0 failed in onDelta: The hook threw.']);
    expect(looking.outcome()).toMatchObject({ reason: 'answer', completion: { text: 'ab' } });
    const deciding = run({ model: model(), hooks: [hook(false)] });
    expect(deciding.error).toMatchObject({ code: 'hook' });
    row('P15', 'a hook throws', 'the run ends with code `hook`; with `observe` it is reported once as `status`');
  });

  it('P16: that never comes costs nothing', () => {
    const model = script(answer);
    const run$ = toolLoop({ model, prompt: 'go' });
    expect([typeof run$.subscribe, model.requests.length]).toEqual(['function', 0]);
    row('P16', 'a run that nobody reads', `${model.requests.length} requests`);
  });

  it('P17: of a stream with CRLF line ends reads the same', async () => {
    const body = ['data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}', 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}', 'data: [DONE]', ''];
    const textOf = (end: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const model = openaiChat({ model: 'm', fetch: async () => new Response(body.join(end + end)) });
        toolLoop({ model, prompt: 'go' }).pipe(ofType('done')).subscribe({ next: ({ outcome }) => resolve(outcome.completion.text), error: reject });
      });
    expect(await Promise.all(['\n', '\r\n', '\r'].map(textOf))).toEqual(['hi', 'hi', 'hi']);
    row('P17', 'CRLF line ends', 'accepted');
  });

  it('P18: that comes late has a run of its own, or shares one from its beginning', () => {
    const playTwo = (share: (run$: Observable<LoopEvent>) => Observable<LoopEvent>) => {
      const scheduler = new VirtualTimeScheduler();
      const slow = concat(interval(10, scheduler).pipe(take(5), map((n) => text(String(n), 'b'))), of(finish('stop')));
      const model = script(slow, slow);
      const run$ = share(toolLoop({ model, prompt: 'go', scheduler }));
      const first = play(run$);
      let second = first;
      scheduler.schedule(() => (second = play(run$)), 30);
      scheduler.flush();
      return { requests: model.requests.length, counts: [first.events.length, second.events.length] };
    };
    expect(playTwo((run$) => run$)).toEqual({ requests: 2, counts: [10, 10] });
    expect(playTwo((run$) => run$.pipe(shareReplay({ refCount: true })))).toEqual({ requests: 1, counts: [10, 10] });
    row('P18', 'a second reader after 30 ms', 'a run of its own; with shareReplay the same run from its beginning');
  });
});
