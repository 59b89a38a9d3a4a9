import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { config, Observable, of, Subject, tap, throwError } from 'rxjs';
import { ConfigError, defineTool, ModelError, RemoteError, resumeToolLoop, toolLoop, userMessage } from '../../lib/index.ts';
import type { Checkpoint, LoopEvent, LoopState } from '../../lib/index.ts';
import { scripted } from '../../lib/deltas/scripted.ts';
import { remoteLoop, remoteRun } from '../../lib/view/remote.ts';
import { createLoopStore } from '../../lib/view/store.ts';
import type { LoopStore, LoopStoreOptions } from '../../lib/view/store.ts';
import { delta, start } from '../support/events.ts';
import { wordsOf } from '../support/store-words.ts';
import { closeDoors, doorOf, heldTurn } from '../serve/door.ts';
import * as z from 'zod';

const pay = defineTool({ name: 'pay', description: 'Pays.', input: z.object({}), needsApproval: true, run: () => 'paid' });
const storeOf = (run: LoopStoreOptions['run'], more: Partial<LoopStoreOptions> = {}): LoopStore => createLoopStore({ run, updates: 'none', ...more });
const words = (store: LoopStore): string[] => wordsOf(store.getSnapshot());
/** The first state of a kind that a store shows. */
const until = (store: LoopStore, isIt: (state: LoopState) => boolean): Promise<LoopState> =>
  new Promise((resolve) => void store.subscribe((state) => void (isIt(state) && resolve(state))));

afterEach(closeDoors);

describe('createLoopStore', () => {
  it.each<[string, object, RegExp]>([
    ['an option that does not exist', { run: () => of(), model: 1 }, /no option `model`; there are run, control,/],
    ['no function that makes a run', { run: of() }, /`run` must be a function/],
    ['an unknown strategy', { run: () => of(), strategy: 'merge' }, /`strategy` is merge; give switch, concat or exhaust/],
    ['a time that is none', { run: () => of(), updates: { ms: -1 } }, /no number of milliseconds/],
  ])('refuses %s', (_what, options, message) => {
    expect(() => createLoopStore(options as LoopStoreOptions)).toThrow(ConfigError);
    expect(() => createLoopStore(options as LoopStoreOptions)).toThrow(message);
  });

  it('does nothing before it is asked', () => {
    const run = jest.fn(() => of());
    const store = storeOf(run, { messages: [userMessage('before')] });
    store.subscribe(() => undefined)();
    expect(run).not.toHaveBeenCalled();
    expect(words(store)).toEqual(['idle', 'user: before']);
    expect(store.getServerSnapshot()).toBe(store.getSnapshot());
  });

  it('gives functions that need no `this`', () => {
    const { run, subscribe, getSnapshot, getServerSnapshot, getMessages, cancel, dispose, steer, answer, watch } = storeOf(() => of(start()));
    const told: LoopState[] = [];
    const leave = subscribe((state) => told.push(state));
    run('hi');
    expect(told.at(-1)).toBe(getSnapshot());
    leave();
    dispose();
    expect([watch(of()), steer('a'), answer({}), cancel(), getMessages()]).toEqual([true, false, false, false, []]);
    expect(getServerSnapshot().status).toBe('idle');
  });
});

