import type { ApprovalAnswerEvent, ApprovalRequestEvent, EventOf, ToolDropped, ToolResultEvent, ToolStart } from '../event.ts';
import type { CallPhase, CallState, LoopState } from '../loop-state.ts';
import type { ToolCall } from '../message.ts';
import { completed, sameJson } from './fold-said.ts';
import { settled } from './initial-state.ts';
import { withoutRuns } from './without-runs.ts';

type CallEvent = EventOf<'tool-call' | 'approval-request' | 'approval-answer' | 'tool-start' | 'tool-progress' | 'tool-result' | 'tool-dropped'>;

/**
 * The state after an event about one call. A call that the state does not know, because a run was joined in the middle,
 * begins with the first event that carries it.
 *
 * @internal
 */
export function foldCall(state: LoopState, event: CallEvent): LoopState {
  switch (event.type) {
    case 'tool-call':
      return known(state, event.step, event.call, (call) => ({ ...(call.state === 'writing' ? completed(call, event.call) : call), name: event.call.name }));
    case 'approval-request':
      return request(state, event);
    case 'approval-answer':
      return answer(state, event);
    case 'tool-start':
      return known(state, event.step, event.call, (call) => started(call, event));
    case 'tool-progress':
      return changed(state, event.callId, (call) => ({ ...call, progress: event.progress }));
    case 'tool-result':
      return result(state, event);
    case 'tool-dropped':
      return dropped(state, event);
  }
}

function started(call: CallState, { call: effective, title, kind, startedAt }: ToolStart): CallState {
  return {
    ...call,
    state: 'running',
    arguments: sameJson(call.arguments, effective.arguments) ? call.arguments : effective.arguments,
    startedAt,
    ...(title !== undefined && { title }),
    ...(kind !== undefined && { kind }),
  };
}

function request(state: LoopState, event: ApprovalRequestEvent): LoopState {
  const { type, parent, ...open } = event;
  const asked = known(state, event.step, event.call, (call) => ({ ...call, state: 'waiting' }));
  // A run that is resumed may be told of a request that it had already.
  return { ...asked, requests: [...state.requests.filter(({ id }) => id !== open.id), open] };
}

function answer(state: LoopState, { id, callId, kind }: ApprovalAnswerEvent): LoopState {
  const requests = state.requests.filter((one) => one.id !== id);
  const next = requests.length === state.requests.length ? state : { ...state, requests };
  if (requests.some((one) => one.runId === state.runId && one.callId === callId)) return next;
  // A tool that asked for input runs on.
  const phase: CallPhase = kind === 'input' ? 'running' : 'asked';
  return changed(next, callId, (call) => (call.state === 'waiting' ? { ...call, state: phase } : call));
}

function result(state: LoopState, { runId, step, callId, call: own, result: came, elapsedMs }: ToolResultEvent): LoopState {
  const next = known(state, step, own, (call) => ({ ...settled(call, came), elapsedMs }));
  const requests = state.requests.filter((one) => one.runId !== runId || one.callId !== callId);
  return requests.length === state.requests.length ? next : { ...next, requests };
}

/** Of a call that is answered or withdrawn nothing is left to say; one that a crash has cut begins again, without the runs inside. */
function dropped(state: LoopState, { callId, reason }: ToolDropped): LoopState {
  if (reason !== 'restarted') return state;
  const next = changed(state, callId, (call) => {
    if (call.state !== 'running' && call.state !== 'waiting') return call;
    const { progress, startedAt, ...rest } = call;
    return { ...rest, state: 'asked' };
  });
  return next === state ? state : withoutRuns(next, new Set([callId]));
}

function changed(state: LoopState, callId: string, act: (call: CallState) => CallState): LoopState {
  const at = state.calls.findLastIndex((call) => call.callId === callId);
  const call = state.calls[at];
  const next = call === undefined ? call : act(call);
  return next === undefined || next === call ? state : { ...state, calls: state.calls.with(at, next) };
}

function known(state: LoopState, step: number, call: ToolCall, act: (call: CallState) => CallState): LoopState {
  const { id: callId, name } = call;
  if (state.calls.some((one) => one.callId === callId)) return changed(state, callId, act);
  const calls = [...state.calls, act(completed({ callId, name, step, state: 'asked', argumentsText: '' }, call))];
  const last = state.messages.at(-1);
  if (last?.role !== 'assistant' || last.step !== step) return { ...state, calls };
  return { ...state, calls, messages: state.messages.with(-1, { ...last, blocks: [...last.blocks, { type: 'tool-call', callId }] }) };
}
