import { describe, expect, it } from '@jest/globals';
import { EMPTY, Subject, throwError, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Checkpoint } from '../../lib/checkpoint.ts';
import { ToolError } from '../../lib/errors.ts';
import { retryBody } from '../../lib/invoke/retry-body.ts';
import type { BodyLimits, Said } from '../../lib/invoke/run-body.ts';
import type { ToolFaultKind } from '../../lib/message.ts';
import { nestingOf } from '../../lib/nesting.ts';
import type { Answer, Tool, ToolContext, ToolRetry } from '../../lib/tool.ts';
import { fakeTool } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const caller = { callId: 'c', runId: 'r', step: 0, scratch: new Map() };
const busy = new ToolError('network', 'secret: the line is busy');
const fatal = new ToolError('permission-denied', 'no');

/** A tool whose run n answers with body n; the last one again and again. */
function tool(retry: ToolRetry | undefined, ...bodies: readonly ((context: ToolContext) => Answer<unknown>)[]): Tool & { runs: number } {
  const made = { ...fakeTool(EMPTY), retry, runs: 0 } as Tool & { runs: number };
  return Object.assign(made, { run: (_args: unknown, context: ToolContext) => bodies[Math.min(made.runs++, bodies.length - 1)]?.(context) });
}
const plays = (...bodies: readonly Observable<unknown>[]): (() => Observable<unknown>)[] => bodies.map((body) => () => body);

const waiting = (text: string): Said => ({ type: 'host', said: { type: 'status', text } });
const again = (ms: number, count: number, of = 1, kind: ToolFaultKind = 'network'): Said =>
  waiting(`Tool "add" failed (${kind}). Trying again in ${ms} ms (${count} of ${of}).`);
const output = (value: string): Said => ({ type: 'output', output: { ok: true, value } });
const failed = (error: unknown): Said => ({ type: 'failed', error });
const said = { s: { type: 'start' }, a: { type: 'progress', progress: 'a' }, c: waiting(''), 2: output('2'), F: failed(busy) } as const;

