import { frameFault } from '../bytes/frame-fault.ts';
import type { FrameFold } from '../bytes/sse.ts';
import { json } from '../bytes/json.ts';
import { malformedFrames } from '../bytes/malformed-frames.ts';
import type { Delta } from '../delta.ts';
import type { ModelError } from '../errors.ts';
import type { FinishReason } from '../message.ts';
import { openaiChatCalls } from './openai-chat-calls.ts';
import type { CallFragment } from './openai-chat-calls.ts';
import type { Choice, Chunk, ContentPart, Pieces } from './openai-chat-chunk.ts';
import { openaiChatExtras } from './openai-chat-extras.ts';
import { openaiChatFinish } from './openai-chat-finish.ts';
import type { OpenaiChatServer } from './openai-chat-message.ts';
import { openaiChatUsage } from './openai-chat-usage.ts';

type Emit = (delta: Delta) => void;
type Block = 'text' | 'reasoning' | 'refusal';

const ALIVE: Delta = { type: 'alive' };
/** The index of a call in the older form, which has none: no list counts this far down. */
const LONE = -1;

/**
 * One response of the chat-completions wire, streamed or whole: frames in, deltas out. Pure, apart from its own state
 * and from what it notes of the server.
 *
 * `finish` is held until `[DONE]`, or until the body ends after a finish reason, because usage comes in between; a body
 * that ends before, or in the middle of a frame, gives none. Only the first choice is read.
 *
 * A frame that is no JSON becomes `unknown` and the stream goes on; the tenth is a {@link ModelError} `model-stream`, as
 * is an error that the provider sent in place of a frame or in one. Both are thrown.
 *
 * @param newId - makes the id of a call to which the wire gave none
 * @internal
 */
