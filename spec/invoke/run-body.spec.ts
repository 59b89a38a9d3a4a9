import { describe, expect, it } from '@jest/globals';
import { asyncScheduler, EMPTY, NEVER, Observable, of, Subject, take, throwError, VirtualTimeScheduler } from 'rxjs';
import { ToolError } from '../../lib/errors.ts';
import { runBody } from '../../lib/invoke/run-body.ts';
import type { BodyLimits } from '../../lib/invoke/run-body.ts';
import { nestingOf } from '../../lib/nesting.ts';
import type { Surroundings } from '../../lib/nesting.ts';
import type { Tool, ToolContext } from '../../lib/tool.ts';
import { fakeTool } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const caller = { callId: 'c', runId: 'r', step: 0 };
const limits: BodyLimits = { scheduler: asyncScheduler, graceMs: 0 };
const tool = (run: (args: unknown, context: ToolContext) => unknown): Tool => ({ ...fakeTool(EMPTY), run }) as Tool;

/** What a body says, in order: progresses, outputs, and its ending. */
function listen(body: (args: unknown, context: ToolContext) => unknown): { said: unknown[]; leave: () => void } {
  const said: unknown[] = [];
  const subscription = runBody(tool(body), { a: 1 }, caller, limits).subscribe({
    next: (value) => {
      if (value.type === 'progress') said.push({ progress: value.progress });
      if (value.type === 'output') said.push(value.output);
      if (value.type === 'failed') said.push(value.error);
    },
    error: (error: unknown) => said.push(error),
    complete: () => said.push('complete'),
  });
  return { said, leave: () => subscription.unsubscribe() };
}

const output = (value: unknown, text?: string): object => ({ ok: true, value, ...(text !== undefined && { text }) });

describe('runBody', () => {
  // prettier-ignore
  it('makes a value a progress when the next one arrives; the last is the output', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const body = cold('     -a-b-|  ');
    const expected = '      s--a-(b|)';

    expectValues(runBody(tool(() => body), {}, caller, limits)).toBe(expected, {
      s: { type: 'start' }, a: { type: 'progress', progress: 'a' }, b: { type: 'output', output: output('b') },
    });
    expectSubscriptions(body).toBe('^----!');
  }));

  // prettier-ignore
  it('leaves an Observable body when the subscriber leaves', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const body = cold('     -a-b-c-|');
    const leave = '         ----!   ';

    expectValues(runBody(tool(() => body), {}, caller, limits), leave).toBe('s--a-', { s: { type: 'start' }, a: { type: 'progress', progress: 'a' } });
    expectSubscriptions(body).toBe('^---!');
  }));

  it.each([
    ['a plain value', () => 5, [output(5, '5'), 'complete']],
    ['a string whole', () => 'abc', [output('abc'), 'complete']],
    ['an array whole', () => [1, 2], [output([1, 2], '[1,2]'), 'complete']],
    ['nothing', () => undefined, [{ ok: true }, 'complete']],
    ['an empty Observable as an empty output', () => EMPTY, [{ ok: true }, 'complete']],
    ['an Observable of one value, without progress', () => of('x'), [output('x'), 'complete']],
  ])('answers with %s at once', (_name, body, expected) => {
    expect(listen(body).said).toEqual(expected);
  });

  it('waits for a promise, and for an async iterable', async () => {
    const promised = listen(async () => 'later');
    const iterated = listen(async function* () { yield 1; yield 2; });
    expect([promised.said, iterated.said]).toEqual([[], []]);
    await new Promise(setImmediate);
    expect(promised.said).toEqual([output('later'), 'complete']);
    expect(iterated.said).toEqual([{ progress: 1 }, output(2, '2'), 'complete']);
  });

  it('gives the body its arguments and its caller', () => {
    const seen: unknown[] = [];
    listen((args, { callId, runId, step }) => seen.push(args, callId, runId, step));
    expect(seen).toEqual([{ a: 1 }, 'c', 'r', 0]);
  });

  it.each([
    ['throws', () => { throw new Error('boom'); }],
    ['rejects at once', () => throwError(() => new Error('boom'))],
  ])('fails with what a body %s', (_name, body) => {
    expect(listen(body).said).toEqual([new Error('boom'), 'complete']);
  });

  it('fails with a ToolError for an output that JSON cannot carry, saying where', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const [error] = listen(() => cycle).said;
    expect(error).toBeInstanceOf(ToolError);
    expect((error as ToolError).message).toBe('The output cannot be sent: the value.self refers back to the value, which JSON cannot carry.');
  });

  it('emits what the body reports through its context, and fails for a progress that JSON cannot carry', () => {
    expect(listen((_, { progress }) => { progress({ done: 1 }); return 'x'; }).said).toEqual([{ progress: { done: 1 } }, output('x'), 'complete']);
    expect((listen((_, { progress }) => { progress(1n); return 'x'; }).said[0] as ToolError).message).toContain('The progress cannot be sent');
    expect((listen(() => of(1n, 2)).said[0] as ToolError).message).toContain('is a bigint');
  });

  it('does not run a body that was left at its start', () => {
    let ran = false;
    runBody(tool(() => { ran = true; return 1; }), {}, caller, limits).pipe(take(1)).subscribe();
    expect(ran).toBe(false);
  });

  it('says nothing more once the body has answered or the reader has left', () => {
    let late: ToolContext | undefined;
    const answered = listen((_, context) => { late = context; return 'x'; });
    late?.progress('late');
    expect(answered.said).toEqual([output('x'), 'complete']);

    const left = listen((_, context) => { late = context; return NEVER; });
    left.leave();
    late?.progress('late');
    expect(left.said).toEqual([]);
  });

  it('fires the signal when the reader leaves an unanswered body, also one that looks at it later', () => {
    let context: ToolContext | undefined;
    const early = listen((_, one) => { context = one; void one.signal; return NEVER; });
    expect(context?.signal.aborted).toBe(false);
    early.leave();
    expect(context?.signal.aborted).toBe(true);

    const later = listen((_, one) => { context = one; return NEVER; });
    later.leave();
    expect(context?.signal.aborted).toBe(true);
  });

  it('does not fire the signal of a body that has answered or failed', () => {
    let context: ToolContext | undefined;
    listen((_, one) => { context = one; return 'x'; }).leave();
    expect(context?.signal.aborted).toBe(false);
    listen((_, one) => { context = one; throw new Error('x'); }).leave();
    expect(context?.signal.aborted).toBe(false);
  });

  it('ignores a promise that settles after the reader left, a rejection too', async () => {
    const rejected: unknown[] = [];
    const note = (reason: unknown): void => void rejected.push(reason);
    process.on('unhandledRejection', note);
    const gate = new Subject<void>();
    const { said, leave } = listen(() => new Promise((_, reject) => gate.subscribe(() => reject(new Error('late')))));
    leave();
    gate.next();
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect([said, rejected]).toEqual([[], []]);
  });

  it('stops a synchronous body when the reader leaves in the middle', () => {
    let produced = 0;
    const body = new Observable<number>((subscriber) => { while (!subscriber.closed && produced < 100) subscriber.next(++produced); });
    runBody(tool(() => body), {}, caller, limits).pipe(take(4)).subscribe();
    expect(produced).toBe(4);
  });

  it('does not begin where whoever heard the start has stopped the run', () => {
    let ran = 0;
    const said: unknown[] = [];
    runBody(tool(() => ++ran), {}, caller, { ...limits, isStopped: () => true }).subscribe((one) => said.push(one));
    expect(ran).toBe(0);
    expect(said).toMatchObject([{ type: 'start' }, { type: 'failed', error: { kind: 'cancelled' } }]);
  });
});

