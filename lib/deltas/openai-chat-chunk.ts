import type { CallFragment } from './openai-chat-calls.ts';
import type { Extras } from './openai-chat-extras.ts';

/** A frame of the stream, or a whole answer. Any server can put anything into any field. */
export interface Chunk extends Extras {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly choices?: unknown;
  readonly usage?: unknown;
  readonly x_groq?: { readonly usage?: unknown } | null;
  readonly error?: unknown;
  readonly message?: unknown;
  readonly detail?: unknown;
}

/** One of several answers. */
export interface Choice {
  readonly index?: unknown;
  readonly delta?: Pieces | null;
  /** Stands in place of the delta where the answer was not streamed. */
  readonly message?: Pieces | null;
  readonly finish_reason?: unknown;
  readonly native_finish_reason?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
}

/** One entry of a `content` that is a list. */
export interface ContentPart extends Extras {
  readonly type?: unknown;
  readonly text?: unknown;
  /** Mistral. */
  readonly thinking?: unknown;
  /** Databricks. */
  readonly summary?: unknown;
}

/** What a choice says. */
export interface Pieces extends Extras {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly reasoning_text?: unknown;
  readonly reasoning_details?: unknown;
  readonly tool_calls?: unknown;
  readonly function_call?: CallFragment['function'];
}
