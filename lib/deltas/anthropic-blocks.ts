import { json as readJson } from '../bytes/json.ts';
import type { Delta } from '../delta.ts';
import { isRecord } from '../is-record.ts';
import { toolCall } from '../message.ts';
import type { ToolCall } from '../message.ts';
import { anthropicKind } from './anthropic-kind.ts';
import type { AnthropicKind } from './anthropic-kind.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What frames do to the content blocks of one answer; `frame` is reported where it cannot be read. */
export interface AnthropicBlocks {
  start(place: unknown, raw: unknown, frame: unknown): void;
  delta(place: unknown, piece: unknown, frame: unknown): void;
  stop(place: unknown, frame: unknown): void;
  /** The stop reason has come; at a limit, what came last may be cut. */
  end(atLimit: boolean): void;
}

interface Block {
  readonly kind: AnthropicKind;
  /** What deltas call it. */
  readonly id: string;
  /** As it began. */
  readonly raw: Fields;
  /** The input's JSON as far as it has come. */
  json: string;
  /** What later pieces have put in place of fields of `raw`. */
  filled: Fields;
  closed: boolean;
  /** Of a call alone. */
  readonly call: { readonly index: number; readonly id: string; readonly name: string } | undefined;
}

const ALIVE: Delta = { type: 'alive' };

/**
 * The content blocks of one answer, from the frames that begin, fill and end them. Every frame says something, if only
 * that the server is alive.
 *
 * A call has ended for sure only when its block has stopped and something follows: the next block, or a stop reason
 * that is not a limit. At a limit the last call ends only if its text is a whole object.
 *
 * @param newId - makes the id of a call to which the wire gave none
 * @param prefix - what the ids of blocks begin with: the answer's id makes them new to the run
 * @internal
 */
