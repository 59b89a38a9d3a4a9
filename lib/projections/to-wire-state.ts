import type { BlockState, CallState, LoopState, MessageState } from '../loop-state.ts';
import type { WireBlock, WireCall, WireMessage, WireState } from './wire-state.ts';

/**
 * A state as a patched document holds it. Its inverse is {@link fromWireState}.
 *
 * @public
 */
export function toWireState(state: LoopState): WireState {
  const { messages, calls, nested } = state;
  return {
    ...state,
    messages: messages.map(wireMessage),
    blocks: messages.flatMap(({ blocks }) => blocks.map(wireBlock)),
    calls: calls.map(wireCall),
    nested: Object.fromEntries(Object.entries(nested).map(([runId, run]) => [runId, toWireState(run)])),
  };
}

/** @internal */
export function wireMessage(message: MessageState): WireMessage {
  return { ...message, blocks: message.blocks.length };
}

/** @internal */
export function wireBlock(block: BlockState): WireBlock {
  return 'text' in block ? { ...block, text: pieces(block.text) } : block;
}

/** @internal */
export function wireCall(call: CallState): WireCall {
  const { argumentsText, arguments: given, display, ...rest } = call;
  // While they are written, the receiver reads them itself.
  return { ...rest, argumentsText: pieces(argumentsText), ...(call.state !== 'writing' && given !== undefined && { arguments: given }) };
}

/**
 * A text that is sent whole: one piece.
 *
 * @internal
 */
export function pieces(text: string): readonly string[] {
  return text === '' ? [] : [text];
}