export function openaiChatFold(newId: () => string, server: OpenaiChatServer): FrameFold<Delta> {
  let emit: Emit;
  let said = false;
  const tell = (delta: Delta): void => {
    said = true;
    emit(delta);
  };
  const malformed = malformedFrames();
  const calls = openaiChatCalls(newId, tell, server.host);
  const extras = openaiChatExtras(newId, tell);

  const blocks = { text: 0, reasoning: 0, refusal: 0 };
  let kind: Block | 'call' | undefined;
  let block = '';
  let response: string | undefined;
  let model: string | undefined;
  let reason: FinishReason | undefined;
  let rawFinish: string | undefined;
  /** The last frame could not be read: if the body ends here, its ending is hidden. */
  let hidden = false;
  /** More was said after the reason: another must come. */
  let goesOn = false;
  let over = false;

  const say = (type: Block, text: unknown): void => {
    if (!isSaid(text)) return;
    goesOn = true;
    if (kind !== type) {
      kind = type;
      block = `${type}-${blocks[type]}`;
      blocks[type] += 1;
    }
    tell({ type, block, text });
  };

  const readPart = (part: ContentPart): void => {
    const thoughts = part.thinking || part.summary;
    if (part.type === 'text') say('text', part.text);
    else if (thoughts) {
      if (part.thinking) server.reasoning ??= 'thinking';
      each<{ readonly text?: unknown }>(thoughts, ({ text }) => say('reasoning', text));
    } else if (part.reference_ids) extras.read(part);
    else tell({ type: 'unknown', raw: part });
  };

  const readPieces = (pieces: Pieces): void => {
    const { content, reasoning_details: details } = pieces;
    // Servers that fill several of these say the same in each.
    const field = pieces.reasoning_content ? 'reasoning_content' : pieces.reasoning ? 'reasoning' : 'reasoning_text';
    if (isSaid(pieces[field])) {
      server.reasoning ??= field;
      say('reasoning', pieces[field]);
    } else if (details) {
      each<{ readonly text?: unknown; readonly summary?: unknown }>(details, ({ text, summary }) => say('reasoning', text || summary));
    }
    if (isSaid(content)) say('text', content);
    else each(content, readPart);
    say('refusal', pieces.refusal);
    extras.read(pieces);
    if (pieces.function_call) add({ index: LONE, function: pieces.function_call });
    if (pieces.tool_calls) each(pieces.tool_calls, add);
  };

  const add = (fragment: CallFragment): void => {
    goesOn = true;
    kind = 'call';
    calls.add(fragment);
  };

  /** The error that it reports, if any. */
  const readChunk = (chunk: Chunk): unknown => {
    if (response === undefined && isSaid(chunk.id)) response = chunk.id;
    if (model === undefined && isSaid(chunk.model)) server.model = model = chunk.model;
    let { error } = chunk;
    let usage = chunk.usage || chunk.x_groq?.usage;
    if (Array.isArray(chunk.choices)) {
      for (const choice of chunk.choices as (Choice | null)[]) {
        if (!choice || choice.index) continue;
        const pieces = choice.delta ?? choice.message;
        if (pieces) readPieces(pieces);
        usage ||= choice.usage;
        error ||= choice.error;
        if (!error && isSaid(choice.finish_reason)) stop(choice.finish_reason, choice.native_finish_reason);
      }
    } else if (!usage) error ||= chunk.detail || chunk.message;
    if (chunk.citations || chunk.search_results) extras.read(chunk);
    const figures = usage ? openaiChatUsage(usage) : undefined;
    if (figures) tell({ type: 'usage', ...figures });
    return error;
  };

  const stop = (raw: string, native: unknown): void => {
    rawFinish = raw;
    goesOn = false;
    // A gateway that tells of calls may hide that they were cut; the server behind it did not.
    reason = openaiChatFinish(native) === 'length' ? 'length' : openaiChatFinish(raw);
    endCalls();
  };

  const endCalls = (): void => {
    if (reason !== 'length' && reason !== 'error') calls.end();
  };

  const finish = (): void => {
    endCalls();
    const meta = extras.sealed();
    if (meta) {
      const sealed = `reasoning-${Math.max(0, blocks.reasoning - 1)}`;
      emit({ type: 'reasoning', block: sealed, text: '', meta: { server: server.host, ...meta } });
    }
    emit({
      type: 'finish',
      reason: settled(),
      ...(rawFinish !== undefined && { rawFinish }),
      ...(model !== undefined && { model }),
      ...(response !== undefined && { ids: { response } }),
    });
  };

  const settled = (): FinishReason => {
    // No finish reason came, but neither was the answer cut.
    if (reason !== 'stop' && reason !== 'tool-use') return reason ?? 'other';
    if (calls.started() > 0) return 'tool-use';
    // The wire has no reason of its own for a refusal.
    if (blocks.refusal > 0) return 'refusal';
    return calls.opened() > 0 ? reason : 'stop';
  };

  const other = (data: string): void => {
    const text = data.trim();
    if (text === '[DONE]') {
      over = true;
      return finish();
    }
    if (text === '') return emit(ALIVE);
    hidden = true;
    malformed(data, emit);
  };

  return {
    isOver: () => over,
    comment: (to) => to(ALIVE),
    frame(data, event, to) {
      emit = to;
      said = false;
      const value = json(data);
      // A list stands in place of a chunk only where a gateway wraps its error in one.
      const chunk = (Array.isArray(value) ? value[0] : value) as Chunk | string | null | undefined;
      if (event === 'error') throw frameFault(data);
      if (typeof chunk !== 'object' || chunk === null) return other(data);
      hidden = false;
      const error = readChunk(chunk);
      if (error) throw frameFault(chunk.choices && !chunk.error ? JSON.stringify({ error }) : data);
      if (!said) emit(ALIVE);
    },
    end(to) {
      emit = to;
      if (reason !== undefined && !hidden && !goesOn) finish();
    },
  };
}

function isSaid(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Reads each of a list, or the one that stands in its place. What servers send as `null` is left out. */
function each<T>(value: unknown, read: (one: T) => void): void {
  for (const one of Array.isArray(value) ? value : [value]) if (one) read(one);
}