// prettier-ignore
describe('retryBody', () => {
  it('runs the body again after a failure that may pass [67]', loopMarbles(({ cold, time, scheduler, expectValues, expectSubscriptions }) => {
    const first = cold('   -a-b-#       ', undefined, busy);
    const second = cold('         --(2|)');
    const initialDelayMs = time('--|   ');
    const expected = '     s--a-w-c-(2|)';

    expectValues(retryBody(tool({ count: 1, initialDelayMs }, ...plays(first, second)), {}, caller, { scheduler, graceMs: 0 })).toBe(expected, { ...said, w: again(2, 1) });
    expectSubscriptions(first).toBe(' ^----!');
    expectSubscriptions(second).toBe('-------^-!');
  }));

  it('waits longer each time, at most maxDelayMs, and ends with the last failure [67]', loopMarbles(({ cold, scheduler, expectValues }) => {
    const body = cold('    -#', undefined, busy);
    const retry = { count: 3, initialDelayMs: 2, factor: 2, maxDelayMs: 3 };
    const expected = '     sw-cx--cy--c(F|)';

    expectValues(retryBody(tool(retry, () => body), {}, caller, { scheduler, graceMs: 0 })).toBe(expected, { ...said, w: again(2, 1, 3), x: again(3, 2, 3), y: again(3, 3, 3) });
  }));

  it('begins no run later than maxTotalMs after the first one began [67]', loopMarbles(({ cold, time, scheduler, expectValues, expectSubscriptions }) => {
    const body = cold('    --#', undefined, busy);
    const maxTotalMs = time(' -----|');
    const expected = '     s-w-c-(F|)';

    expectValues(retryBody(tool({ count: 9, initialDelayMs: 2, factor: 1, maxTotalMs }, () => body), {}, caller, { scheduler, graceMs: 0 })).toBe(expected, { ...said, w: again(2, 1, 9) });
    expectSubscriptions(body).toBe(['^-!', '----^-!']);
  }));

  it('gives each run the whole timeoutMs, and a spent one is a typed result [66]', loopMarbles(({ cold, time, scheduler, expectValues, expectSubscriptions }) => {
    const body = cold('      ---------1|');
    const timeoutMs = time(' ---|      ');
    const expected = '       s--w-c--(T|)';
    const timeout = new ToolError('timeout', 'The tool did not answer within 3 ms.');

    expectValues(retryBody({ ...tool({ count: 1, initialDelayMs: 2 }, () => body), timeoutMs }, {}, caller, { scheduler, graceMs: 0 }))
      .toBe(expected, { ...said, w: again(2, 1, 1, 'timeout'), T: failed(timeout) });
    expectSubscriptions(body).toBe(['^--!', '-----^--!']);
  }));

  it('leaves the run or the wait with the subscriber', loopMarbles(({ cold, scheduler, expectValues, expectSubscriptions }) => {
    const body = cold(' -#', undefined, busy);
    const leave = '     ---!';
    const slow = cold(' -----1|');

    expectValues(retryBody(tool({ count: 1, initialDelayMs: 4 }, () => body), {}, caller, { scheduler, graceMs: 0 }), leave).toBe('sw-', { ...said, w: again(4, 1) });
    expectSubscriptions(body).toBe('^!');
    expectValues(retryBody(tool({ count: 1 }, () => slow), {}, caller, { scheduler, graceMs: 0 }), leave).toBe('s--', said);
    expectSubscriptions(slow).toBe('^--!');
  }));

  it('ends a wait at a stop, with the failure before it', loopMarbles(({ cold, hot, scheduler, expectValues, expectSubscriptions }) => {
    const body = cold('    -#', undefined, busy);
    const stop$ = hot('    ----x');
    const expected = '     sw--(cF|)';

    expectValues(retryBody(tool({ count: 1, initialDelayMs: 9 }, () => body), {}, caller, { scheduler, stop$, graceMs: 0 })).toBe(expected, { ...said, w: again(9, 1) });
    expectSubscriptions(body).toBe('^!');
  }));

  it('does not run a body again that failed after a stop', loopMarbles(({ cold, hot, scheduler, expectValues, expectSubscriptions }) => {
    const body = cold('    ---#', undefined, busy);
    const stop$ = hot('    --x');
    const expected = '     s--(F|)';

    expectValues(retryBody(tool({ count: 1 }, () => body), {}, caller, { scheduler, stop$, graceMs: 5 })).toBe(expected, said);
    expectSubscriptions(body).toBe('^--!');
  }));

  it('still hears a stop in a later run, which has its time of grace', loopMarbles(({ cold, hot, scheduler, expectValues, expectSubscriptions }) => {
    const first = cold('   -#               ', undefined, busy);
    const second = cold('    ---------(2|)  ');
    const stop$ = hot('    ----x            ');
    const expected = '     swc---(C|)       ';
    const cancelled = new ToolError('cancelled', 'The run was stopped while the tool was running. It may have done its work.');

    expectValues(retryBody(tool({ count: 1, initialDelayMs: 1 }, ...plays(first, second)), {}, caller, { scheduler, stop$, graceMs: 2 })).toBe(expected, { ...said, w: again(1, 1), C: failed(cancelled) });
    expectSubscriptions(second).toBe('--^---!');
  }));

  it('counts for each subscription by itself', loopMarbles(({ cold, scheduler, expectValues }) => {
    const body = cold('    -#', undefined, busy);
    const said$ = retryBody(tool({ count: 1, initialDelayMs: 1 }, () => body), {}, caller, { scheduler, graceMs: 0 });

    expectValues(said$, '^----').toBe('    swc(F|)', { ...said, w: again(1, 1) });
    expectValues(said$, '-----^----').toBe('-----swc(F|)', { ...said, w: again(1, 1) });
  }));
});