describe('what a body says beside its output', () => {
  const around = {} as Partial<Surroundings> as Surroundings;
  const said = (body: (context: ToolContext) => unknown, change: Partial<BodyLimits> = {}): unknown[] => {
    const values: unknown[] = [];
    runBody(tool((_args, context) => body(context)), {}, caller, { ...limits, ...change }).subscribe((one) => values.push(one));
    return values.slice(1);
  };

  it('is told to the host while it runs, and not after', () => {
    let late: ToolContext | undefined;
    const values = said((context) => ((late = context), context.status('s'), context.plan([]), 'x'));
    late?.status('late');
    expect(values).toEqual([{ type: 'host', said: { type: 'status', text: 's' } }, { type: 'host', said: { type: 'plan', entries: [] } }, { type: 'output', output: output('x') }]);
  });

  it('fails it where JSON cannot carry it', () => {
    expect(said((context) => (context.emit({ name: 'n', data: 1n }), NEVER))).toMatchObject([{ type: 'failed', error: { message: expect.stringMatching(/^The custom event cannot be sent: /) } }]);
  });

  it('is declined where nobody can be asked', () => {
    const heard: unknown[] = [];
    said((context) => (context.input({}).subscribe((one) => heard.push(one)), 'x'));
    expect(heard).toEqual([{ type: 'decline', reason: 'Nobody is there to answer.' }]);
  });

  it('is that a run inside waits: its last word', () => {
    const event = { type: 'status', runId: 'in', text: 's' } as const;
    const values = said((context) => {
      const nesting = nestingOf(context);
      nesting?.event(event);
      nesting?.suspend({} as never);
      nesting?.event(event);
      return NEVER;
    }, { around });
    expect(values).toEqual([{ type: 'event', event }, { type: 'suspended', checkpoint: {} }]);
  });
});

describe('a body that speaks when its signal fires', () => {
  it('speaks too late for its own time limit', () => {
    const scheduler = new VirtualTimeScheduler();
    const values: unknown[] = [];
    const speaks = (_args: unknown, { signal }: ToolContext): Observable<string> => new Observable((subscriber) => signal.addEventListener('abort', () => (subscriber.next('aborted'), subscriber.complete())));
    runBody({ ...tool(speaks), timeoutMs: 5 }, {}, caller, { ...limits, scheduler }).subscribe((one) => values.push(one));
    scheduler.flush();
    expect(values.slice(1)).toMatchObject([{ type: 'failed', error: { kind: 'timeout' } }]);
  });
});
