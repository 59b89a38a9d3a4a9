import { describe, expect, it } from '@jest/globals';
import { EMPTY, NEVER, of, Subject, throwError, VirtualTimeScheduler } from 'rxjs';
import type { Subscription } from 'rxjs';
import { toolLoop } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { listen } from '../../lib/loop/listen.ts';
import { readOptions } from '../../lib/loop/read-options.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { newRun } from '../../lib/loop/run-state.ts';
import type { Run } from '../../lib/loop/run-state.ts';
import { userMessage } from '../../lib/message.ts';
import { fakeTool, finish, script } from '../../marbles/index.ts';
import { checkpoint } from '../support/examples.ts';

interface Heard {
  readonly run: Run;
  readonly said: unknown[];
  readonly subscription: Subscription;
}

function hear(options: Partial<ToolLoopOptions>): Heard {
  const run = newRun(readOptions({ model: script(), prompt: 'go', ...options }));
  const said: unknown[] = [];
  const subscription = listen(run).subscribe({
    next: (event) => said.push(event), error: (error) => said.push(error), complete: () => said.push('complete'),
  });
  return { run, said, subscription };
}

/** A signal that counts its listeners. */
function counted(): { signal: AbortSignal; listeners: () => number } {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: [never, never, never]) => (listeners++, add(...args));
  signal.removeEventListener = (...args: [never, never, never]) => (listeners--, remove(...args));
  return { signal, listeners: () => listeners };
}

describe('listen', () => {
  it('sets the stop at the first value of `abort$`, and no longer listens to it', () => {
    const abort$ = new Subject<unknown>();
    const { run, said } = hear({ abort$ });
    expect(run.stops?.stopped).toBeUndefined();
    abort$.next('now');
    expect(run.stops?.stopped).toEqual({ reason: 'aborted' });
    expect([abort$.observed, said]).toEqual([false, []]);
  });

  it('takes the completion of `abort$` for nothing', () => {
    const { run, said } = hear({ abort$: EMPTY });
    expect([run.stops?.stopped, said]).toEqual([undefined, []]);
  });

  it('hears an `abort$` that has fired, and a signal that has', () => {
    expect(hear({ abort$: of(1) }).run.stops?.stopped).toEqual({ reason: 'aborted' });
    expect(hear({ abort$: AbortSignal.abort() }).run.stops?.stopped).toEqual({ reason: 'aborted' });
  });

  it('hears a signal that fires', () => {
    const controller = new AbortController();
    const { run } = hear({ abort$: controller.signal });
    expect(run.stops?.stopped).toBeUndefined();
    controller.abort();
    expect(run.stops?.stopped).toEqual({ reason: 'aborted' });
  });

  it.each(['abort$', 'steering$', 'followUp$'] as const)('makes an error of `%s` the stop, and says nothing of it itself', (name) => {
    const error = new Error('broken');
    const { run, said } = hear({ [name]: throwError(() => error) });
    expect([run.stops?.stopped, said]).toEqual([{ error }, []]);
  });

  it('sets the stop when the time is over, counted by the scheduler of the run', () => {
    const scheduler = new VirtualTimeScheduler();
    const { run } = hear({ scheduler, budget: { maxDurationMs: 50 } });
    scheduler.maxFrames = 49;
    scheduler.flush();
    expect(run.stops?.stopped).toBeUndefined();
    scheduler.maxFrames = 50;
    scheduler.flush();
    expect(run.stops?.stopped).toEqual({ reason: 'max-duration' });
  });

  it('warns of the time once its share is over, also where only that is asked for', () => {
    const scheduler = new VirtualTimeScheduler();
    const { said, run } = hear({ scheduler, runId: 'r', budget: { maxDurationMs: 50, warnAt: 0.5 } });
    scheduler.maxFrames = 24;
    scheduler.flush();
    expect(said).toEqual([]);
    scheduler.maxFrames = 49;
    scheduler.flush();
    expect(said).toEqual([{ type: 'status', runId: 'r', text: 'budget.maxDurationMs: 25 of 50 used.' }]);
    expect(run.stops?.stopped).toBeUndefined();
  });

  it('puts what the user says into the inbox, in the order in which it comes', () => {
    const [steering$, followUp$] = [new Subject<string>(), new Subject<string>()];
    const { run } = hear({ steering$, followUp$ });
    followUp$.next('c');
    steering$.next('a');
    steering$.next('b');
    expect(run.inbox.unread).toEqual({ steering: [userMessage('a'), userMessage('b')], followUp: [userMessage('c')] });
  });

  it('says what is said aside, as long as the run lasts', () => {
    const { run, said, subscription } = hear({});
    const event: LoopEvent = { type: 'status', runId: 'r', text: 'late' };
    run.aside.add(of(event));
    subscription.unsubscribe();
    run.aside.add(of(event));
    expect(said).toEqual([event]);
  });

  it('subscribes each notifier once, and leaves it with the run', () => {
    const notifiers = { abort$: new Subject<unknown>(), steering$: new Subject<string>(), followUp$: new Subject<string>() };
    const { subscription } = hear(notifiers);
    expect(Object.values(notifiers).map(({ observed }) => observed)).toEqual([true, true, true]);
    subscription.unsubscribe();
    expect(Object.values(notifiers).map(({ observed }) => observed)).toEqual([false, false, false]);
  });

  it('needs no switch for a run that nothing can stop', () => {
    expect(hear({}).run.stops).toBeUndefined();
    expect(hear({ steering$: NEVER }).run.stops).toBeDefined();
  });

  it('leaves the deadline with the run', () => {
    const scheduler = new VirtualTimeScheduler();
    const { run, subscription } = hear({ scheduler, budget: { maxDurationMs: 50 } });
    subscription.unsubscribe();
    scheduler.flush();
    expect(run.stops?.stopped).toBeUndefined();
  });
});

