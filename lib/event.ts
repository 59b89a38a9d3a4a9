/**
 * What a run says. Every event has `type` and `runId`; `step` is 0-based, `attempt` and counts are 1-based; times come
 * from the run's scheduler. Events are JSON and immutable. Consumers ignore types that they do not know.
 *
 * ```text
 * run     := run-start ( steering | step )* ending
 * step    := ( attempt step-retract )* attempt step-end batch? correction?
 * attempt := step-start ( retry | fallback | delta )*
 * batch   := tool-call+ ( tool-start | tool-progress | tool-commit | tool-result )*
 * ending  := done complete | error
 * ```
 *
 * `status` and `tool-dropped` may stand anywhere between `run-start` and the ending.
 */
import type { Delta, ResponseIds } from './delta.ts';
import type { ErrorInfo } from './errors.ts';
import type { AssistantMessage, FinishReason, Message, ToolCall, UserMessage } from './message.ts';
import type { CallOf, ResultOf, Tool } from './tool.ts';
import type { Usage } from './usage.ts';

interface Said<Type extends string> {
  readonly type: Type;
  readonly runId: string;
}

interface InStep<Type extends string> extends Said<Type> {
  readonly step: number;
}

/** First. */
export interface RunStart extends Said<'run-start'> {
  readonly threadId?: string;
}

/** Before each counted model call. */
export interface StepStart extends InStep<'step-start'> {
  readonly attempt: number;
  readonly model: string;
}

/** The moment a delta arrives, unchanged but for replaced ids. */
export interface DeltaEvent extends InStep<'delta'> {
  readonly delta: Delta;
}

/** Before each wait: the same attempt calls again after `delayMs`. `count` is within the attempt. */
export interface Retry extends InStep<'retry'> {
  readonly attempt: number;
  readonly count: number;
  readonly max: number;
  readonly reason: string;
  readonly delayMs: number;
  /** The provider set the delay. */
  readonly retryAfter?: true;
  readonly by: 'loop';
}

/** The next model of the list is used, in the same attempt. */
export interface Fallback extends InStep<'fallback'> {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** This attempt is withdrawn as if it had never been shown; its usage counts. */
export interface StepRetract extends InStep<'step-retract'> {
  readonly attempt: number;
  readonly reason: string;
  /** What it had shown: its blocks and calls. */
  readonly blocks: readonly string[];
  readonly callIds: readonly string[];
  readonly usage: Usage;
}

/** The corrective user turn that follows a broken step; after `step-end` and the results that close its calls. */
export interface Correction extends InStep<'correction'> {
  readonly cause: 'stream';
  /** In a row, from 1. */
  readonly count: number;
  readonly max: number;
  readonly reason: string;
  readonly message: UserMessage;
}

/** What the user said meanwhile; between steps. */
export interface Steering extends Said<'steering'> {
  readonly messages: readonly UserMessage[];
}

/** A started call that was answered without it has settled after all; its outcome is not shown. */
export interface ToolDropped extends InStep<'tool-dropped'> {
  readonly callId: string;
  readonly elapsedMs: number;
  readonly isError: boolean;
  readonly reason: 'late';
}

/** Once for each committed step, before its tools. `toolCalls` counts the complete calls. */
export interface StepEnd extends InStep<'step-end'> {
  readonly attempt: number;
  readonly usage: Usage;
  readonly finish: FinishReason;
  readonly rawFinish?: string;
  readonly toolCalls: number;
  readonly ids?: ResponseIds;
  /** Tokens of this call, and what the model's window holds; where both are known. */
  readonly context?: { readonly used: number; readonly window: number };
  /** Of the run so far, where the model has a price. */
  readonly costUsd?: number;
}

/** The model's own complete call, not yet checked; once its step is committed. */
export interface ToolCallEvent extends InStep<'tool-call'> {
  readonly callId: string;
  readonly call: ToolCall;
}

/** Immediately before execution, with arguments that match the tool's schema. */
export interface ToolStart<T extends Tool = Tool> extends InStep<'tool-start'> {
  readonly callId: string;
  readonly call: CallOf<T>;
  readonly startedAt: number;
}

/** While it runs. */
export interface ToolProgress extends InStep<'tool-progress'> {
  readonly callId: string;
  readonly progress: unknown;
}

/** Its body ran and its result is kept; right before that result. */
export interface ToolCommit<T extends Tool = Tool> extends InStep<'tool-commit'> {
  readonly callId: string;
  readonly call: CallOf<T>;
}

/** One for each call, in call order. `elapsedMs` is the time of the body, 0 where none ran. */
export interface ToolResultEvent<T extends Tool = Tool> extends InStep<'tool-result'> {
  readonly callId: string;
  readonly call: ToolCall;
  readonly result: ResultOf<T>;
  readonly elapsedMs: number;
}

/** A line for a person, anywhere inside the run; an empty text clears it. */
export interface Status extends Said<'status'> {
  readonly text: string;
  /** What it is about, where it comes from a model's warning. */
  readonly data?: unknown;
}

/** Last value, exactly once, on success; then the stream completes. */
export interface Done extends Said<'done'> {
  readonly outcome: Outcome;
}

export type LoopEvent<T extends Tool = Tool> =
  | RunStart
  | StepStart
  | DeltaEvent
  | Retry
  | Fallback
  | StepRetract
  | StepEnd
  | ToolCallEvent
  | ToolStart<T>
  | ToolProgress
  | ToolCommit<T>
  | ToolResultEvent<T>
  | ToolDropped
  | Correction
  | Steering
  | Status
  | Done;

export type EventType = LoopEvent['type'];
export type EventOf<Type extends EventType, T extends Tool = Tool> = Extract<LoopEvent<T>, { type: Type }>;

/** Why a run ended. `error` comes only from `errorAsDone()`. */
export type Reason =
  | 'answer'
  | 'max-steps'
  | 'max-tokens'
  | 'max-cost'
  | 'max-duration'
  | 'context-full'
  | 'repetition'
  | 'aborted'
  | 'length'
  | 'content-filter'
  | 'refusal'
  | 'error';

/** What a run came to. `historyOf(outcome)` is its conversation, ready for the next prompt. */
export interface Outcome {
  readonly reason: Reason;
  /** Of the last committed step; empty if there was none. */
  readonly completion: Completion;
  /** The input messages and every closed turn with its results, without `answer`. */
  readonly messages: readonly Message[];
  /** The last assistant turn, if nothing follows it. */
  readonly answer?: AssistantMessage;
  /** `steps[i]` belongs to `step: i`. */
  readonly steps: readonly StepRecord[];
  /** All steps and all failed attempts. */
  readonly usage: Usage;
  /** What the user said and no step has read. */
  readonly unread?: { readonly steering: readonly UserMessage[]; readonly followUp: readonly UserMessage[] };
  /** Only with reason `error`. */
  readonly error?: ErrorInfo;
}

export interface Completion {
  readonly text: string;
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
