import { describe, expect, it } from '@jest/globals';
import { foldState, initialState } from '../../lib/index.ts';
import type { ApprovalAnswerEvent, ApprovalKind, ApprovalRequestEvent, CallState, LoopEvent, LoopState, ToolResultEvent } from '../../lib/index.ts';
import { foldCall } from '../../lib/projections/fold-call.ts';
import { below, delta, dropped, end, progress, result, start, step, tool } from '../support/events.ts';

const call = { id: 'c', name: 'add', arguments: {} };
const asked = [
  start(), step(0), delta(0, { type: 'tool-call-start', index: 0, id: 'c', name: 'add' }), delta(0, { type: 'tool-call-end', index: 0, call }), end(0, { finish: 'tool-use' }), tool('tool-call', 0, 'c'),
].reduce<LoopState>(foldState, initialState());
const after = (...events: LoopEvent[]): LoopState => events.reduce<LoopState>(foldState, asked);
const callAfter = (...events: LoopEvent[]): CallState | undefined => after(...events).calls[0];
const request = (id = 'q', kind: ApprovalKind = 'approval'): ApprovalRequestEvent => ({ type: 'approval-request', runId: 'run1', step: 0, callId: 'c', id, kind, call, reason: 'sure?' });
const answer = (id = 'q', kind: ApprovalKind = 'approval'): ApprovalAnswerEvent => ({ type: 'approval-answer', runId: 'run1', step: 0, callId: 'c', id, kind, answer: { type: 'approve' } });

describe('foldCall', () => {
  it('follows a call from its announcement to its result', () => {
    const events = [tool('tool-start', 0, 'c'), progress(0, 'c'), tool('tool-commit', 0, 'c'), result(0, 'c')];
    const states = events.map((_, n) => callAfter(...events.slice(0, n + 1))?.state);
    expect([asked.calls[0]?.state, ...states]).toEqual(['asked', 'running', 'running', 'running', 'ok']);
    expect(callAfter(...events)).toMatchObject({ progress: 'p', startedAt: 0, elapsedMs: 0, result: { callId: 'c' } });
  });

  it('has what a screen shows of a tool and of its result', () => {
    const told = { ...tool('tool-start', 0, 'c'), title: 'Adds', kind: 'read', call: { ...call, arguments: { a: 1 } } } as LoopEvent;
    expect(callAfter(told)).toMatchObject({ title: 'Adds', kind: 'read', arguments: { a: 1 } });
    const shown = result(0, 'c', true) as ToolResultEvent;
    const error = { kind: 'timeout', message: 'late', retryable: true } as const;
    expect(callAfter({ ...shown, result: { ...shown.result, error, display: { text: 'Too late' } } })).toMatchObject({ state: 'error', display: { text: 'Too late' }, result: { error } });
  });

  it('keeps arguments that the tool was given as the model wrote them', () => {
    expect(callAfter({ ...tool('tool-start', 0, 'c'), call: { ...call, arguments: {} } } as LoopEvent)?.arguments).toBe(asked.calls[0]?.arguments);
  });

  it('waits while somebody is asked, and says so of the run', () => {
    const state = after(request());
    expect(state).toMatchObject({ status: 'waiting', calls: [{ state: 'waiting' }] });
    expect(state.requests).toEqual([{ id: 'q', kind: 'approval', runId: 'run1', step: 0, callId: 'c', call, reason: 'sure?' }]);
    expect(after(request(), request()).requests).toHaveLength(1);
  });

  it.each([['approval', 'asked'], ['result', 'asked'], ['input', 'running']] as const)('goes on as %s needs it when it is answered', (kind, phase) => {
    expect(after(tool('tool-start', 0, 'c'), request('q', kind), answer('q', kind))).toMatchObject({ status: 'running', requests: [], calls: [{ state: phase }] });
  });

  it('waits on until the last of its requests is answered', () => {
    expect(after(request('q', 'input'), request('r', 'input'), answer('q', 'input'))).toMatchObject({ status: 'waiting', calls: [{ state: 'waiting' }] });
  });

  it('has no open request of a call that has its result', () => {
    expect(after(request(), result(0, 'c', true))).toMatchObject({ status: 'running', requests: [], calls: [{ state: 'error' }] });
  });

  it('forgets what was inside of a call that a crash has cut, and what was asked there', () => {
    const inside = [start(), step(0), { ...request('deep'), callId: 'x' }].map((event) => below('c', event));
    const other = below('d', start(), 'run3');
    const waiting = after(other, tool('tool-start', 0, 'c'), ...inside);
    expect(waiting).toMatchObject({ nested: { run2: {}, run3: {} }, requests: [{ id: 'deep' }], status: 'waiting' });
    const cut = foldState(waiting, dropped(0, 'c', 'restarted'));
    expect([Object.keys(cut.nested), cut.requests, cut.status]).toEqual([['run3'], [], 'running']);
    expect(after(tool('tool-start', 0, 'c'), request('q', 'input'), dropped(0, 'c', 'restarted'))).toMatchObject({ requests: [], status: 'running', calls: [{ state: 'asked' }] });
  });

  it('lets a call that a crash has cut begin again, and says nothing of one that is answered', () => {
    const restarted = { ...dropped(0, 'c'), reason: 'restarted' } as LoopEvent;
    expect(callAfter(tool('tool-start', 0, 'c'), progress(0, 'c'), restarted)).toStrictEqual(asked.calls[0]);
    const answered = after(result(0, 'c'));
    expect([foldState(answered, dropped(0, 'c')), foldState(answered, restarted)]).toEqual([answered, answered]);
    expect(foldState(answered, restarted)).toBe(answered);
  });

  it('begins a call that it does not know with the first event that carries it', () => {
    const fresh = foldState(initialState(), { ...start(), resumed: true } as LoopEvent);
    expect(foldState(fresh, tool('tool-start', 3, 'x')).calls).toEqual([{ callId: 'x', name: 'add', step: 3, state: 'running', argumentsText: '{}', arguments: {}, startedAt: 0 }]);
    expect(after(tool('tool-call', 0, 'z')).messages[0]?.blocks.at(-1)).toEqual({ type: 'tool-call', callId: 'z' });
  });

  it('takes the name that a call was repaired to', () => {
    expect(callAfter({ ...tool('tool-call', 0, 'c'), call: { ...call, name: 'mul' } } as LoopEvent)?.name).toBe('mul');
  });

  it('changes nothing for a call that nobody knows', () => {
    expect(foldCall(asked, progress(0, 'nobody') as never)).toBe(asked);
    expect(foldCall(asked, { ...answer('no'), callId: 'nobody' })).toBe(asked);
  });
});
