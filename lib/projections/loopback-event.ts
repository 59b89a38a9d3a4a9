/**
 * What a channel tells its host of one turn: chunks, tools and the rest in the order in which they happen, and `flush` as
 * the only definite end.
 */
import type { PlanEntry } from '../host.ts';
import type { ToolDisplay, ToolLocation } from '../message.ts';
import type { ToolKind } from '../tool.ts';

/**
 * Why a turn ended otherwise than with its answer.
 *
 * - `max-tokens`: the answer was cut by its length, or the run has used up its tokens or the context window
 * - `max-turn-requests`: any other limit of the run: model calls, time, money, repetition
 * - `refusal`: the model declined, or its answer was withheld
 * - `cancelled`: somebody stopped the run, or left it
 * - `error`: the run failed; the last `status` says it
 */
export type LoopbackStopHint = 'max-tokens' | 'max-turn-requests' | 'refusal' | 'cancelled' | 'error';

/** Whose tool it is. */
interface OfTool {
  readonly toolName: string;
  readonly toolCallId: string;
  /** Of a sub-agent's tool: the call that the sub-agent runs for. */
  readonly parentToolUseId?: string;
  /** Scheduler time at which the body began. Absent: none ran, or it began in an earlier turn. */
  readonly startedAt?: number;
}

export type LoopbackEvent =
  /** A piece of the answer (`Chunk`). */
  | { readonly type: 'chunk'; readonly text: string }
  /** A piece of readable reasoning (`ThinkingChunk`). */
  | { readonly type: 'thinking-chunk'; readonly text: string }
  /** An answer of which no chunk was streamed, whole (`FullMessage`). */
  | { readonly type: 'full-message'; readonly text: string }
  /** The last so many characters of the chunks and thinking chunks of this turn, and these tools, are void. */
  | { readonly type: 'retract'; readonly text: string; readonly thinking: string; readonly toolCallIds: readonly string[] }
  /** A line for a person; an empty text clears it (`Status`). */
  | { readonly type: 'status'; readonly text: string }
  /** Right before a tool runs (`ToolStart`). One that never runs is started too, right before its output. */
  | ({
      readonly type: 'tool-start';
      readonly params: unknown;
      readonly title?: string;
      readonly kind?: ToolKind;
      /** The model is still speaking: a `retract` may void the tool. */
      readonly speculative?: true;
    } & OfTool)
  /** What a tool came to (`ToolOutput`): one for each start that is not retracted. */
  | ({
      readonly type: 'tool-output';
      /** For a person: what the tool gave to be shown, else what the model reads; of a failure masked. */
      readonly display: string;
      readonly isError: boolean;
      readonly diff?: ToolDisplay['diff'];
      readonly locations?: readonly ToolLocation[];
      readonly terminalId?: string;
      readonly filterStats?: ToolDisplay['filterStats'];
      readonly keptLines?: readonly number[];
      readonly rawResponse?: unknown;
    } & OfTool)
  /** Tokens of one model call, a withdrawn one too (`Usage`). Absent is unknown. */
  | {
      readonly type: 'usage';
      readonly inputTokens?: number;
      readonly outputTokens?: number;
      readonly cachedInputTokens?: number;
      readonly cacheWriteTokens?: number;
      /** What the model's window holds. */
      readonly contextWindow?: number;
      /** Of the run so far. */
      readonly costUsd?: number;
    }
  /** A title for the session (`SessionTitle`). */
  | { readonly type: 'session-title'; readonly title: string }
  /** The whole plan, each time (`Plan`). */
  | { readonly type: 'plan'; readonly entries: readonly PlanEntry[] }
  /** Right before `flush`; absent where the turn ended with its answer (`Stop`). */
  | { readonly type: 'stop'; readonly hint: LoopbackStopHint }
  /** The end of the turn, exactly once (`Flush`). */
  | { readonly type: 'flush' };

export type LoopbackEventOf<Type extends LoopbackEvent['type']> = Extract<LoopbackEvent, { type: Type }>;
