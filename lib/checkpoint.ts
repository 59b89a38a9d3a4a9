/** Where a run stands, as plain JSON: what `resumeToolLoop` needs to go on. */
import type { ApprovalAnswer, ApprovalRequest } from './approval.ts';
import type { AssistantMessage, Message, ToolCall, ToolResult, UserMessage } from './message.ts';
import type { Completion, StepRecord } from './outcome.ts';
import type { Usage } from './usage.ts';

/** What a checkpoint's `version` must be to be resumed. */
export const CHECKPOINT_VERSION = 1;

/** A run at one of its boundaries, or suspended in its batch. */
export interface Checkpoint {
  readonly version: typeof CHECKPOINT_VERSION;
  readonly runId: string;
  readonly threadId?: string;
  /** The transcript; the first `input` messages are those that the run was given. */
  readonly messages: readonly Message[];
  readonly input: number;
  /** Of the step that is open or comes next, 0-based. */
  readonly step: number;
  /** 1-based. */
  readonly attempt: number;
  /** Which model of the list serves. */
  readonly model: number;
  readonly steps: readonly StepRecord[];
  readonly completion: Completion;
  readonly usage?: Usage;
  readonly nestedUsage?: Usage;
  readonly retracted?: Usage;
  readonly counters: CheckpointCounters;
  /** Ids that the run has used. */
  readonly ids: { readonly calls: readonly string[]; readonly blocks: readonly string[] };
  readonly unread?: { readonly steering: readonly UserMessage[]; readonly followUp: readonly UserMessage[] };
  /** Present before an attempt that has to wait, or goes on with another model: `from` is that before it. */
  readonly wait?: { readonly delayMs?: number; readonly retryAfter?: boolean; readonly reason: string; readonly from?: number };
  /** Present inside a batch. */
  readonly batch?: CheckpointBatch;
}

/** What the budgets and limits have counted. */
export interface CheckpointCounters {
  /** Counted model calls. */
  readonly calls: number;
  /** Tool bodies started. */
  readonly toolCalls: number;
  /** Broken streams in a row. */
  readonly failures: number;
  /** Repairs of the output in a row. */
  readonly repairs: number;
  /** Invalid calls that were sent back. */
  readonly invalidCalls: number;
  /** Corrections of hooks. */
  readonly corrections: number;
  /** Share of the context window that the last call used. */
  readonly context?: number;
  readonly repeats: { readonly text: CheckpointRepeat; readonly calls: CheckpointRepeat };
  /** Budgets that have been warned of. */
  readonly warned: readonly string[];
  /** Milliseconds of the run so far, waits for people included. */
  readonly elapsedMs: number;
}

export interface CheckpointRepeat {
  readonly key: string;
  readonly count: number;
}

/** The open batch: the turn that asked for it, and how far each call has come. */
export interface CheckpointBatch {
  readonly turn: AssistantMessage;
  /** Whether its `tool-call` events have been emitted. */
  readonly announced: boolean;
  readonly calls: readonly CheckpointCall[];
}

/** What a call came to; `ran`: its body ran; `answered`: a client ran it; `unseen`: the hooks have not seen it yet. */
export interface CheckpointSettled {
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly elapsedMs: number;
  readonly ran: boolean;
  readonly answered?: true;
  readonly unseen?: true;
}

/** One call of the open batch. */
export interface CheckpointCall {
  readonly call: ToolCall;
  /** What hooks and answers made of it, where that is something else. */
  readonly effective?: ToolCall;
  /** The hooks before it have been asked. */
  readonly cleared?: true;
  /** A person has approved it. */
  readonly approved?: true;
  /** The request that is open. */
  readonly request?: ApprovalRequest;
  /** Its answer, where that has come before the call's turn. */
  readonly answer?: Exclude<ApprovalAnswer, { readonly type: 'suspend' }>;
  /** Scheduler time of its `tool-start`; of a nested run that is suspended. */
  readonly startedAt?: number;
  readonly nested?: Checkpoint;
  /** What it came to. */
  readonly settled?: CheckpointSettled;
  /** The result without a body, known before its turn. */
  readonly verdict?: Pick<ToolResult, 'content' | 'isError' | 'error'>;
  /** Its `tool-result` has been emitted. */
  readonly released?: true;
}