describe('what a store shows', () => {
  it('is the same object until something has changed, and keeps what has not', () => {
    const events$ = new Subject<LoopEvent>();
    const store = storeOf(() => events$, { messages: [userMessage('before')] });
    store.run('hi');
    events$.next(start());
    const before = store.getSnapshot();
    expect(store.getSnapshot()).toBe(before);
    events$.next({ type: 'step-start', runId: 'run1', step: 0, attempt: 1, model: 'm' });
    events$.next(delta(0, { type: 'text', block: 'b', text: 'a' }));
    const after = store.getSnapshot();
    expect(after).not.toBe(before);
    expect(after.messages.map((one, at) => one === before.messages[at])).toEqual([true, true, false]);
    for (const part of ['calls', 'plan', 'shared', 'requests', 'nested'] as const) expect(after[part]).toBe(before[part]);
  });

  it('is the prompt before the run has said anything, and what came of all runs', () => {
    const model = scripted([{ text: 'one' }, { text: 'two' }]);
    const held$ = new Subject<LoopEvent>();
    const store = storeOf((run) => (run.messages.length === 0 ? toolLoop({ model, ...run }) : held$));
    store.run('a');
    store.run(userMessage('b'));
    expect(words(store)).toEqual(['running', 'user: a', 'assistant: one', 'user: b']);
    const ids = store.getSnapshot().messages.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
  });

  it('is taken back where a run ends without a word of what it came to', () => {
    const store = storeOf(() => of(start(), delta(0, { type: 'text', block: 'b', text: 'a' })));
    store.run('a');
    expect(words(store)).toEqual(['idle']);
    expect(store.getMessages()).toEqual([]);
  });

  it('goes on where a suspended run is resumed', () => {
    const options = { model: scripted([{ calls: [{ name: 'pay', id: 'c1' }] }, { text: 'Paid.' }]), tools: [pay] };
    let checkpoint: Checkpoint | undefined;
    const store = storeOf((run) => toolLoop({ ...options, ...run }).pipe(tap((event) => void (event.type === 'done' && (checkpoint = event.outcome.checkpoint)))));
    store.run('Pay.');
    const [request] = store.getSnapshot().requests;
    const id = request?.id ?? '';
    store.answer({ [id]: { type: 'suspend' } });
    expect(store.getSnapshot()).toMatchObject({ status: 'done', reason: 'suspended', requests: [{ id }] });
    expect(store.answer({ [id]: { type: 'approve' } })).toBe(false);

    expect(store.watch((controls) => resumeToolLoop(checkpoint as Checkpoint, {}, { ...options, ...controls }))).toBe(true);
    expect(store.answer({ [id]: { type: 'approve' } })).toBe(true);
    expect(words(store)).toEqual(['done', 'user: Pay.', 'assistant: pay', 'assistant: Paid.']);
    expect(store.getMessages().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });
});

describe('a failure', () => {
  it('of a run is a state, and the next run knows what was said', () => {
    const model = scripted([{ text: 'half', error: new ModelError('model-http', 'No.') }, { text: 'whole' }]);
    const faults: unknown[] = [];
    const store = storeOf((run) => toolLoop({ model, preset: 'strict', ...run }), { onFault: (error) => faults.push(error) });
    store.run('a');
    expect(store.getSnapshot()).toMatchObject({ status: 'error', error: { code: 'model-http' } });
    store.run('b');
    expect(words(store)).toEqual(['done', 'user: a', 'assistant: half', 'user: b', 'assistant: whole']);
    expect(store.getSnapshot()).not.toHaveProperty('error');
    expect(faults).toEqual([]);
  });

  it('that says nothing of its run is shown until the next run begins', () => {
    const errors = [new RemoteError({ code: 'run-gone', message: 'Gone.', retryable: false }), 'a secret'];
    const faults: unknown[] = [];
    const store = storeOf(() => throwError(() => errors[0]), { onFault: (error) => faults.push(error) });
    store.run('a');
    expect(store.getSnapshot()).toMatchObject({ status: 'error', error: { code: 'run-gone', message: 'Gone.' } });
    errors.shift();
    store.run('b');
    expect(words(store)).toEqual(['error', 'user: b']);
    expect(store.getSnapshot().error).toEqual({ code: 'other', message: 'The run failed.', retryable: false });
    expect(faults).toEqual(['a secret']);
  });

  it('of the function that makes the run is one of the run, and is told to the programmer', () => {
    const faults: unknown[] = [];
    const store = storeOf((run) => toolLoop({ ...run } as never), { onFault: (error) => faults.push(error) });
    store.run('a');
    expect(store.getSnapshot()).toMatchObject({ status: 'error', error: { code: 'config' } });
    expect(faults).toEqual([expect.any(ConfigError)]);
  });

  it('that nobody takes is reported as RxJS reports it, and stops nothing', async () => {
    const reported = new Promise((resolve) => (config.onUnhandledError = resolve));
    const store = storeOf((run) => toolLoop({ model: scripted([{ text: 'one' }]), ...run }));
    store.subscribe(({ status }) => {
      if (status === 'done') throw new Error('A reader broke.');
    });
    store.run('a');
    expect(words(store)).toEqual(['done', 'user: a', 'assistant: one']);
    expect(await reported).toMatchObject({ message: 'A reader broke.' });
    config.onUnhandledError = null;
  });
});

describe('a store of runs on a server', () => {
  const url = 'http://localhost/runs';
  const far = (options: Parameters<typeof doorOf>[1], more: Partial<LoopStoreOptions> = {}): LoopStore => {
    const door = doorOf([], options);
    const place = { url, fetch: ((input: string, init: RequestInit) => door(new Request(input, init))) as typeof fetch };
    return createLoopStore({
      updates: { ms: 0 },
      run: ({ messages, prompt }) => remoteLoop({ ...place, body: { messages: [...messages, prompt] } }),
      control: (runId) => remoteRun({ ...place, runId }),
      ...more,
    });
  };

  it('knows what the runs before came to, and answers', async () => {
    const model = scripted([{ text: 'Hi.' }, { calls: [{ name: 'pay' }] }, { text: 'Paid.' }]);
    const store = far({ start: () => ({ model, tools: [pay] }) });
    store.run('a');
    await until(store, ({ status }) => status === 'done');
    store.run('b');
    const { requests } = await until(store, ({ status }) => status === 'waiting');
    const id = requests[0]?.id ?? '';
    expect([store.answer({ other: { type: 'approve' } }), store.answer({}), store.answer({ [id]: { type: 'approve' } })]).toEqual([false, false, true]);
    await until(store, ({ status, messages }) => status === 'done' && messages.length > 3);
    expect(words(store)).toEqual(['done', 'user: a', 'assistant: Hi.', 'user: b', 'assistant: pay', 'assistant: Paid.']);
    expect(store.getMessages().map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'tool', 'assistant']);
  });

  it('steers and cancels them, as soon as they are known', async () => {
    const held = heldTurn();
    const store = far({ start: () => ({ model: scripted([() => held.turn() as never, { text: 'x' }]) }) });
    store.run('a');
    expect(store.steer('early')).toBe(false);
    await until(store, ({ runId }) => runId !== '');
    expect([store.steer('faster'), store.cancel()]).toEqual([true, true]);
    expect(await until(store, ({ status }) => status === 'done')).toMatchObject({ reason: 'aborted' });
  });

  it('leaves one that is not known yet, and one that is to end at once', async () => {
    const held = heldTurn();
    const store = far({ start: () => ({ model: scripted([() => held.turn() as never, () => heldTurn().turn() as never]) }) });
    store.run('a');
    expect(store.cancel()).toBe(true);
    expect(words(store)).toEqual(['idle']);
    store.run('b');
    await until(store, ({ runId }) => runId !== '');
    expect(store.cancel({ hard: true })).toBe(true);
    expect(words(store)).toEqual(['idle']);
  });

  it('tells the programmer why one could not be reached', async () => {
    const fault = new Promise((resolve) => {
      const store = createLoopStore({
        updates: 'none',
        run: () => new Observable((subscriber) => subscriber.next(start())),
        control: () => remoteRun({ url, runId: 'r9', fetch: ((input: string) => doorOf([])(new Request(input, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"message":"x"}' }))) as typeof fetch }),
        onFault: resolve,
      });
      store.run('a');
      expect(store.steer('x')).toBe(true);
    });
    expect(await fault).toMatchObject({ code: 'run-gone' });
  });
});
