import { describe, expect, it } from '@jest/globals';
import { NEVER, of, VirtualTimeScheduler } from 'rxjs';
import type { Subscription } from 'rxjs';
import { ModelError } from '../../lib/errors.ts';
import { toolLoop } from '../../lib/index.ts';
import type { LoopEvent, Model } from '../../lib/index.ts';
import { readOptions } from '../../lib/loop/read-options.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { newRun, startState } from '../../lib/loop/run-state.ts';
import type { Phase, Run, RunState } from '../../lib/loop/run-state.ts';
import { Next } from '../../lib/loop/unfold.ts';
import { startOf, wait } from '../../lib/loop/wait.ts';
import { script } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const error = new ModelError('model-http', 'Busy.', { retryable: true });
const named = (id: string): Model => ({ ...script(), id });
const again: Extract<Phase, { type: 'wait' }> = { type: 'wait', wait: { delayMs: 50, retryAfter: false }, reason: 'Busy.', fresh: false };

interface Waiting {
  readonly run: Run;
  readonly scheduler: VirtualTimeScheduler;
  readonly events: LoopEvent[];
  state: RunState | undefined;
  readonly subscription: Subscription;
  until(frame: number): void;
}

function begin(phase: Extract<Phase, { type: 'wait' }>, options: Partial<ToolLoopOptions> = {}, change: Partial<RunState> = {}): Waiting {
  const scheduler = new VirtualTimeScheduler();
  const run = newRun(readOptions({ model: [named('small'), named('big')], prompt: 'go', runId: 'r', scheduler, ...options }));
  const waiting: Omit<Waiting, 'subscription'> = {
    run, scheduler, events: [], state: undefined,
    until(frame) {
      scheduler.maxFrames = frame;
      scheduler.flush();
    },
  };
  const subscription = wait(run, { ...startState(run), calls: 1, ...change, phase }, phase).subscribe((value) => {
    if (value instanceof Next) waiting.state = value.state;
    else waiting.events.push(value);
  });
  return Object.assign(waiting, { subscription });
}

