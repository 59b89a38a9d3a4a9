/**
 * What a conversation is made of. Provider-neutral: each wire adapter renders these in its own dialect.
 *
 * A field marked `?` may be absent, and absent means *unknown*, never zero or empty.
 */
import type { Usage } from './usage.ts';

/** A value that JSON can carry without loss. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Opaque data that an adapter attaches and gets back unchanged, such as signatures. The loop never looks inside. */
export type Meta = Readonly<Record<string, unknown>>;

/** Plain text. `block` names the streamed block that it came from; it is absent on text that nobody streamed. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly block?: string;
  readonly meta?: Meta;
}

/** The model's own words for declining; shown like text, but not part of `completion.text`. */
export interface RefusalPart {
  readonly type: 'refusal';
  readonly text: string;
  readonly block?: string;
  readonly meta?: Meta;
}

/** Readable reasoning. With `meta` (a signature, an encrypted value) it must go back to its provider as it came. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly block?: string;
  readonly meta?: Meta;
}

/** An image: either `data` (base64, with its `mediaType`) or a `url` that the provider can fetch. */
export interface ImagePart {
  readonly type: 'image';
  readonly mediaType?: string;
  readonly data?: string;
  readonly url?: string;
  readonly meta?: Meta;
}

/** A file: either `data` (base64) or a `url` that the provider can fetch. A model's own files have a `block`. */
export interface FilePart {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data?: string;
  readonly url?: string;
  readonly name?: string;
  readonly block?: string;
  readonly meta?: Meta;
}

/** A tool that the provider ran itself: its call, or what came of it. `data` is the wire's own value. */
export interface ServerToolPart {
  readonly type: 'server-tool';
  readonly id: string;
  readonly name: string;
  readonly phase: 'call' | 'result';
  readonly data?: unknown;
  readonly block?: string;
  readonly meta?: Meta;
}

/** Where something that the model said comes from. */
export interface SourcePart {
  readonly type: 'source';
  readonly url?: string;
  readonly title?: string;
  readonly data?: unknown;
  readonly block?: string;
  readonly meta?: Meta;
}

/** A redacted or encrypted block: stored, never shown, and sent back whole to the provider that it came from. */
export interface OpaquePart {
  readonly type: 'opaque';
  readonly data: unknown;
  readonly block?: string;
  readonly meta?: Meta;
}

/** A complete tool call inside an assistant turn. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly call: ToolCall;
}

export type UserPart = TextPart | ImagePart | FilePart;
export type AssistantPart =
  | TextPart
  | RefusalPart
  | ReasoningPart
  | ToolCallPart
  | ServerToolPart
  | SourcePart
  | FilePart
  | OpaquePart;
export type ResultPart = TextPart | ImagePart | FilePart;

/**
 * One call of a tool.
 *
 * `id` is the call's only id: in events, results, the transcript and the next request. It is the provider's id where
 * that is non-empty and new to the run; otherwise the run made it, and the provider's stands in `meta.providerId`.
 * `arguments` is the parsed JSON; where the model's text was not JSON it is that text, and `rawArguments` says so too.
 */
export interface ToolCall<Name extends string = string, Arguments = unknown> {
  readonly id: string;
  readonly name: Name;
  readonly arguments: Arguments;
  /** The text that the model wrote, verbatim. */
  readonly rawArguments?: string;
  readonly meta?: Meta;
}

/** Why a tool call failed, in words that a program can branch on. */
export type ToolFaultKind =
  | 'invalid-input'
  | 'timeout'
  | 'cancelled'
  | 'not-found'
  | 'permission-denied'
  | 'rate-limited'
  | 'provider'
  | 'network'
  | 'refused'
  | 'other';

export interface ToolFault {
  readonly kind: ToolFaultKind;
  readonly message: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
}

/** What one call came to. `content` is what the model reads, `output` what a program reads (JSON, absent when there is none). */
export interface ToolResult<Name extends string = string, Output = unknown> {
  readonly callId: string;
  readonly name: Name;
  readonly content: readonly ResultPart[];
  readonly isError: boolean;
  readonly error?: ToolFault;
  readonly output?: Output;
  readonly display?: ToolDisplay;
}

/** What a screen shows of a result beside its content. */
export interface ToolDisplay {
  readonly text?: string;
  readonly diff?: { readonly path: string; readonly oldText?: string; readonly newText: string };
  readonly locations?: readonly ToolLocation[];
  readonly terminalId?: string;
  /** Lines before and after an output filter. */
  readonly filterStats?: { readonly linesIn: number; readonly linesOut: number };
  /** The lines of the whole output that its filter kept, from 1. */
  readonly keptLines?: readonly number[];
  readonly raw?: unknown;
}

/** A place in a file; `line` from 1. */
export interface ToolLocation {
  readonly path: string;
  readonly line?: number;
}

/**
 * How a model's turn ended. `aborted` and `error` are never a model's own success: a model that reports one of them has
 * failed.
 */
export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool-use'
  | 'content-filter'
  | 'refusal'
  | 'pause'
  | 'aborted'
  | 'error'
  | 'other';

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly UserPart[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly AssistantPart[];
  readonly finish?: FinishReason;
  readonly usage?: Usage;
  readonly model?: string;
}

/** All results of one round of calls, in call order. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly results: readonly ToolResult[];
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

/** A result in words, for whoever takes text alone: what is no text is named. */
export function resultText(content: readonly ResultPart[], separator = '\n'): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type} ${part.mediaType ?? part.url ?? ''}]`)).join(separator);
}

/** A user message of one text. */
export function userMessage(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/**
 * A call from the argument text that a model wrote. No text (or white space alone) means no arguments, `{}`; text that
 * is not JSON is kept as it is, so that the call can be refused and the model told.
 */
export function toolCall(id: string, name: string, rawArguments: string, meta?: Meta): ToolCall {
  const call = { id, name, arguments: readArguments(rawArguments), rawArguments };
  return meta === undefined ? call : { ...call, meta };
}

function readArguments(raw: string): unknown {
  if (raw.trim() === '') return {};
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}
