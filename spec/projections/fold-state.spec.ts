import { describe, expect, it } from '@jest/globals';
import { foldState, initialState, userMessage } from '../../lib/index.ts';
import type { EventOf, LoopEvent, LoopState, Parent } from '../../lib/index.ts';
import { correction, delta, done, end, fallback, result, retract, retry, start, steering, step, tool } from '../support/events.ts';

const runId = 'run1';
const after = (...events: LoopEvent[]): LoopState => events.reduce<LoopState>(foldState, initialState());
const text = (words: string, block = 'b'): LoopEvent => delta(0, { type: 'text', block, text: words });

describe('foldState', () => {
  it('tells where a run is', () => {
    const stages = [[], [start()], [start(), step(0)], [start(), done()], [start(), done(0, '', { reason: 'error', error: { code: 'budget', message: 'spent', retryable: false } })]];
    expect(stages.map((events) => after(...events).status)).toEqual(['idle', 'running', 'running', 'done', 'error']);
    expect(after(...(stages[4] ?? []))).toMatchObject({ reason: 'error', error: { code: 'budget' } });
  });

  it('shows a message as soon as its step begins', () => {
    expect(after(start(), step(2, 3)).messages).toEqual([{ id: 'run1.2.3', role: 'assistant', step: 2, attempt: 3, state: 'provisional', blocks: [] }]);
  });

  it.each([['a delta', text('x')], ['a fallback', fallback(0, 'a', 'b')], ['the end of the step', end(0)], ['a retract', retract(0, 1)], ['the end of the run', done()]])('shows a wait until %s', (_what, event) => {
    const waiting = after(start(), step(0), retry(0, 1));
    expect(waiting.retry).toMatchObject({ count: 1, max: 3, delayMs: 5 });
    expect(foldState(waiting, event)).not.toHaveProperty('retry');
  });

  it('adds what users said and what the model was told', () => {
    const state = after(start(), step(0), text('x'), end(0), correction(0), steering('stop', 'please'));
    expect(state.messages.map(({ role, step: at }) => [role, at])).toEqual([['assistant', 0], ['user', 0], ['user', undefined], ['user', undefined]]);
    expect(new Set(state.messages.map(({ id }) => id)).size).toBe(4);
  });

  it('has the last plan, title and line of the host', () => {
    const plan = [{ content: 'think', status: 'pending' }] as const;
    const state = after(start(), { type: 'plan', runId, entries: plan }, { type: 'title', runId, title: 'T' }, { type: 'status', runId, text: 'busy', data: 1 });
    expect(state).toMatchObject({ title: 'T', line: { text: 'busy', data: 1 } });
    expect(state.plan).toBe(plan);
    expect(foldState(state, { type: 'status', runId, text: '' })).not.toHaveProperty('line');
    expect(foldState(state, done())).not.toHaveProperty('line');
  });

  it('changes the shared state by its patches, and tells of one that cannot be applied', () => {
    const good: LoopEvent = { type: 'state', runId, patch: [{ op: 'add', path: '/n', value: 1 }] };
    const bad: LoopEvent = { type: 'state', runId, patch: [{ op: 'add', path: '/m', value: 1 }, { op: 'add', path: '/__proto__/x', value: 1 }] };
    const state = after(start(), good, bad);
    expect(state).toMatchObject({ shared: { n: 1 }, sharedFault: { index: 1, path: '/__proto__/x', message: expect.stringContaining('__proto__') } });
    expect(state.shared).not.toHaveProperty('m');
    expect(foldState(state, good)).not.toHaveProperty('sharedFault');
  });

  it('gives the same state for what it has nothing to say of', () => {
    const state = after(start(), step(0));
    for (const event of [{ type: 'custom', runId, name: 'x', data: 1 }, { type: 'event-of-tomorrow', runId }, { type: 'status', runId, text: '' }, tool('tool-commit', 0, 'c')] as LoopEvent[]) {
      expect(foldState(state, event)).toBe(state);
    }
  });

  it('has the usage, the output and the reason of the outcome', () => {
    const state = after(start(), step(0), text('{}'), end(0, { usage: { inputTokens: 1 } }), done(1, '', { reason: 'output', usage: { inputTokens: 5 }, completion: { text: '', toolCalls: [], json: { a: 1 } } }));
    expect(state).toMatchObject({ status: 'done', reason: 'output', usage: { inputTokens: 5 }, output: { a: 1 } });
  });

  it('closes what a failed run has left open, with the results that its messages have', () => {
    const call = { id: 'c', name: 'add', arguments: {} };
    const closing = { callId: 'c', name: 'add', content: [], isError: true };
    const state = after(
      ...[start(), step(0), text('half'), delta(0, { type: 'tool-call-start', index: 0, id: 'c', name: 'add' }), delta(0, { type: 'tool-call-end', index: 0, call })],
      done(0, '', { reason: 'error', messages: [{ role: 'tool', results: [closing] }] }),
    );
    expect(state.messages).toMatchObject([{ state: 'broken' }]);
    expect(state.calls).toMatchObject([{ state: 'error', result: closing }]);
  });

  it('keeps the requests of a suspended run, and of no other that has ended', () => {
    const ask: LoopEvent = { type: 'approval-request', runId, step: 0, callId: 'c', id: 'q', kind: 'approval', call: { id: 'c', name: 'add', arguments: {} } };
    expect(after(start(), ask, done(0, '', { reason: 'suspended' }))).toMatchObject({ status: 'done', requests: [{ id: 'q' }], calls: [{ state: 'waiting' }] });
    expect(after(start(), ask, done(0, '', { reason: 'aborted' })).requests).toEqual([]);
  });

  it('goes on where a suspended run stood', () => {
    const ask: LoopEvent = { type: 'approval-request', runId, step: 0, callId: 'c', id: 'q', kind: 'approval', call: { id: 'c', name: 'add', arguments: {} } };
    const suspended = after(start(), ask, done(0, '', { reason: 'suspended' }));
    const resumed = foldState(suspended, { ...start(), resumed: true } as LoopEvent);
    expect(resumed).toMatchObject({ status: 'waiting', requests: [{ id: 'q' }], calls: suspended.calls });
    expect(resumed).not.toHaveProperty('reason');
    const { id, step: at, callId, kind } = ask as EventOf<'approval-request'>;
    expect(foldState(resumed, { type: 'approval-answer', runId, id, step: at, callId, kind, answer: { type: 'approve' } })).toMatchObject({ status: 'running', requests: [] });
  });

  it('keeps what was said when another run follows, but for what was never committed', () => {
    const state = after(start(), step(0), text('one'), end(0), { type: 'title', runId, title: 'T' }, step(1), text('two', 'c'), { type: 'run-start', runId: 'run2', threadId: 't' });
    expect(state).toMatchObject({ runId: 'run2', threadId: 't', status: 'running', title: 'T', messages: [{ id: 'run1.0.1' }] });
    expect(state.messages).toHaveLength(1);
    expect(foldState(foldState(state, { ...step(0), runId: 'run2' } as LoopEvent), { ...end(0), runId: 'run2' } as LoopEvent).messages).toEqual(state.messages);
  });
});