export function anthropicBlocks(newId: () => string, emit: (delta: Delta) => void, prefix: () => string): AnthropicBlocks {
  const blocks = new Map<unknown, Block>();
  const serverTools = new Map<string, string>();
  /** Calls without their end, oldest first. */
  let pending: Block[] = [];
  let begun = 0;
  let calls = 0;

  const unknown = (frame: unknown): void => emit({ type: 'unknown', raw: frame });

  const say = (type: 'text' | 'reasoning', { id }: Block, text: unknown): boolean => {
    if (typeof text !== 'string') return false;
    emit(text === '' ? ALIVE : { type, block: id, text });
    return true;
  };

  const sign = ({ id }: Block, signature: unknown): boolean => {
    if (typeof signature !== 'string') return false;
    emit({ type: 'reasoning', block: id, text: '', meta: { signature } });
    return true;
  };

  const cite = ({ id }: Block, citation: unknown): boolean => {
    if (!isRecord(citation)) return false;
    const url = textOf(citation['url']);
    const title = textOf(citation['title']) || textOf(citation['document_title']);
    emit({ type: 'source', block: id, ...(url && { url }), ...(title && { title }), data: citation });
    return true;
  };

  const open = (block: Block, frame: unknown): void => {
    const { kind, id, raw, call } = block;
    switch (kind) {
      case 'text':
        say(kind, block, textOf(raw['text']));
        if (Array.isArray(raw['citations'])) for (const one of raw['citations']) cite(block, one);
        return;
      case 'reasoning':
        say(kind, block, textOf(raw['thinking']));
        if (raw['signature']) sign(block, raw['signature']);
        return;
      case 'call':
        // A call without a name is no call.
        if (!call?.name) return unknown(frame);
        calls += 1;
        pending.push(block);
        return emit({ type: 'tool-call-start', ...call });
      case 'server-result': {
        const called = textOf(raw['tool_use_id']);
        const name = serverTools.get(called) ?? textOf(raw['type']).replace(/_tool_result$/, '');
        return emit({ type: 'server-tool', block: id, id: called, name, phase: 'result', data: raw });
      }
      case 'opaque':
        return emit({ type: kind, block: id, data: raw });
      case 'server-call':
        serverTools.set(textOf(raw['id']), textOf(raw['name']));
        return emit(ALIVE);
      case 'compaction':
        return emit(ALIVE);
      case 'unknown':
        unknown(frame);
    }
  };

  /** False for a piece that this kind of block does not have. */
  const add = (block: Block, piece: Fields): boolean => {
    const { kind, call } = block;
    switch (piece['type']) {
      case 'text_delta':
        return kind === 'text' && say(kind, block, piece['text']);
      case 'thinking_delta':
        return kind === 'reasoning' && say(kind, block, piece['thinking']);
      case 'signature_delta':
        return kind === 'reasoning' && sign(block, piece['signature']);
      case 'citations_delta':
        return kind === 'text' && cite(block, piece['citation']);
      case 'input_json_delta': {
        const chunk = piece['partial_json'];
        if ((!call?.name && kind !== 'server-call') || typeof chunk !== 'string') return false;
        block.json += chunk;
        emit(call && chunk ? { type: 'tool-call-arguments', index: call.index, chunk } : ALIVE);
        return true;
      }
      case 'compaction_delta': {
        if (kind !== 'compaction') return false;
        const { type: _, ...fields } = piece;
        block.filled = { ...block.filled, ...fields };
        emit(ALIVE);
        return true;
      }
      default:
        return false;
    }
  };

  const close = (block: Block): void => {
    if (block.closed) return;
    block.closed = true;
    const { kind, id, raw, filled, call, json } = block;
    if (call?.name && json === '' && hasFields(raw['input'])) {
      emit({ type: 'tool-call-arguments', index: call.index, chunk: JSON.stringify(raw['input']) });
    } else if (kind === 'server-call') {
      const input = json === '' ? raw['input'] : readJson(json);
      const data = { ...raw, input: isRecord(input) ? input : {} };
      emit({ type: 'server-tool', block: id, id: textOf(raw['id']), name: textOf(raw['name']), phase: 'call', data });
    } else if (kind === 'compaction') emit({ type: 'opaque', block: id, data: { ...raw, ...filled } });
  };

  const endCalls = (isWhole: (block: Block) => boolean): void => {
    const kept: Block[] = [];
    for (const block of pending) {
      if (!isWhole(block)) kept.push(block);
      else {
        close(block);
        if (block.call) emit({ type: 'tool-call-end', index: block.call.index, call: callOf(block, block.call) });
      }
    }
    pending = kept;
  };

  return {
    start(place, raw, frame) {
      if (!isRecord(raw)) return unknown(frame);
      // A frame that comes twice begins nothing: a second call of the same id would run with arguments that nobody wrote.
      const before = blocks.get(place);
      if (before && !before.closed && JSON.stringify(before.raw) === JSON.stringify(raw)) return emit(ALIVE);
      // A server that leaves out the stops of its blocks must prove them whole by their text.
      endCalls((block) => block.closed || isRecord(readJson(block.json)));
      const kind = anthropicKind(raw['type']);
      const name = textOf(raw['name']);
      const call = kind === 'call' ? { index: calls, id: textOf(raw['id']) || (name && newId()), name } : undefined;
      const block: Block = { kind, id: `${prefix()}-${begun}`, raw, json: '', filled: {}, closed: false, call };
      begun += 1;
      blocks.set(place, block);
      open(block, frame);
    },
    delta(place, piece, frame) {
      const block = blocks.get(place);
      if (!block || block.closed || !isRecord(piece) || !add(block, piece)) unknown(frame);
    },
    stop(place, frame) {
      const block = blocks.get(place);
      if (!block) return unknown(frame);
      close(block);
      emit(ALIVE);
    },
    end(atLimit) {
      for (const block of blocks.values()) if (!block.call) close(block);
      // An input that came as an object was completed by the server, so that its braces prove nothing.
      endCalls((block) => !atLimit || isRecord(readJson(block.json)));
    },
  };
}

/** What else the wire says of a call (who called it) goes back with it; that the model did is what is meant without. */
function callOf({ raw, json }: Block, { id, name }: { readonly id: string; readonly name: string }): ToolCall {
  const { type: _, id: _id, name: _name, input, caller, ...rest } = raw;
  const isDirect = !isRecord(caller) || caller['type'] === 'direct';
  const anthropic = { ...rest, ...(!isDirect && { caller }) };
  const text = json === '' && hasFields(input) ? JSON.stringify(input) : json;
  return toolCall(id, name, text, hasFields(anthropic) ? { anthropic } : undefined);
}

function hasFields(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length > 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
