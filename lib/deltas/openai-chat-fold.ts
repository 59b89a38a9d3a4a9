import type { FrameFold } from '../bytes/sse.ts';
import { providerFault } from '../bytes/provider-fault.ts';
import type { Delta } from '../delta.ts';
import { ModelError } from '../errors.ts';
import type { FinishReason } from '../message.ts';
import { OpenaiChatCalls } from './openai-chat-calls.ts';
import type { CallFragment } from './openai-chat-calls.ts';
import { openaiChatUsage } from './openai-chat-usage.ts';

/**
 * One response of the chat-completions wire: frames in, deltas out. Pure, apart from its own state.
 *
 * `finish` is held until `[DONE]`, or until the body ends after a finish reason, because usage comes in between; a body
 * that ends before, or in the middle of a frame, gives none. Only the first choice is read.
 *
 * A frame that is no JSON becomes `unknown` and the stream goes on; the tenth is a {@link ModelError} `model-stream`, as
 * is an error that the provider sent in place of a frame. Both are thrown.
 *
 * @param newId - makes the id of a call to which the wire gave none
 * @internal
 */
export function openaiChatFold(newId: () => string): FrameFold<Delta> {
  return new OpenaiChatFold(newId);
}

type Emit = (delta: Delta) => void;
type Block = 'text' | 'reasoning' | 'refusal';

interface Chunk {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly choices?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
}

interface Choice {
  readonly index?: unknown;
  readonly delta?: Pieces | null;
  readonly finish_reason?: unknown;
}

interface Pieces {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly tool_calls?: unknown;
}

const ALIVE: Delta = { type: 'alive' };
const MALFORMED_LIMIT = 10;

class OpenaiChatFold implements FrameFold<Delta> {
  private readonly calls: OpenaiChatCalls;
  private readonly blocks = { text: 0, reasoning: 0, refusal: 0 };
  private kind: Block | 'call' | undefined;
  private block = '';

  private response: string | undefined;
  private model: string | undefined;
  private reason: FinishReason | undefined;
  private rawFinish: string | undefined;
  private malformed = 0;
  /** The last frame could not be read: if the body ends here, its ending is hidden. */
  private hidden = false;
  private over = false;

  constructor(newId: () => string) {
    this.calls = new OpenaiChatCalls(newId);
  }

  isOver(): boolean {
    return this.over;
  }

  comment(emit: Emit): void {
    emit(ALIVE);
  }

  frame(data: string, event: string, emit: Emit): void {
    const value = parse(data);
    // A list stands in place of a chunk only where a gateway wraps its error in one.
    const chunk = (Array.isArray(value) ? value[0] : value) as Chunk | string | null | undefined;
    if (typeof chunk !== 'object' || chunk === null) return this.other(data, emit);
    if (chunk.error || event === 'error') throw faultIn(data);
    this.hidden = false;
    if (this.response === undefined && typeof chunk.id === 'string') this.response = chunk.id;
    if (this.model === undefined && typeof chunk.model === 'string' && chunk.model !== '') this.model = chunk.model;
    let said = false;
    if (Array.isArray(chunk.choices)) {
      for (const choice of chunk.choices as (Choice | null)[]) {
        if (choice !== null && (choice.index ?? 0) === 0) said = this.choice(choice, emit) || said;
      }
    }
    if (chunk.usage) said = count(chunk.usage, emit) || said;
    if (!said) emit(ALIVE);
  }

  end(emit: Emit): void {
    if (this.reason !== undefined && !this.hidden) this.finish(this.reason, emit);
  }

  private other(data: string, emit: Emit): void {
    const text = data.trim();
    if (text === '') return emit(ALIVE);
    if (text === '[DONE]') {
      this.over = true;
      // No finish reason came, but neither was the answer cut.
      return this.finish(this.reason ?? 'other', emit);
    }
    this.hidden = true;
    this.malformed += 1;
    emit({ type: 'unknown', raw: data });
    if (this.malformed < MALFORMED_LIMIT) return;
    throw new ModelError('model-stream', `${MALFORMED_LIMIT} frames of one stream could not be read as JSON.`, {
      retryable: true,
      detail: data.slice(0, 2_000),
    });
  }

  private choice(choice: Choice, emit: Emit): boolean {
    let said = false;
    const pieces = choice.delta;
    if (pieces) {
      // Servers that fill both fields say the same in them.
      const reasoning = isSaid(pieces.reasoning_content) ? pieces.reasoning_content : pieces.reasoning;
      if (isSaid(reasoning)) said = this.say('reasoning', reasoning, emit);
      if (isSaid(pieces.content)) said = this.say('text', pieces.content, emit);
      else if (typeof pieces.content === 'object' && pieces.content !== null) {
        emit({ type: 'unknown', raw: pieces.content });
        said = true;
      }
      if (isSaid(pieces.refusal)) said = this.say('refusal', pieces.refusal, emit);
      if (Array.isArray(pieces.tool_calls)) {
        for (const fragment of pieces.tool_calls as (CallFragment | null)[]) {
          if (fragment === null) continue;
          this.kind = 'call';
          this.calls.add(fragment, (delta) => {
            said = true;
            emit(delta);
          });
        }
      }
    }
    if (isSaid(choice.finish_reason)) {
      this.rawFinish = choice.finish_reason;
      this.reason = reasonOf(choice.finish_reason);
      if (this.reason !== 'length') this.calls.end(emit);
    }
    return said;
  }

  private say(kind: Block, text: string, emit: Emit): true {
    if (this.kind !== kind) {
      this.kind = kind;
      this.block = `${kind}-${this.blocks[kind]}`;
      this.blocks[kind] += 1;
    }
    emit({ type: kind, block: this.block, text });
    return true;
  }

  private finish(reason: FinishReason, emit: Emit): void {
    if (reason !== 'length') this.calls.end(emit);
    // The wire has no reason of its own for a refusal.
    const refused = reason === 'stop' && this.blocks.refusal > 0 && this.calls.count === 0;
    emit({
      type: 'finish',
      reason: refused ? 'refusal' : reason,
      ...(this.rawFinish !== undefined && { rawFinish: this.rawFinish }),
      ...(this.model !== undefined && { model: this.model }),
      ...(this.response !== undefined && { ids: { response: this.response } }),
    });
  }
}

function count(raw: unknown, emit: Emit): boolean {
  const figures = openaiChatUsage(raw);
  if (figures !== undefined) emit({ type: 'usage', ...figures });
  return figures !== undefined;
}

function isSaid(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function reasonOf(raw: string): FinishReason {
  switch (raw) {
    case 'stop':
    case 'length':
    case 'error':
      return raw;
    case 'tool_calls':
    case 'function_call':
      return 'tool-use';
    case 'content_filter':
      return 'content-filter';
    default:
      return 'other';
  }
}

function faultIn(data: string): ModelError {
  const { type, detail, retryable } = providerFault(data);
  const name = type === undefined ? '' : ` (${type})`;
  const advice = retryable ? 'It may be tried again.' : '`detail` holds it.';
  return new ModelError('model-stream', `The provider sent an error inside its stream${name}. ${advice}`, {
    retryable,
    detail,
    ...(type !== undefined && { type }),
  });
}

function parse(data: string): unknown {
  // The last frame of every stream is no JSON, and throwing is dear.
  if (data === '[DONE]') return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