describe('a nested run', () => {
  const nest = (event: LoopEvent, id: string, parent: Parent): LoopEvent => ({ ...event, runId: id, parent });
  const above = { runId, callId: 'c' };
  const inner = [start(), step(0), text('in')].map((event) => nest(event, 'inner', above));
  const deep = [start(), step(0), text('deep')].map((event) => nest(event, 'deep', { runId: 'inner', callId: 'd' }));

  it('is a state of its own, at its place', () => {
    const state = after(start(), step(0), ...inner, ...deep, text('out'));
    expect(state.messages.map(({ blocks }) => blocks)).toEqual([[{ type: 'text', block: 'b', text: 'out' }]]);
    expect(state.nested['inner']).toMatchObject({ runId: 'inner', parent: above, status: 'running', messages: [{ blocks: [{ text: 'in' }] }] });
    expect(state.nested['inner']?.nested['deep']).toMatchObject({ runId: 'deep', messages: [{ blocks: [{ text: 'deep' }] }] });
  });

  it('interleaves with others, each by its name [#103]', () => {
    const other = inner.map((event) => ({ ...event, runId: 'other' }));
    const state = after(start(), ...inner.flatMap((event, n) => [event, other[n] as LoopEvent]));
    expect(Object.values(state.nested).map(({ messages }) => messages[0]?.blocks)).toEqual([[{ type: 'text', block: 'b', text: 'in' }], [{ type: 'text', block: 'b', text: 'in' }]]);
  });

  it('asks for the whole run, and is counted in it', () => {
    const ask = nest({ type: 'approval-request', runId, step: 0, callId: 'x', id: 'q', kind: 'approval', call: { id: 'x', name: 'add', arguments: {} } }, 'deep', { runId: 'inner', callId: 'd' });
    const asked = after(start(), ...inner, ...deep, ask);
    expect(asked).toMatchObject({ status: 'waiting', requests: [{ id: 'q', runId: 'deep' }], nested: { inner: { status: 'waiting', requests: [{ id: 'q' }] } } });
    const ended = foldState(asked, nest(end(0, { usage: { outputTokens: 3 } }), 'deep', { runId: 'inner', callId: 'd' }));
    expect([ended.usage, ended.nested['inner']?.usage]).toEqual([{ outputTokens: 3 }, { outputTokens: 3 }]);
    expect(foldState(ended, nest(result(0, 'x'), 'deep', { runId: 'inner', callId: 'd' }))).toMatchObject({ status: 'running', requests: [] });
  });

  it('is kept where the run above it is not known, whatever its name', () => {
    const state = foldState(initialState([userMessage('x')]), nest(start(), '__proto__', { runId: 'nobody', callId: 'c' }));
    expect(Object.keys(state.nested)).toEqual(['__proto__']);
    expect(foldState(state, nest(step(0), '__proto__', { runId: 'nobody', callId: 'c' })).messages).toBe(state.messages);
  });
});
