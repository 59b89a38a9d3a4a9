import { describe, expect, it } from '@jest/globals';
import { asyncScheduler, firstValueFrom, isObservable, NEVER, of, throwError, toArray, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { ToolError } from '../../lib/errors.ts';
import type { ToolDropped } from '../../lib/event.ts';
import { call as invoke } from '../../lib/invoke/call.ts';
import type { CallContext } from '../../lib/invoke/call-context.ts';
import type { CallSaid as CallEvent } from '../../lib/invoke/finish-call.ts';
import { defineTool } from '../../lib/invoke/define-tool.ts';
import { toolCall } from '../../lib/message.ts';
import type { ToolCall } from '../../lib/message.ts';
import type { Answer, Tool } from '../../lib/tool.ts';
import { toolOutput } from '../../lib/tool-output.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

/** A call that does not run answers with the plain event. */
const call = (what: ToolCall, given: CallContext): Observable<CallEvent> => {
  const answer = invoke(what, given);
  return isObservable(answer) ? answer : of(answer);
};

const LETTERS: Readonly<Record<string, string>> = { 'tool-start': 's', 'tool-progress': 'p', 'tool-commit': 'c', 'tool-result': 'r' };
const add = (run: (args: { a: number }) => Answer<unknown>): Tool =>
  defineTool({ name: 'add', description: 'Adds.', input: z.object({ a: z.number() }), run });
const context = (tools: Tool[], change: Partial<CallContext> = {}): CallContext => ({
  runId: 'r',
  step: 2,
  tools: new Map(tools.map((tool) => [tool.name, tool])),
  scheduler: asyncScheduler,
  errorText: ({ message }) => `told: ${message}`,
  graceMs: 0,
  isStopped: () => false,
  mayNotStart: () => undefined,
  later: () => undefined,
  ...change,
});
const one = toolCall('c1', 'add', '{"a":1}');

function events(tool: Tool | undefined, what = one, change?: Partial<CallContext>): CallEvent[] {
  const seen: CallEvent[] = [];
  call(what, context(tool === undefined ? [] : [tool], change)).subscribe((event) => seen.push(event));
  return seen;
}

const result = (seen: readonly CallEvent[]): unknown => seen.flatMap((event) => (event.type === 'tool-result' ? [event.result] : []))[0];

describe('call', () => {
  // prettier-ignore
  it('starts, runs the body, commits and answers', loopMarbles(({ cold, scheduler, expectValues, expectSubscriptions }) => {
    const body = cold('     --1|     ');
    const expected = '      s--(cr|) ';
    const letters: Record<string, unknown> = {
      s: { type: 'tool-start', runId: 'r', step: 2, callId: 'c1', call: one, startedAt: 0 },
      c: { type: 'tool-commit', runId: 'r', step: 2, callId: 'c1', call: one },
      r: { type: 'tool-result', runId: 'r', step: 2, callId: 'c1', call: one, elapsedMs: 3, result: { callId: 'c1', name: 'add', content: [{ type: 'text', text: '1' }], isError: false, output: '1' } },
    };

    expectValues(call(one, context([add(() => body)], { scheduler }))).toBe(expected, letters);
    expectSubscriptions(body).toBe('^--!');
  }));

  // prettier-ignore
  it('shows progress while the body runs, and leaves it with the subscriber', loopMarbles(({ cold, scheduler, expectValues, expectSubscriptions }) => {
    const body = cold('     -1-2-3-4|');
    const leave = '         ------!  ';
    const call$ = call(one, context([add(() => body)], { scheduler }));

    expectValues(call$, leave).toBe('s--p-q-', { s: expect.objectContaining({ type: 'tool-start' }), p: expect.objectContaining({ progress: '1' }), q: expect.objectContaining({ progress: '2' }) });
    expectSubscriptions(body).toBe('^-----!');
  }));

  it.each([
    ['a string as it is', 'hi', [{ type: 'text', text: 'hi' }], 'hi'],
    ['an object as its JSON text', { a: [1] }, [{ type: 'text', text: '{"a":[1]}' }], { a: [1] }],
    ['nothing as no content and no output', undefined, [], undefined],
    ['null as its JSON text', null, [{ type: 'text', text: 'null' }], null],
  ])('tells the model %s', (_name, output, content, kept) => {
    const said = result(events(add(() => output)));
    expect(said).toEqual({ callId: 'c1', name: 'add', content, isError: false, ...(kept !== undefined && { output: kept }) });
  });

  it('answers an unknown tool with the names that are near, without a start', () => {
    const seen = events(add(() => 1), toolCall('c1', 'ad', '{}'));
    expect(seen.map(({ type }) => LETTERS[type]).join('')).toBe('r');
    expect(result(seen)).toMatchObject({
      isError: true,
      content: [{ text: 'told: There is no tool "ad". Did you mean "add"? Available: add.' }],
      error: { kind: 'not-found', retryable: false },
    });
    expect(result(events(undefined))).toMatchObject({ error: { message: 'There is no tool "add": no tools are available.' } });
    expect(result(events(add(() => 1), toolCall('c1', 'zzzzzz', '{}')))).toMatchObject({ error: { message: 'There is no tool "zzzzzz". Available: add.' } });
  });

  it('does not find a tool under a name of Object.prototype', () => {
    expect(result(events(add(() => 1), toolCall('c1', 'constructor', '{}')))).toMatchObject({ isError: true, error: { kind: 'not-found' } });
  });

  it('answers refused arguments without running the body', () => {
    let ran = 0;
    const seen = events(add(() => ++ran), toolCall('c1', 'add', '{"a":"x"}'));
    expect([ran, seen.map(({ type }) => LETTERS[type]).join('')]).toEqual([0, 'r']);
    expect(result(seen)).toMatchObject({ isError: true, error: { kind: 'invalid-input', message: expect.stringContaining('a: ') } });
  });

  it.each([
    ['throws', () => { throw new Error('boom'); }],
    ['fails later', () => throwError(() => new Error('boom'))],
  ])('answers a body that %s with an error result; its body ran, so there is a commit', (_name, body) => {
    const seen = events(add(body));
    expect(seen.map(({ type }) => LETTERS[type]).join('')).toBe('scr');
    expect(result(seen)).toEqual({ callId: 'c1', name: 'add', content: [{ type: 'text', text: 'told: boom' }], isError: true, error: { kind: 'other', message: 'boom', retryable: false } });
  });

  it('keeps the kind of a ToolError', () => {
    expect(result(events(add(() => { throw new ToolError('refused', 'No.'); })))).toMatchObject({ error: { kind: 'refused', message: 'No.' } });
  });

  it('answers an output that JSON cannot carry with an error that says where', () => {
    expect(result(events(add(() => ({ n: 1n }))))).toMatchObject({ isError: true, error: { message: 'The output cannot be sent: the value.n is a bigint, which JSON cannot carry.' } });
  });

  it('answers for a schema that throws', () => {
    const broken = defineTool({ name: 'add', description: '', input: { '~standard': { version: 1, vendor: 'x', validate: () => { throw new Error('bug'); }, jsonSchema: { input: () => ({}) } } }, run: () => 1 });
    expect(result(events(broken))).toMatchObject({ isError: true, error: { kind: 'invalid-input', message: 'The schema of tool "add" failed: bug' } });
  });

  it('answers for a schema that rejects later, and runs the body of one that accepts later', async () => {
    const later = (validation: () => Promise<never>): Tool =>
      defineTool({ name: 'add', description: '', input: { '~standard': { version: 1, vendor: 'x', validate: validation, jsonSchema: { input: () => ({}) } } }, run: () => 1 });
    const all = (tool: Tool) => firstValueFrom(call(one, context([tool])).pipe(toArray()));
    expect(result(await all(later(() => Promise.reject(new Error('bug')))))).toMatchObject({ isError: true, error: { message: 'The schema of tool "add" failed: bug' } });
    expect((await all(later(async () => ({ value: {} }) as never))).map(({ type }) => LETTERS[type]).join('')).toBe('scr');
  });

  it('waits for a body that never answers', () => {
    expect(events(add(() => NEVER)).map(({ type }) => type)).toEqual(['tool-start']);
  });

  it('runs again for a second subscriber', () => {
    let ran = 0;
    const call$ = call(one, context([add(() => ++ran)]));
    call$.subscribe();
    call$.subscribe();
    expect(ran).toBe(2);
  });
});

describe('a call that does not begin', () => {
  const refusing = (change: Partial<CallContext>): { seen: CallEvent[]; ran: number } => {
    let ran = 0;
    return { seen: events(add(() => ++ran), one, change), ran };
  };

  it('was stopped: nothing of it is looked at', () => {
    const { seen, ran } = refusing({ isStopped: () => true });
    expect([ran, seen.map(({ type }) => LETTERS[type]).join('')]).toEqual([0, 'r']);
    expect(result(seen)).toMatchObject({ isError: true, error: { kind: 'cancelled', message: 'Not executed: the run was stopped.' } });
    expect(result(events(undefined, toolCall('c1', 'nope', '{'), { isStopped: () => true }))).toMatchObject({ error: { kind: 'cancelled' } });
  });

  it('may not start: its result says why', () => {
    const { seen, ran } = refusing({ mayNotStart: () => 'Not executed: enough.' });
    expect([ran, seen.map(({ type }) => LETTERS[type]).join('')]).toEqual([0, 'r']);
    expect(result(seen)).toMatchObject({ isError: true, error: { kind: 'other', message: 'Not executed: enough.' }, content: [{ text: 'told: Not executed: enough.' }] });
  });

  it('asks whether it may start once for each body, and for bodies alone', () => {
    let asked = 0;
    const mayNotStart = (): undefined => void asked++;
    events(add(() => 1), toolCall('c1', 'ad', '{}'), { mayNotStart });
    events(add(() => 1), toolCall('c1', 'add', '{"a":"x"}'), { mayNotStart });
    expect(asked).toBe(0);
    events(add(() => 1), one, { mayNotStart });
    expect(asked).toBe(1);
  });

  it('was stopped while its arguments were checked', async () => {
    let isStopped = false;
    let ran = 0;
    const slow = defineTool({ name: 'add', description: '', input: { '~standard': { version: 1, vendor: 'x', validate: async () => ({ value: {} }), jsonSchema: { input: () => ({}) } } }, run: () => ++ran });
    const all = firstValueFrom(call(one, context([slow], { isStopped: () => isStopped })).pipe(toArray()));
    isStopped = true;
    expect(result(await all)).toMatchObject({ error: { kind: 'cancelled' } });
    expect(ran).toBe(0);
  });
});

describe('a call that is answered without its body', () => {
  const timed = (run: () => Answer<unknown>): Tool => ({ ...add(run), timeoutMs: 5 });
  const listening = (run: () => Answer<unknown>) => {
    const scheduler = new VirtualTimeScheduler();
    const [seen, dropped]: [CallEvent[], ToolDropped[]] = [[], []];
    const later = (_callId: string, events$: Observable<ToolDropped>): void => void events$.subscribe((event) => dropped.push(event));
    call(one, context([timed(run)], { scheduler, later })).subscribe((event) => seen.push(event));
    return { scheduler, seen, dropped };
  };

  it('is over at its time limit, with a commit: its body ran', () => {
    const { scheduler, seen } = listening(() => NEVER);
    scheduler.flush();
    expect(seen.map(({ type }) => LETTERS[type]).join('')).toBe('scr');
    expect(result(seen)).toMatchObject({ isError: true, error: { kind: 'timeout', retryable: true } });
    expect(seen.at(-1)).toMatchObject({ elapsedMs: 5 });
  });

  it.each([
    ['settles', (resolve: (value: unknown) => void) => resolve('late'), false],
    ['rejects', (_: unknown, reject: (error: unknown) => void) => reject(new Error('late')), true],
  ])('says once that its promise %s after all, and shows nothing of it', async (_name, settle, isError) => {
    let end = (): void => undefined;
    const { scheduler, seen, dropped } = listening(() => new Promise((resolve, reject) => (end = () => settle(resolve, reject))));
    scheduler.flush();
    scheduler.frame = 12;
    end();
    await new Promise(setImmediate);
    expect(dropped).toEqual([{ type: 'tool-dropped', runId: 'r', step: 2, callId: 'c1', elapsedMs: 12, isError, reason: 'late' }]);
    expect(seen).toHaveLength(3);
  });

  it('has nothing to say of a body that can be left', () => {
    const { scheduler, dropped } = listening(() => NEVER);
    scheduler.flush();
    expect(dropped).toEqual([]);
  });
});

describe('the rich output of a body', () => {
  const rich = (said: Parameters<typeof toolOutput>[0], change?: Partial<CallContext>): unknown => result(events(add(() => toolOutput(said)), one, change));
  const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
  const base = { callId: 'c1', name: 'add', isError: false };

  it('is content for the model, output for a program and display for a screen', () => {
    expect(rich({ output: { n: 1 }, content: [image], display: { text: 'drawn' } })).toEqual({ ...base, content: [image], output: { n: 1 }, display: { text: 'drawn' } });
    expect(rich({ output: { n: 1 }, content: 'one' })).toEqual({ ...base, content: [{ type: 'text', text: 'one' }], output: { n: 1 } });
    expect(rich({ output: { n: 1 } })).toEqual({ ...base, content: [{ type: 'text', text: '{"n":1}' }], output: { n: 1 } });
  });

  it('is an error that the model reads, part for part unless the policy tells it otherwise', () => {
    const error = { kind: 'other', message: 'no\n[image image/png]', retryable: false };
    const content = [{ type: 'text', text: 'no' } as const, image];
    const whole = { errorText: ({ message }: { message: string }) => message };
    expect(rich({ content, isError: true }, whole)).toEqual({ ...base, isError: true, error, content });
    expect(rich({ content, isError: true })).toMatchObject({ isError: true, error, content: [{ type: 'text', text: `told: ${error.message}` }] });
    expect(rich({ isError: true }, whole)).toMatchObject({ isError: true, content: [{ type: 'text', text: 'The tool failed.' }] });
  });

  it('that JSON cannot carry is an error result that says where', () => {
    expect(rich({ display: { raw: 1n } })).toMatchObject({ isError: true, error: { message: expect.stringContaining('the value.display.raw is a bigint') } });
    expect(rich({ output: 1n })).toMatchObject({ isError: true, error: { message: expect.stringContaining('output cannot be sent') } });
  });
});
