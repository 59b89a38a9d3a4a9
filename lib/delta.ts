/**
 * What a model's stream says, one increment at a time, in provider-neutral words.
 *
 * Order of one exchange: any deltas, then exactly one `finish`, last, only on success; a failure is an error
 * notification (or an `error` delta, which means the same) and no `finish`. Consumers ignore types that they do not know.
 */
import type { ModelError } from './errors.ts';
import type { FinishReason, Meta, ToolCall } from './message.ts';
import type { Usage } from './usage.ts';

export type Delta =
  /** A piece of the answer. Pieces with one `block` belong together. */
  | { readonly type: 'text'; readonly block: string; readonly text: string; readonly meta?: Meta }
  /** A piece of a refusal: shown like text, not part of it. */
  | { readonly type: 'refusal'; readonly block: string; readonly text: string; readonly meta?: Meta }
  /** A piece of readable reasoning; `meta` (signatures, encrypted values) round-trips to the provider. */
  | { readonly type: 'reasoning'; readonly block: string; readonly text: string; readonly meta?: Meta }
  /** Supersedes all reasoning of this message so far. */
  | { readonly type: 'reasoning-replace'; readonly text: string; readonly meta?: Meta }
  /** A call begins. `index` counts the calls of one exchange, from 0. */
  | { readonly type: 'tool-call-start'; readonly index: number; readonly id: string; readonly name: string }
  /** A piece of the call's argument text. */
  | { readonly type: 'tool-call-arguments'; readonly index: number; readonly chunk: string }
  /**
   * The call is complete: the only delta that makes a call count. Sent only when the wire has proved that the call was
   * not cut: the next block or call has begun, or a finish other than `length` has come.
   */
  | { readonly type: 'tool-call-end'; readonly index: number; readonly call: ToolCall }
  /** A tool that the provider runs itself: its call, or what came of it. */
  | {
      readonly type: 'server-tool';
      readonly block: string;
      readonly id: string;
      readonly name: string;
      readonly phase: 'call' | 'result';
      readonly data?: unknown;
      readonly meta?: Meta;
    }
  /** Where something that was said comes from. */
  | {
      readonly type: 'source';
      readonly block?: string;
      readonly url?: string;
      readonly title?: string;
      readonly data?: unknown;
      readonly meta?: Meta;
    }
  /** A file that the model made: `data` in base64, or a `url`. */
  | {
      readonly type: 'file';
      readonly block: string;
      readonly mediaType: string;
      readonly data?: string;
      readonly url?: string;
      readonly meta?: Meta;
    }
  /** A redacted or encrypted block: stored and sent back whole, not shown. */
  | { readonly type: 'opaque'; readonly block: string; readonly data: unknown; readonly meta?: Meta }
  /** Such as an option that this wire lacks: the loop shows it as a `status` event. */
  | { readonly type: 'warning'; readonly text: string; readonly data?: unknown }
  /** Something that the adapter could not read; reported, never folded. */
  | { readonly type: 'unknown'; readonly raw: unknown }
  /** A ping or comment: swallowed by the loop, feeds the timeouts. */
  | { readonly type: 'alive' }
  /** Running totals: the last one wins as a whole. `reported` holds the wire's own figures. */
  | { readonly type: 'usage'; readonly usage: Usage; readonly reported?: Readonly<Record<string, number>> }
  /** The same as an error notification. */
  | { readonly type: 'error'; readonly error: ModelError }
  /** The exchange succeeded. `rawFinish` is the wire's own value, verbatim. */
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      readonly rawFinish?: string;
      readonly model?: string;
      readonly ids?: ResponseIds;
    };

/** The provider's names for one exchange, for support requests and logs. */
export interface ResponseIds {
  readonly response?: string;
  readonly request?: string;
}

export type DeltaType = Delta['type'];
export type DeltaOf<Type extends DeltaType> = Extract<Delta, { type: Type }>;

/** Deltas that a user sees. Once an attempt has forwarded one, the loop does not repeat that attempt silently. */
export function isShown(delta: Delta): boolean {
  switch (delta.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'reasoning-replace':
    case 'tool-call-start':
    case 'tool-call-arguments':
    case 'tool-call-end':
    case 'server-tool':
    case 'source':
    case 'file':
      return true;
    default:
      return false;
  }
}
