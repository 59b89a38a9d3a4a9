/** What a run comes to. */
import type { Checkpoint } from './checkpoint.ts';
import type { ResponseIds } from './delta.ts';
import type { ErrorInfo } from './errors.ts';
import type { AssistantMessage, FinishReason, Message, ToolCall, UserMessage } from './message.ts';
import type { Usage } from './usage.ts';

/** Why a run ended. `error` comes only from `errorAsDone()`. */
export type Reason =
  | 'answer'
  | 'output'
  | 'max-steps'
  | 'max-tokens'
  | 'max-cost'
  | 'max-duration'
  | 'context-full'
  | 'repetition'
  | 'stopped'
  | 'aborted'
  | 'suspended'
  | 'length'
  | 'content-filter'
  | 'refusal'
  | 'error';

/** What a run came to. `historyOf(outcome)` is its conversation, ready for the next prompt. */
export interface Outcome<Json = unknown> {
  readonly reason: Reason;
  /** Of the last committed step; empty if there was none. */
  readonly completion: Completion<Json>;
  /** The input messages and every closed turn with its results, without `answer`. */
  readonly messages: readonly Message[];
  /** The last assistant turn, if nothing follows it. */
  readonly answer?: AssistantMessage;
  /** `steps[i]` belongs to `step: i`. */
  readonly steps: readonly StepRecord[];
  /** All steps, all failed and withdrawn attempts, and all nested runs. */
  readonly usage: Usage;
  /** The part of `usage` that nested runs used. */
  readonly nestedUsage?: Usage;
  /** What the user said and no step has read. */
  readonly unread?: { readonly steering: readonly UserMessage[]; readonly followUp: readonly UserMessage[] };
  /** Only with reason `suspended`: give it to `resumeToolLoop` with the answers. */
  readonly checkpoint?: Checkpoint;
  /** Only with reason `stopped`: why, and at which call, where a tool hook or an answer stopped it. */
  readonly stopped?: { readonly reason: string; readonly callId?: string };
  /** Only with reason `error`. */
  readonly error?: ErrorInfo;
}

export interface Completion<Json = unknown> {
  readonly text: string;
  /** The structured output, checked; only with reason `output`. */
  readonly json?: Json;
  readonly reasoning?: string;
  readonly refusal?: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish?: FinishReason;
  readonly rawFinish?: string;
  readonly model?: string;
}

export interface StepRecord {
  readonly step: number;
  readonly attempts: number;
  /** The sum over its attempts. */
  readonly usage: Usage;
  readonly finish: FinishReason;
  readonly toolCalls: number;
  readonly model: string;
  readonly ids?: ResponseIds;
}