describe('wait', () => {
  it('says why and how long, waits exactly that, and calls again', () => {
    const waiting = begin(again);
    expect(waiting.events).toEqual([{ type: 'retry', runId: 'r', step: 0, attempt: 1, count: 1, max: 3, reason: 'Busy.', delayMs: 50, by: 'loop' }]);
    waiting.until(49);
    expect(waiting.state).toBeUndefined();
    waiting.until(50);
    expect(waiting.state).toMatchObject({ phase: { type: 'call', fresh: false }, spent: { count: 1, waitedMs: 50 }, calls: 1 });
  });

  it('counts on from what the attempt has spent', () => {
    const waiting = begin(again, {}, { spent: { count: 1, waitedMs: 20 } });
    waiting.until(50);
    expect(waiting.events).toMatchObject([{ count: 2 }]);
    expect(waiting.state?.spent).toEqual({ count: 2, waitedMs: 70 });
  });

  it('says that the provider set the delay', () => {
    expect(begin({ ...again, wait: { delayMs: 50, retryAfter: true } }).events).toMatchObject([{ retryAfter: true }]);
  });

  it('announces and counts a new attempt before its wait', () => {
    const waiting = begin({ ...again, fresh: true }, {}, { attempt: 2, step: 4 });
    waiting.until(50);
    expect(waiting.events.map(({ type }) => type)).toEqual(['step-start', 'retry']);
    expect(waiting.events[0]).toEqual({ type: 'step-start', runId: 'r', step: 4, attempt: 2, model: 'small' });
    expect(waiting.state).toMatchObject({ calls: 2, attempt: 2 });
  });

  it('goes on with the next model at once, which the attempt begins without', () => {
    const waiting = begin({ ...again, wait: undefined, fresh: true, from: 0 }, {}, { attempt: 2, model: 1 });
    expect(waiting.events).toMatchObject([
      { type: 'step-start', attempt: 2, model: 'small' },
      { type: 'fallback', step: 0, from: 'small', to: 'big', reason: 'Busy.' },
    ]);
    expect(waiting.state).toMatchObject({ phase: { type: 'call', fresh: false }, spent: { count: 0, waitedMs: 0 }, calls: 2 });
  });

  it('begins a new attempt at once where there is nothing to wait for', () => {
    const waiting = begin({ ...again, wait: undefined, fresh: true }, {}, { attempt: 2 });
    expect(waiting.events.map(({ type }) => type)).toEqual(['step-start']);
    expect(waiting.state?.phase).toEqual({ type: 'call', fresh: false });
  });

  it('ends at once where the run is told to stop, as the call would', () => {
    const waiting = begin(again, { abort$: NEVER });
    waiting.until(20);
    waiting.run.stops?.set({ reason: 'aborted' });
    expect(waiting.events.at(-1)).toMatchObject({ type: 'step-end', finish: 'aborted', toolCalls: 0 });
    expect(waiting.state).toMatchObject({ phase: { type: 'done', reason: 'aborted' }, answer: undefined });
    expect(waiting.subscription.closed).toBe(true);
  });

  it('counts what the attempt had used before it was stopped', () => {
    const waiting = begin(again, { abort$: NEVER }, { abandoned: { inputTokens: 4 } });
    waiting.run.stops?.set({ reason: 'aborted' });
    expect(waiting.events.at(-1)).toMatchObject({ type: 'step-end', usage: { inputTokens: 4 } });
  });

  it('fails where what stopped it was an error', () => {
    const broken = new Error('broken');
    const waiting = begin(again, { abort$: NEVER });
    waiting.run.stops?.set({ error: broken });
    expect(waiting.events.map(({ type }) => type)).toEqual(['retry']);
    expect(waiting.state?.phase).toEqual({ type: 'failed', error: broken });
  });

  it('leaves its timer with the subscriber', () => {
    const waiting = begin(again, { abort$: NEVER });
    waiting.subscription.unsubscribe();
    waiting.until(1_000);
    expect(waiting.state).toBeUndefined();
  });
});

describe('startOf', () => {
  it('announces the call with the model that serves, or with another', () => {
    const run = newRun(readOptions({ model: [named('small'), named('big')], prompt: 'go', runId: 'r' }));
    const state = { ...startState(run), step: 2, attempt: 3, model: 1 };
    expect(startOf(run, state)).toEqual({ type: 'step-start', runId: 'r', step: 2, attempt: 3, model: 'big' });
    expect(startOf(run, state, run.models[0])).toMatchObject({ model: 'small' });
  });
});

// prettier-ignore
describe('a wait inside a run', () => {
  it('ends with an abort, after the retry', loopMarbles(({ turn, script, cold, expectEvents, expectSubscriptions }) => {
    const failing = turn('-#                    ', {}, error);
    const turn2 = turn('  (z|)                  ');
    const abort$ = cold(' ------x               ');
    const story = '       -w----(zL|)           ';
    const retry = { initialDelayMs: 50, jitter: 0 };

    expectEvents(toolLoop({ model: script(failing, turn2), prompt: 'go', abort$, retry })).toBe(story).having('z', { finish: 'aborted' }).having('L', { reason: 'aborted' });
    expectSubscriptions(turn2).toBe([]);
    expectSubscriptions(abort$).toBe('^-----!');
  }));

  it('ends with the reader, and calls no more', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const failing = turn('-#      ', {}, error);
    const turn2 = turn('  (z|)    ');
    const leave = '       ----!   ';

    expectEvents(toolLoop({ model: script(failing, turn2), prompt: 'go', retry: { initialDelayMs: 50 } }), leave).toBe('-w');
    expectSubscriptions(turn2).toBe([]);
  }));

  it('needs no timer for a model that answers at once', () => {
    const scheduler = new VirtualTimeScheduler();
    toolLoop({ model: script(of({ type: 'finish', reason: 'stop' })), prompt: 'go', scheduler }).subscribe();
    expect(scheduler.actions).toHaveLength(0);
  });
});
