import { describe, expect, it } from '@jest/globals';
import { NEVER, of, Subject } from 'rxjs';
import { BudgetError } from '../../lib/errors.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { boundary, stopped } from '../../lib/loop/boundary.ts';
import { readOptions } from '../../lib/loop/read-options.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { newRun, startState } from '../../lib/loop/run-state.ts';
import type { Run, RunState } from '../../lib/loop/run-state.ts';
import { Next } from '../../lib/loop/unfold.ts';
import { userMessage } from '../../lib/message.ts';
import { script } from '../../marbles/index.ts';

interface Said {
  readonly run: Run;
  readonly events: LoopEvent[];
  state: RunState | undefined;
  ended: boolean;
  leave(): void;
}

function say(options: Partial<ToolLoopOptions> = {}, { prepare, afterAnswer = false, change = {} }: {
  prepare?: (run: Run) => void; afterAnswer?: boolean; change?: Partial<RunState>;
} = {}): Said {
  const run = newRun(readOptions({ model: script(), prompt: 'go', runId: 'r', ...options }));
  prepare?.(run);
  const events: LoopEvent[] = [];
  const said: Said = { run, events, state: undefined, ended: false, leave: () => subscription.unsubscribe() };
  const subscription = boundary(run, { ...startState(run), ...change }, afterAnswer).subscribe({
    next: (value) => void (value instanceof Next ? (said.state = value.state) : events.push(value)),
    complete: () => (said.ended = true),
  });
  return said;
}

const used = { calls: 3 };
const call = { type: 'call', fresh: true };

describe('boundary', () => {
  it('goes on with a counted call, and says nothing', () => {
    const { events, state, ended } = say();
    expect([events, state?.phase, ended]).toEqual([[], call, true]);
  });

  it('reads what steers, says so, and appends it', () => {
    const { events, state } = say({}, { prepare: ({ inbox }) => (inbox.steer('a'), inbox.steer('b')) });
    const messages = [userMessage('a'), userMessage('b')];
    expect(events).toEqual([{ type: 'steering', runId: 'r', messages }]);
    expect(state?.messages.slice(1)).toEqual(messages);
    expect(state?.phase).toEqual(call);
  });

  it('reads a follow-up only after an answer, one at a time', () => {
    const prepare = ({ inbox }: Run): void => (inbox.follow('a'), inbox.follow('b'));
    expect(say({}, { prepare }).events).toEqual([]);
    const { events, run } = say({}, { prepare, afterAnswer: true });
    expect(events).toMatchObject([{ type: 'steering', messages: [userMessage('a')] }]);
    expect(run.inbox.unread).toEqual({ steering: [], followUp: [userMessage('b')] });
  });

  it('leaves what the user said unread where no further call is allowed', () => {
    const { events, run, state } = say({ budget: { maxSteps: 3 } }, { prepare: ({ inbox }) => inbox.steer('a'), change: used });
    expect([events, state?.phase]).toEqual([[], { type: 'done', reason: 'max-steps' }]);
    expect(run.inbox.unread).toEqual({ steering: [userMessage('a')], followUp: [] });
  });

  it('ends at a budget with done, or with its error', () => {
    const budget = { maxSteps: 3 };
    expect(say({ budget }, { change: used }).state?.phase).toEqual({ type: 'done', reason: 'max-steps' });
    const phase = say({ budget, policy: { budgetEnd: 'error' } }, { change: used }).state?.phase;
    expect(phase).toEqual({ type: 'failed', error: expect.any(BudgetError) });
    expect(phase).toMatchObject({ error: { budget: 'max-steps', limit: 3, used: 3 } });
  });

  it('ends for a window that is full, and for steps that repeat', () => {
    const model = { ...script(), contextWindow: 100 };
    const repeats = { text: { key: 'x', count: 2 }, calls: { key: '', count: 0 } };
    expect(say({ model, budget: { contextLimit: 0.5 } }, { change: { context: 0.5 } }).state?.phase).toEqual({ type: 'done', reason: 'context-full' });
    expect(say({ budget: { repetition: 2 } }, { change: { repeats } }).state?.phase).toEqual({ type: 'done', reason: 'repetition' });
  });

  it('says what the user said before it ends for a budget', () => {
    const model = { ...script(), contextWindow: 100 };
    const { events, state } = say({ model, budget: { contextLimit: 0.5 } }, { prepare: ({ inbox }) => inbox.steer('a'), change: { context: 0.5 } });
    expect([events.map(({ type }) => type), state?.phase.type]).toEqual([['steering'], 'done']);
    expect(state?.messages.at(-1)).toEqual(userMessage('a'));
  });

  it('warns of a budget once, after what the user said', () => {
    const options = { budget: { maxSteps: 4, warnAt: 0.75 } };
    const { events, run } = say(options, { prepare: ({ inbox }) => inbox.steer('a'), change: used });
    expect(events.map(({ type }) => type)).toEqual(['steering', 'status']);
    expect(events[1]).toEqual({ type: 'status', runId: 'r', text: 'budget.maxSteps: 3 of 4 used.' });
    const again: LoopEvent[] = [];
    boundary(run, { ...startState(run), ...used }, false).subscribe((value) => void (value instanceof Next || again.push(value)));
    expect(again).toEqual([]);
  });

  it('ends where the run has been told to stop, before it reads anything', () => {
    const prepare = (run: Run): void => (run.inbox.steer('a'), run.stops?.set({ reason: 'aborted' }));
    const { events, state, run } = say({ abort$: NEVER, budget: { maxSteps: 3, warnAt: 0 } }, { prepare, change: used });
    expect([events, state?.phase]).toEqual([[], { type: 'done', reason: 'aborted' }]);
    expect(run.inbox.isEmpty).toBe(false);
  });

  it('asks the reader after everything else', () => {
    const gate = new Subject<void>();
    const said = say({ demand: { ready: () => gate } }, { prepare: ({ inbox }) => inbox.steer('a') });
    expect([said.events.map(({ type }) => type), said.state, said.ended]).toEqual([['steering'], undefined, false]);
    gate.next();
    expect([said.state?.phase, said.ended, gate.observed]).toEqual([call, true, false]);
    expect(say({ demand: { ready: () => of(undefined) } }).state?.phase).toEqual(call);
  });

  it('ends where it is told to stop while the reader is asked', () => {
    const gate = new Subject<void>();
    const said = say({ demand: { ready: () => gate }, abort$: NEVER });
    said.run.stops?.set({ reason: 'max-duration' });
    expect([said.state?.phase, said.ended, gate.observed]).toEqual([{ type: 'done', reason: 'max-duration' }, true, false]);
  });

  it('no longer asks the reader who left', () => {
    const gate = new Subject<void>();
    const said = say({ demand: { ready: () => gate }, abort$: NEVER });
    said.leave();
    expect([gate.observed, said.state]).toEqual([false, undefined]);
  });
});

describe('stopped', () => {
  it('is how the run ends for what stopped it', () => {
    const error = new Error('broken');
    const phase = (stop?: Parameters<NonNullable<Run['stops']>['set']>[0]): unknown => {
      const run = newRun(readOptions({ model: script(), prompt: 'go', abort$: NEVER }));
      if (stop !== undefined) run.stops?.set(stop);
      return stopped(run);
    };
    expect(phase({ reason: 'aborted' })).toEqual({ type: 'done', reason: 'aborted' });
    expect(phase({ reason: 'max-duration' })).toEqual({ type: 'done', reason: 'max-duration' });
    expect(phase({ error })).toEqual({ type: 'failed', error });
  });
});
