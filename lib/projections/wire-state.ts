import type { JsonPatchOperation } from '../host.ts';
import type { BlockState, CallState, LoopState, MessageState } from '../loop-state.ts';

/**
 * A {@link LoopState} as JSON that grows at its ends: what is still being written is a list of pieces, so that a patch adds
 * a piece and never says a text again. The blocks of all messages stand in one list, because the place of a piece is in
 * every patch: `add /blocks/3/text/-`.
 *
 * Everything else is as in the state, but for what the receiver reads for itself: the `display` of a call, which is that of
 * its result, and `arguments`, where they are what the argument text says.
 */
export interface WireState extends Omit<LoopState, 'messages' | 'calls' | 'nested'> {
  readonly messages: readonly WireMessage[];
  /** Those of the first message, those of the second, and so on. */
  readonly blocks: readonly WireBlock[];
  readonly calls: readonly WireCall[];
  readonly nested: Readonly<Record<string, WireState>>;
}

export interface WireMessage extends Omit<MessageState, 'blocks'> {
  /** How many of the list are its own. */
  readonly blocks: number;
}

/** A block whose text, where it has one, is in pieces. */
export type WireBlock = InPieces<BlockState>;
type InPieces<Block> = Block extends { readonly text: string } ? Omit<Block, 'text'> & { readonly text: readonly string[] } : Block;

export interface WireCall extends Omit<CallState, 'argumentsText' | 'display'> {
  readonly argumentsText: readonly string[];
}

/** What a patched document begins with, and what changes it. */
export type StateUpdate =
  | { readonly type: 'snapshot'; readonly state: WireState }
  | { readonly type: 'patch'; readonly patch: readonly JsonPatchOperation[] };
