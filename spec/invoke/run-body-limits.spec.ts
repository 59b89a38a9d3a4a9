import { describe, expect, it } from '@jest/globals';
import { EMPTY, NEVER, Observable, of, Subject, VirtualTimeScheduler } from 'rxjs';
import { runBody } from '../../lib/invoke/run-body.ts';
import type { BodyLimits, Said } from '../../lib/invoke/run-body.ts';
import type { Tool, ToolContext } from '../../lib/tool.ts';
import { fakeTool } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const caller = { callId: 'c', runId: 'r', step: 0 };
const tool = (run: (args: unknown, context: ToolContext) => unknown, timeoutMs?: number): Tool =>
  ({ ...fakeTool(EMPTY), run, ...(timeoutMs !== undefined && { timeoutMs }) }) as Tool;
const timedOut = (ms: number): object => ({ type: 'failed', error: expect.objectContaining({ kind: 'timeout', retryable: true, message: `The tool did not answer within ${ms} ms.` }) });
const cancelled = { type: 'failed', error: expect.objectContaining({ kind: 'cancelled', message: expect.stringContaining('It may have done its work.') }) };
const START = { type: 'start' };
const output = (value: unknown): object => ({ type: 'output', output: expect.objectContaining({ value }) });

/** A promise of the spec's own, so that it can settle in virtual time. */
function thenable(): { then: PromiseLike<unknown>['then']; settle: (value: unknown) => void; listeners: number } {
  const listeners: ((value: unknown) => void)[] = [];
  return {
    then(resolve) {
      listeners.push(resolve as never);
      this.listeners = listeners.length;
      return this as never;
    },
    settle: (value) => listeners.forEach((one) => one(value)),
    listeners: 0,
  };
}

interface Running {
  readonly said: (Said | 'complete')[];
  readonly late: unknown[];
  readonly stop$: Subject<void>;
  context: ToolContext | undefined;
  until(frame: number): void;
  leave(): void;
}

function begin(body: (context: ToolContext) => unknown, { timeoutMs, ...change }: Partial<BodyLimits> & { timeoutMs?: number } = {}): Running {
  const scheduler = new VirtualTimeScheduler();
  const stop$ = new Subject<void>();
  const running: Omit<Running, 'leave'> = {
    said: [], late: [], stop$, context: undefined,
    until(frame) {
      scheduler.maxFrames = frame;
      scheduler.flush();
    },
  };
  const run = (_: unknown, context: ToolContext): unknown => body((running.context = context));
  const limits = { scheduler, stop$, graceMs: 10, late: (one: unknown) => void running.late.push(one), ...change };
  const subscription = runBody(tool(run, timeoutMs), {}, caller, limits).subscribe({
    next: (one) => running.said.push(one), complete: () => running.said.push('complete'),
  });
  return Object.assign(running, { leave: () => subscription.unsubscribe() });
}

// prettier-ignore
describe('the time limit of a tool', () => {
  it('is when its result is fixed, and an Observable body is left', loopMarbles(({ cold, scheduler, expectValues, expectSubscriptions }) => {
    const body = cold('      -a-b-----c|');
    const expected = '       s--a--(t|) ';

    expectValues(runBody(tool(() => body, 6), {}, caller, { scheduler, graceMs: 0 })).toBe(expected, {
      s: START, a: { type: 'progress', progress: 'a' }, t: timedOut(6),
    });
    expectSubscriptions(body).toBe('^-----!');
  }));

  it('does not matter to a body that answers in time', loopMarbles(({ cold, scheduler, expectValues, expectSubscriptions }) => {
    const body = cold('      ----a|     ');
    const expected = '       s----(a|)  ';

    expectValues(runBody(tool(() => body, 6), {}, caller, { scheduler, graceMs: 0 })).toBe(expected, { s: START, a: output('a') });
    expectSubscriptions(body).toBe('^----!');
  }));

  it('fires the signal at that moment, and gives no grace', () => {
    const running = begin(({ signal }) => (void signal, NEVER), { timeoutMs: 5 });
    running.until(4);
    expect([running.said, running.context?.signal.aborted]).toEqual([[START], false]);
    running.until(5);
    expect([running.said, running.context?.signal.aborted]).toEqual([[START, timedOut(5), 'complete'], true]);
  });

  it('hands on a promise that is answered without it, and nothing else', () => {
    const promised = thenable();
    const running = begin(() => promised, { timeoutMs: 5 });
    running.until(5);
    expect(running.late).toEqual([promised]);
    promised.settle('late');
    expect(running.said).toEqual([START, timedOut(5), 'complete']);
    const observed = begin(() => NEVER, { timeoutMs: 5 });
    observed.until(5);
    expect(observed.late).toEqual([]);
  });

  it('hands on no promise that has answered', () => {
    const promised = thenable();
    const running = begin(() => promised, { timeoutMs: 5 });
    promised.settle('x');
    running.until(50);
    expect([running.said, running.late]).toEqual([[START, output('x'), 'complete'], []]);
  });

  it('keeps no timer for a body that has ended, at once or later, or was left', () => {
    for (const body of [of(1), NEVER]) {
      const scheduler = new VirtualTimeScheduler();
      runBody(tool(() => body, 5), {}, caller, { scheduler, graceMs: 0 }).subscribe().unsubscribe();
      expect(scheduler.actions).toHaveLength(0);
    }
  });

  it('makes a progress that comes too late do nothing', () => {
    const running = begin(() => NEVER, { timeoutMs: 5 });
    running.until(5);
    running.context?.progress('late');
    expect(running.said).toHaveLength(3);
  });
});