describe('a signal that lives long', () => {
  it('keeps no listener of 1,000 runs, ended, left or stopped', () => {
    const { signal, listeners } = counted();
    const answer = of(finish('stop'));
    for (let run = 0; run < 1_000; run += 1) {
      const model = run % 2 === 0 ? script(answer) : script(NEVER);
      const subscription = toolLoop({ model, prompt: 'go', abort$: signal }).subscribe();
      expect(listeners()).toBe(run % 2);
      subscription.unsubscribe();
      expect(listeners()).toBe(0);
    }
  });
});

describe('tools that come', () => {
  const set = [fakeTool(of(1))];

  it('are kept, the latest of them, and told to whoever waits for the first', () => {
    const tools = new Subject<typeof set>();
    const { run } = hear({ tools });
    expect(run.toolSet.first.isSet).toBe(false);
    tools.next(set);
    tools.next([]);
    expect([run.toolSet.first.isSet, run.toolSet.latest]).toEqual([true, []]);
  });

  it('may complete once there is a set', () => {
    expect(hear({ tools: of(set) }).run.stops?.stopped).toBeUndefined();
  });

  it('fail the run where they complete without one, or fail', () => {
    expect(hear({ tools: EMPTY }).run.stops?.stopped).toMatchObject({ error: { code: 'config', message: expect.stringContaining('completed without a set of tools') } });
    const error = new Error('gone');
    expect(hear({ tools: throwError(() => error) }).run.stops?.stopped).toEqual({ error });
  });

  it('are left with the run', () => {
    const tools = new Subject<typeof set>();
    hear({ tools }).subscription.unsubscribe();
    expect(tools.observed).toBe(false);
  });
});

describe('the time of a resumed run', () => {
  const resumed = (elapsedMs: number) => {
    const scheduler = new VirtualTimeScheduler();
    const from = { ...checkpoint, counters: { ...checkpoint.counters, elapsedMs } };
    const run = newRun(readOptions({ model: script(), messages: from.messages, scheduler, budget: { maxDurationMs: 100, warnAt: 0.5 } }), { checkpoint: from, answers: {} });
    const said: number[] = [];
    listen(run).subscribe(() => said.push(scheduler.now()));
    const ends = (): unknown => run.stops?.stopped;
    return { scheduler, said, ends };
  };

  it('goes on counting: it is warned of, and over, so much earlier', () => {
    const { scheduler, said, ends } = resumed(30);
    scheduler.maxFrames = 69;
    scheduler.flush();
    expect([said, ends()]).toEqual([[20], undefined]);
    scheduler.maxFrames = 70;
    scheduler.flush();
    expect(ends()).toEqual({ reason: 'max-duration' });
  });

  it('is not warned of again', () => {
    const { scheduler, said } = resumed(50);
    scheduler.flush();
    expect(said).toEqual([]);
  });
});
