import { describe, expect, it } from '@jest/globals';
import { NEVER, Subject, throwError, VirtualTimeScheduler } from 'rxjs';
import type { SchedulerAction, Subscription } from 'rxjs';
import { alarm, LONGEST_MS } from '../lib/alarm.ts';
import { scripted } from '../lib/deltas/scripted.ts';
import { ModelError, toolLoop } from '../lib/index.ts';
import type { ToolLoopOptions } from '../lib/index.ts';
import { fakeTool } from '../marbles/index.ts';
import { loopMarbles } from './support/jest-marbles.ts';

/** Keeps the delays that it was asked for. */
class Recorder extends VirtualTimeScheduler {
  readonly delays: number[] = [];

  override schedule<T>(work: (this: SchedulerAction<T>, state?: T) => void, delay = 0, state?: T): Subscription {
    this.delays.push(delay);
    return super.schedule(work, delay, state);
  }
}

const MONTH = 30 * 24 * 3_600_000;

describe('alarm', () => {
  // prettier-ignore
  it('fires once after its time, and is left with its timer', loopMarbles(({ expectValues, scheduler }) => {
    expectValues(alarm(3, scheduler)).toBe('---(a|)', { a: 0 });
    expectValues(alarm(0, scheduler)).toBe('(a|)', { a: 0 });
    expectValues(alarm(Infinity, scheduler), '^----!').toBe('-----');
  }));

  it.each([LONGEST_MS, LONGEST_MS + 1, MONTH, 5 * LONGEST_MS + 7])('takes as many timers as %d ms need', (ms) => {
    const scheduler = new Recorder();
    const firedAt: number[] = [];
    alarm(ms, scheduler).subscribe(() => firedAt.push(scheduler.now()));
    scheduler.flush();
    expect(firedAt).toEqual([ms]);
    expect(Math.max(...scheduler.delays)).toBeLessThanOrEqual(LONGEST_MS);
    expect(scheduler.delays).toHaveLength(Math.ceil(ms / LONGEST_MS));
  });

  it('leaves none of them behind', () => {
    const scheduler = new Recorder();
    const subscription = alarm(MONTH, scheduler).subscribe(() => undefined);
    scheduler.maxFrames = LONGEST_MS;
    scheduler.flush();
    subscription.unsubscribe();
    expect(scheduler.actions).toEqual([]);
  });
});

describe('a run with waits that no timer holds', () => {
  const call = { type: 'tool-call-start', index: 0, id: 'c', name: 'add' } as const;
  const turn = [call, { type: 'tool-call-end', index: 0, call: { id: 'c', name: 'add', arguments: {} } }, { type: 'finish', reason: 'tool-use' }] as const;
  const none = { firstDeltaMs: 0, idleMs: 0, stallMs: 0 };
  const busy = new ModelError('model-http', 'Busy.', { status: 503, retryable: true, retryAfterMs: MONTH });

  it.each<[string, Partial<ToolLoopOptions>]>([
    ['budget.maxDurationMs', { model: scripted([() => NEVER]), timeouts: none, budget: { maxDurationMs: MONTH, warnAt: 0.9 } }],
    ['timeouts', { model: scripted([() => NEVER]), timeouts: { firstDeltaMs: MONTH, idleMs: MONTH, stallMs: MONTH } }],
    ['a Retry-After', { model: scripted([() => throwError(() => busy)]), retry: { maxTotalMs: Infinity } }],
    ['timeoutMs of a tool', { model: scripted([turn]), tools: [{ ...fakeTool(NEVER, { name: 'add' }), timeoutMs: MONTH }] }],
    ['timeoutMs of a tool, Infinity', { model: scripted([turn]), tools: [{ ...fakeTool(NEVER, { name: 'add' }), timeoutMs: Infinity }] }],
  ])('waits: %s', (_, options) => {
    const scheduler = new Recorder();
    const heard: string[] = [];
    const subscription = toolLoop({ prompt: 'Hi.', ...options, scheduler } as ToolLoopOptions).subscribe({
      next: ({ type }) => heard.push(type),
      error: (error: unknown) => heard.push(String(error)),
    });
    scheduler.maxFrames = 20 * 24 * 3_600_000;
    scheduler.flush();
    expect(heard.at(-1)).toMatch(/^(step-start|retry|tool-start|status)$/);
    expect(Math.max(0, ...scheduler.delays)).toBeLessThanOrEqual(LONGEST_MS);
    subscription.unsubscribe();
  });

  it('waits: timeouts.graceMs', () => {
    const scheduler = new Recorder();
    const abort$ = new Subject<void>();
    const heard: string[] = [];
    const tools = [fakeTool(NEVER, { name: 'add' })];
    toolLoop({ model: scripted([turn]), tools, prompt: 'Hi.', timeouts: { graceMs: MONTH }, abort$, scheduler }).subscribe(({ type }) => heard.push(type));
    scheduler.maxFrames = 20 * 24 * 3_600_000;
    scheduler.flush();
    abort$.next();
    scheduler.flush();
    expect(heard).not.toContain('done');
    expect(Math.max(0, ...scheduler.delays)).toBeLessThanOrEqual(LONGEST_MS);
  });
});