// prettier-ignore
describe('a stop', () => {
  it('fires the signal at once, and lets the body end by itself within its grace', loopMarbles(({ cold, scheduler, expectValues, expectSubscriptions }) => {
    const body = cold('  -----a|      ');
    const stop$ = cold(' --x          ');
    const expected = '   s-----(a|)   ';
    const fired: number[] = [];
    const run = (_: unknown, { signal }: ToolContext): unknown => {
      signal.addEventListener('abort', () => fired.push(scheduler.now()));
      return body;
    };

    expectValues(runBody(tool(run), {}, caller, { scheduler, stop$, graceMs: 10 })).toBe(expected, { s: START, a: output('a') });
    expectSubscriptions(body).toBe('^-----!');
    expectSubscriptions(stop$).toBe('^-----!');
    scheduler.schedule(() => expect(fired).toEqual([2]), 20);
  }));

  it('gives up a body that does not end within its grace, and leaves it', loopMarbles(({ cold, scheduler, expectValues, expectSubscriptions }) => {
    const body = cold('  -----a-b-c-d-|');
    const stop$ = cold(' --x           ');
    const expected = '   s------a(c|)  ';

    expectValues(runBody(tool(() => body), {}, caller, { scheduler, stop$, graceMs: 6 })).toBe(expected, { s: START, a: { type: 'progress', progress: 'a' }, c: cancelled });
    expectSubscriptions(body).toBe('^-------!');
  }));

  it('gives no time at all with a grace of 0', () => {
    const running = begin(({ signal }) => (void signal, NEVER), { graceMs: 0 });
    running.stop$.next();
    expect([running.said, running.context?.signal.aborted]).toEqual([[START, cancelled, 'complete'], true]);
  });

  it('shows progress within the grace', () => {
    const running = begin(() => NEVER);
    running.stop$.next();
    running.context?.progress(1);
    running.until(10);
    expect(running.said).toEqual([START, { type: 'progress', progress: 1 }, cancelled, 'complete']);
  });

  it('keeps the failure of a body that gives up when it is told to', () => {
    const running = begin(({ signal }) => new Observable((subscriber) => signal.addEventListener('abort', () => subscriber.error(new Error('gave up')))));
    running.stop$.next();
    expect(running.said).toEqual([START, { type: 'failed', error: new Error('gave up') }, 'complete']);
    running.until(100);
    expect(running.said).toHaveLength(3);
  });

  it('keeps the answer of a body that answers when it is told to', () => {
    const running = begin(({ signal }) => new Observable((subscriber) => signal.addEventListener('abort', () => { subscriber.next('half'); subscriber.complete(); })));
    running.stop$.next();
    expect(running.said).toEqual([START, output('half'), 'complete']);
  });

  it('hands on a promise that does not settle within the grace', () => {
    const promised = thenable();
    const running = begin(() => promised);
    running.stop$.next();
    running.until(9);
    expect(running.late).toEqual([]);
    running.until(10);
    expect([running.late, running.said]).toEqual([[promised], [START, cancelled, 'complete']]);
  });

  it('does not prolong the time limit', () => {
    const running = begin(() => NEVER, { timeoutMs: 5, graceMs: 50 });
    running.stop$.next();
    running.until(5);
    expect(running.said).toEqual([START, timedOut(5), 'complete']);
  });

  it('does not reach a body that has answered', () => {
    const running = begin(({ signal }) => (void signal, 'x'));
    running.stop$.next();
    expect([running.said, running.context?.signal.aborted, running.stop$.observed]).toEqual([[START, output('x'), 'complete'], false, false]);
  });

  it('keeps no timer once the body has ended or the reader has left', () => {
    for (const end of ['answer', 'leave']) {
      const scheduler = new VirtualTimeScheduler();
      const [body, stop$] = [new Subject<number>(), new Subject<void>()];
      const subscription = runBody(tool(() => body), {}, caller, { scheduler, stop$, graceMs: 10 }).subscribe();
      stop$.next();
      expect(scheduler.actions).toHaveLength(1);
      if (end === 'answer') body.complete();
      else subscription.unsubscribe();
      expect([scheduler.actions.length, body.observed]).toEqual([0, false]);
    }
  });
});