describe('retryBody at once', () => {
  const limits = (change: Partial<BodyLimits> = {}): BodyLimits => ({ scheduler: { now: () => 0 } as never, graceMs: 0, ...change });
  const listen = (one: Tool, change?: Partial<BodyLimits>): Said[] => {
    const heard: Said[] = [];
    retryBody(one, {}, caller, limits(change)).subscribe((value) => heard.push(value));
    return heard;
  };
  const start: Said = { type: 'start' };

  it('runs once where the tool does not allow more [67]', () => {
    for (const retry of [undefined, { count: 0 }]) {
      const once = tool(retry, () => throwError(() => busy));
      expect([listen(once), once.runs]).toEqual([[start, failed(busy)], 1]);
    }
  });

  it.each([
    ['a refusal', new ToolError('refused', 'no')],
    ['a missing permission, which is another kind than a refusal [65]', fatal],
    ['an error that says nothing', new Error('boom')],
    ['a failure that says that it is final', new ToolError('network', 'gone', { retryable: false })],
  ])('does not repeat %s', (_name, error) => {
    const once = tool({ count: 3 }, () => throwError(() => error));
    expect([listen(once), once.runs]).toEqual([[start, failed(error)], 1]);
  });

  it('does not repeat what was stopped before it failed', () => {
    const once = tool({ count: 3 }, () => throwError(() => busy));
    let stopped = false;
    const body = { ...once, run: () => ((stopped = true), throwError(() => busy)) };
    expect(listen(body, { isStopped: () => stopped })).toEqual([start, failed(busy)]);
  });

  it('repeats 10,000 times without a deep stack, also without waits', () => {
    const many = tool({ count: 10_000, initialDelayMs: 0 }, () => throwError(() => busy));
    const scheduler = new VirtualTimeScheduler();
    const heard: Said[] = [];
    retryBody(many, {}, caller, limits({ scheduler })).subscribe((value) => heard.push(value));
    scheduler.flush();
    expect([many.runs, heard.at(-3), heard.at(-1)]).toEqual([10_001, again(0, 10_000, 10_000), failed(busy)]);
  });

  it('goes on where a run inside was suspended, but begins anew when it runs again', () => {
    const scheduler = new VirtualTimeScheduler();
    const checkpoint = { version: 1 } as Checkpoint;
    const seen: unknown[] = [];
    const one = tool({ count: 1, initialDelayMs: 1 }, (context) => {
      seen.push(nestingOf(context)?.checkpoint);
      return throwError(() => busy);
    });
    retryBody(one, {}, caller, limits({ scheduler, around: {} as never, checkpoint })).subscribe();
    scheduler.flush();
    expect(seen).toEqual([checkpoint, undefined]);
  });

  it('says what an output is, without a word more', () => {
    expect(listen(tool({ count: 3 }, () => 'x'))).toEqual([start, output('x')]);
  });
});

describe('retryBody with promises', () => {
  it('hands over the promise of its last run alone, and swallows the others', async () => {
    const late: unknown[] = [];
    const promises: PromiseLike<unknown>[] = [];
    const settle = new Subject<void>();
    const body = (): Promise<unknown> => {
      const promise = new Promise((_, reject) => settle.subscribe(() => reject(new Error('late'))));
      promises.push(promise);
      return promise;
    };
    const rejected: unknown[] = [];
    const note = (reason: unknown): void => void rejected.push(reason);
    process.on('unhandledRejection', note);
    const scheduler = new VirtualTimeScheduler();
    const one = { ...tool({ count: 1, initialDelayMs: 1 }, body), timeoutMs: 5 };

    const heard: Said[] = [];
    retryBody(one, {}, caller, { scheduler, graceMs: 0, late: (promise) => late.push(promise) }).subscribe((value) => heard.push(value));
    scheduler.flush();
    settle.next();
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);

    expect(heard.map(({ type }) => type)).toEqual(['start', 'host', 'host', 'failed']);
    expect([promises.length, late]).toEqual([2, [promises[1]]]);
    expect(rejected).toEqual([]);
  });

  it('hands nothing over where an earlier run left a promise, and the last one did not', () => {
    const late: unknown[] = [];
    const scheduler = new VirtualTimeScheduler();
    const bodies = [() => new Promise(() => undefined), () => throwError(() => fatal)];
    const one = { ...tool({ count: 1, initialDelayMs: 1 }, ...bodies), timeoutMs: 5 };
    const heard: Said[] = [];
    retryBody(one, {}, caller, { scheduler, graceMs: 0, late: (promise) => late.push(promise) }).subscribe((value) => heard.push(value));
    scheduler.flush();
    expect([heard.at(-1), late]).toEqual([failed(fatal), []]);
  });
});
