import type { Delta, DeltaOf } from '../delta.ts';
import { ModelError } from '../errors.ts';
import type { AssistantPart, FilePart, Meta, OpaquePart, ServerToolPart, SourcePart, ToolCall } from '../message.ts';
import type { Usage } from '../usage.ts';

interface SaidPart {
  readonly type: 'text' | 'refusal' | 'reasoning';
  readonly block?: string;
  /** What has been said but for the last pieces. */
  text: string;
  /** The last pieces, joined every {@link JOIN_AT}: a string grown by `+=` alone keeps 28 bytes for each piece. */
  readonly pieces: string[];
  meta?: Meta;
}

interface CallPart {
  type: 'tool-call';
  index: number;
  id: string;
  call?: ToolCall;
}

const JOIN_AT = 1024;

/** What comes whole, in one delta. */
type WholePart = ServerToolPart | SourcePart | FilePart | OpaquePart;

/** One attempt's turn as far as it has come. It belongs to that attempt alone: folding writes into it. */
export interface Draft {
  /** In order of arrival. */
  readonly parts: (SaidPart | CallPart | WholePart)[];
  readonly calls: Map<number, CallPart>;
  readonly blocks: Map<string, SaidPart>;
  usage?: Usage;
  finish?: DeltaOf<'finish'>;
  /** The part that the last delta went to: the next one mostly goes there too. */
  open?: SaidPart;
  /** The last part of type text. */
  lastText?: SaidPart;
}

export function newDraft(): Draft {
  return { parts: [], calls: new Map(), blocks: new Map() };
}

/**
 * Folds one delta into the draft and returns it. Synchronous, no Rx; the cost does not depend on what came before, which
 * is why it writes in place: a copy for each delta is quadratic in the number of parts.
 *
 * @throws ModelError `model-protocol` (retryable: the answer was broken, not the request) for a delta that cannot follow
 * @internal
 */
export function foldDelta(draft: Draft, delta: Delta): Draft {
  switch (delta.type) {
    case 'text':
    case 'refusal':
    case 'reasoning': {
      const part = saidPart(draft, delta);
      part.pieces.push(delta.text);
      if (part.pieces.length >= JOIN_AT) join(part);
      if (delta.meta !== undefined) part.meta = { ...part.meta, ...delta.meta };
      break;
    }
    case 'reasoning-replace': {
      const kept = draft.parts.filter((part) => part.type !== 'reasoning');
      const { text, meta } = delta;
      draft.parts.splice(0, draft.parts.length, ...kept, { type: 'reasoning', text, pieces: [], ...(meta && { meta }) });
      for (const [key, part] of draft.blocks) if (part.type === 'reasoning') draft.blocks.delete(key);
      delete draft.open;
      break;
    }
    case 'tool-call-start': {
      if (draft.calls.has(delta.index)) throw contradiction(`tool call ${delta.index} starts twice`);
      const part: CallPart = { type: 'tool-call', index: delta.index, id: delta.id };
      draft.calls.set(delta.index, part);
      draft.parts.push(part);
      break;
    }
    case 'tool-call-arguments': {
      // The text itself is not kept: the call that counts is the one that its end carries.
      const part = draft.calls.get(delta.index);
      if (part === undefined) throw contradiction(`arguments of tool call ${delta.index}, which has not started`);
      if (part.call !== undefined) throw contradiction(`arguments of tool call ${delta.index} after its end`);
      break;
    }
    case 'tool-call-end': {
      const part = draft.calls.get(delta.index);
      if (part === undefined) throw contradiction(`the end of tool call ${delta.index}, which has not started`);
      part.call ??= delta.call;
      break;
    }
    case 'server-tool':
    case 'source':
    case 'file':
    case 'opaque':
      draft.parts.push(delta);
      delete draft.open;
      break;
    case 'usage':
      draft.usage = delta.usage;
      break;
    case 'finish':
      draft.finish = delta;
      break;
  }
  return draft;
}

/** The complete calls, by index, whatever the order in which they ended. */
export function completeCalls(draft: Draft): ToolCall[] {
  const parts = [...draft.calls.values()].sort((a, b) => a.index - b.index);
  return parts.flatMap(({ call }) => (call === undefined ? [] : [call]));
}

/**
 * The draft as the parts of a turn: in order of arrival, calls by index, without what is empty or half-finished.
 *
 * @param broken - the attempt failed: a reasoning block that was still being written is left out as well, because
 * providers refuse half a block. One is whole when its signature (`meta`) came or another part follows it.
 */
export function draftParts(draft: Draft, broken = false): AssistantPart[] {
  const calls = completeCalls(draft);
  return draft.parts.flatMap((part, at): AssistantPart[] => {
    if (part.type === 'tool-call') {
      const call = part.call === undefined ? undefined : calls.shift();
      return call === undefined ? [] : [{ type: 'tool-call', call }];
    }
    if (!('pieces' in part)) return [part];
    join(part);
    if (part.text === '' && part.meta === undefined) return [];
    const open = part.meta === undefined && at === draft.parts.length - 1;
    if (broken && open && part.type === 'reasoning') return [];
    const { pieces, ...said } = part;
    return [said];
  });
}

function saidPart(draft: Draft, { type, block }: { type: SaidPart['type']; block: string }): SaidPart {
  if (draft.open?.block === block && draft.open.type === type) return draft.open;
  const key = `${type} ${block}`;
  let part = draft.blocks.get(key);
  // A text block that goes on behind another is a part of its own, so that the turn reads as it was heard.
  if (part === undefined || (type === 'text' && part !== draft.lastText)) {
    part = { type, block, text: '', pieces: [] };
    draft.blocks.set(key, part);
    draft.parts.push(part);
    if (type === 'text') draft.lastText = part;
  }
  draft.open = part;
  return part;
}

function join(part: SaidPart): void {
  part.text += part.pieces.join('');
  part.pieces.length = 0;
}

function contradiction(what: string): ModelError {
  return new ModelError('model-protocol', `The model sent ${what}.`, { retryable: true });
}
