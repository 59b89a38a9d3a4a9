import type { Delta, DeltaOf } from '../delta.ts';
import type { DeltaEvent } from '../event.ts';
import type { BlockState, CallState, LoopState, MessageState } from '../loop-state.ts';
import type { ToolCall } from '../message.ts';
import { readArguments } from './read-arguments.ts';

/**
 * The state after a delta: what the attempt that is open has said so far. Copies the message, its block and the lists that
 * hold them, so that the cost does not depend on the length of a text.
 *
 * @internal
 */
export function foldSaid(state: LoopState, { runId, step, delta }: DeltaEvent): LoopState {
  switch (delta.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return inMessage(state, runId, step, (blocks) => appended(blocks, delta));
    case 'reasoning-replace': {
      const { text, meta } = delta;
      return inMessage(state, runId, step, (blocks) => [...blocks.filter(({ type }) => type !== 'reasoning'), { type: 'reasoning', text, ...(meta && { meta }) }]);
    }
    case 'server-tool':
    case 'source':
    case 'file':
    case 'opaque':
      return inMessage(state, runId, step, (blocks) => [...blocks, delta]);
    case 'tool-call-start':
      return startCall(state, runId, step, delta);
    case 'tool-call-arguments':
      return inCall(state, step, delta.index, (call) => readArguments(call, delta.chunk));
    case 'tool-call-end':
      return inCall(state, step, delta.index, (call) => completed(call, delta.call));
    default:
      return state;
  }
}

/**
 * The call with its complete arguments. Where the reading of its text was right it stays the same value, so that nothing
 * changes on a screen.
 *
 * @internal
 */
export function completed(call: CallState, { arguments: given, rawArguments = JSON.stringify(given) }: ToolCall): CallState {
  const { argumentsText, state } = call;
  return {
    ...call,
    argumentsText: argumentsText === '' ? (rawArguments ?? '') : argumentsText,
    arguments: sameJson(call.arguments, given) ? call.arguments : given,
    state: state === 'writing' ? 'asked' : state,
  };
}

/** @internal */
export function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** The message of the open attempt, which is the last one; of a stream that is joined in the middle there is none yet. */
function inMessage(state: LoopState, runId: string, step: number, act: (blocks: readonly BlockState[]) => readonly BlockState[]): LoopState {
  const { messages } = state;
  const at = messages.length - 1;
  const last = messages[at];
  const isOpen = last !== undefined && last.state === 'provisional' && last.step === step;
  const message = isOpen ? last : openMessage(runId, step, 1);
  const next: MessageState = { ...message, blocks: act(message.blocks) };
  const list = messages.slice();
  list[isOpen ? at : at + 1] = next;
  return { ...state, messages: list };
}

/** @internal */
export function openMessage(runId: string, step: number, attempt: number): MessageState {
  return { id: `${runId}.${step}.${attempt}`, role: 'assistant', step, attempt, state: 'provisional', blocks: [] };
}

function appended(blocks: readonly BlockState[], { type, block, text, meta }: DeltaOf<'text' | 'refusal' | 'reasoning'>): readonly BlockState[] {
  const list = blocks.slice();
  // From the end: the next piece mostly goes where the last one went.
  for (let at = list.length - 1; at >= 0; at--) {
    const one = list[at];
    if (one?.type !== type || one.block !== block) continue;
    const longer = { ...one, text: one.text + text };
    list[at] = meta === undefined ? longer : { ...longer, meta: { ...one.meta, ...meta } };
    return list;
  }
  list.push({ type, block, text, ...(meta && { meta }) });
  return list;
}

function startCall(state: LoopState, runId: string, step: number, { id: callId, index, name }: Extract<Delta, { type: 'tool-call-start' }>): LoopState {
  const next = inMessage(state, runId, step, (blocks) => [...blocks, { type: 'tool-call', callId }]);
  const attempt = next.messages.at(-1)?.attempt ?? 1;
  return { ...next, calls: [...state.calls, { callId, name, step, attempt, index, state: 'writing', argumentsText: '' }] };
}

/** The call of that index in the open attempt: no attempt before it in this step is left. */
function inCall(state: LoopState, step: number, index: number, act: (call: CallState) => CallState): LoopState {
  const at = state.calls.findLastIndex((call) => call.step === step && call.index === index);
  const call = state.calls[at];
  if (call === undefined) return state;
  const calls = state.calls.slice();
  calls[at] = act(call);
  return { ...state, calls };
}
