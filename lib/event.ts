/**
 * What a run says. Every event has `type` and `runId`; `step` is 0-based, `attempt` and counts are 1-based; times come
 * from the run's scheduler. Events are JSON and immutable. Consumers ignore types that they do not know.
 *
 * ```text
 * run     := run-start ( steering | compaction | step )* ending
 * step    := ( attempt step-retract )* attempt step-end batch? correction?
 * attempt := step-start ( retry | fallback | delta | tool-start | tool-progress )*      tool-start here: eager tools only
 * batch   := tool-call+ ( approval-request | approval-answer | tool-start | tool-progress | tool-commit | tool-result )*
 * ending  := done complete | error
 * ```
 *
 * Host events (`status`, `plan`, `title`, `state`, `custom`), `tool-dropped` and events with `parent`, which belong to the
 * grammar of their own `runId`, may stand anywhere between `run-start` and the ending.
 */
import type { ApprovalAnswer, ApprovalRequest } from './approval.ts';
import type { Delta, ResponseIds } from './delta.ts';
import type { JsonPatchOperation, PlanEntry } from './host.ts';
import type { FinishReason, Message, ToolCall, UserMessage } from './message.ts';
import type { Outcome } from './outcome.ts';
import type { CallOf, ResultOf, Tool, ToolKind } from './tool.ts';
import type { Usage } from './usage.ts';

/** The run and the call directly above a nested run. */
export interface Parent {
  readonly runId: string;
  readonly callId: string;
}

interface Said<Type extends string> {
  readonly type: Type;
  readonly runId: string;
  /** Present on events of a nested run. */
  readonly parent?: Parent;
}

interface InStep<Type extends string> extends Said<Type> {
  readonly step: number;
}

/** First. */
export interface RunStart extends Said<'run-start'> {
  readonly threadId?: string;
  /** The run goes on from a checkpoint; what was said before it is not repeated. */
  readonly resumed?: true;
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
  /** How it had ended, where it was whole and a hook withdrew it. */
  readonly finish?: FinishReason;
}

/** The corrective user turn that follows a step; after `step-end` and the results that close its calls. */
export interface Correction extends InStep<'correction'> {
  /** The stream broke, the answer is not the output that was asked for, or a hook wants it otherwise. */
  readonly cause: 'stream' | 'output' | 'hook';
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

/** The transcript was shortened; between steps. */
export interface Compaction extends Said<'compaction'> {
  /** Messages that are no longer sent. */
  readonly removed: number;
  /** Messages that are sent as before. */
  readonly kept: number;
  /** What stands in place of the removed ones. */
  readonly summary: readonly Message[];
}

/**
 * A started call whose outcome is not shown: it settled after it was answered (`late`), its attempt was withdrawn
 * (`retracted`), or a crash cut it (`restarted`).
 */
export interface ToolDropped extends InStep<'tool-dropped'> {
  readonly callId: string;
  readonly elapsedMs: number;
  /** Absent where it never settled. */
  readonly isError?: boolean;
  readonly reason: 'late' | 'retracted' | 'restarted';
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

/** The run asks a person, or a client: to approve a call, to run it, or for input that a running tool needs. */
export interface ApprovalRequestEvent extends InStep<'approval-request'>, Omit<ApprovalRequest, 'runId' | 'step'> {}

/** What came of a request. One that is suspended has no answer yet. */
export interface ApprovalAnswerEvent extends InStep<'approval-answer'>, Pick<ApprovalRequest, 'callId' | 'id' | 'kind'> {
  readonly answer: Exclude<ApprovalAnswer, { readonly type: 'suspend' }>;
}

/** Immediately before execution, with arguments that match the tool's schema. `call` is the effective one. */
export interface ToolStart<T extends Tool = Tool> extends InStep<'tool-start'> {
  readonly callId: string;
  readonly call: CallOf<T>;
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly startedAt: number;
  /** The model is still speaking: its attempt may yet be withdrawn. */
  readonly speculative?: true;
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

/** The whole plan, each time. */
export interface PlanEvent extends Said<'plan'> {
  readonly entries: readonly PlanEntry[];
}

/** A title for the conversation. */
export interface TitleEvent extends Said<'title'> {
  readonly title: string;
}

/** A change of the application's own state. */
export interface StateEvent extends Said<'state'> {
  readonly patch: readonly JsonPatchOperation[];
}

/** Whatever a tool wants to tell its host. */
export interface CustomEvent extends Said<'custom'> {
  readonly name: string;
  readonly data: unknown;
}

/** Last value, exactly once, on success; then the stream completes. */
export interface Done<Json = unknown> extends Said<'done'> {
  readonly outcome: Outcome<Json>;
}

export type LoopEvent<T extends Tool = Tool, Json = unknown> =
  | RunStart
  | StepStart
  | DeltaEvent
  | Retry
  | Fallback
  | StepRetract
  | StepEnd
  | ToolCallEvent
  | ApprovalRequestEvent
  | ApprovalAnswerEvent
  | ToolStart<T>
  | ToolProgress
  | ToolCommit<T>
  | ToolResultEvent<T>
  | ToolDropped
  | Correction
  | Steering
  | Compaction
  | Status
  | PlanEvent
  | TitleEvent
  | StateEvent
  | CustomEvent
  | Done<Json>;

export type EventType = LoopEvent['type'];
export type EventOf<Type extends EventType, T extends Tool = Tool> = Extract<LoopEvent<T>, { type: Type }>;
