/** A run as a screen shows it: what `toState()` makes of its events. Plain JSON, immutable, structurally shared. */
import type { ApprovalRequest } from './approval.ts';
import type { ErrorInfo } from './errors.ts';
import type { Parent, Retry } from './event.ts';
import type { PlanEntry } from './host.ts';
import type { AssistantPart, FinishReason, ToolCallPart, ToolDisplay, ToolResult, UserPart } from './message.ts';
import type { Reason } from './outcome.ts';
import type { ToolKind } from './tool.ts';
import type { Usage } from './usage.ts';

/** `waiting`: somebody is asked, and the answer holds the run; other tools may still run. */
export type LoopStatus = 'idle' | 'running' | 'waiting' | 'done' | 'error';

/** One run so far. */
export interface LoopState {
  /** Empty before the run has started. */
  readonly runId: string;
  readonly threadId?: string;
  /** Of a nested run. */
  readonly parent?: Parent;
  readonly status: LoopStatus;
  /** What was given, said and corrected, in order; results are at their calls. */
  readonly messages: readonly MessageState[];
  /** In the order in which they began. */
  readonly calls: readonly CallState[];
  /** Open requests of this run and of its nested runs. */
  readonly requests: readonly ApprovalRequest[];
  /** The wait that is going on. */
  readonly retry?: Retry;
  /** The last line for a person. */
  readonly line?: { readonly text: string; readonly data?: unknown };
  readonly plan: readonly PlanEntry[];
  readonly title?: string;
  /** The application's own state, which `state` events change; `{}` at first. */
  readonly shared: unknown;
  /** Why the last change of `shared` could not be made; it was not made in part either. */
  readonly sharedFault?: PatchFault;
  /** Of all attempts and nested runs so far; absent before the first has ended. */
  readonly usage?: Usage;
  /** Runs that tools of this run have started, by their `runId`. */
  readonly nested: Readonly<Record<string, LoopState>>;
  /** Why the run ended. */
  readonly reason?: Reason;
  /** The structured output, checked. */
  readonly output?: unknown;
  /** Only with status `error`. */
  readonly error?: ErrorInfo;
}

/**
 * One message.
 *
 * `provisional` while its attempt goes on and may be withdrawn, `committed` once its step has ended, `broken` where that
 * ended with an error or a stop.
 */
export interface MessageState {
  /** Unique in the state, and the same as long as the message is there. */
  readonly id: string;
  readonly role: 'user' | 'assistant';
  /** Of what was said in this run. */
  readonly step?: number;
  readonly attempt?: number;
  readonly state: 'provisional' | 'committed' | 'broken';
  readonly finish?: FinishReason;
  /** In order of arrival; pieces of one block are together, also where the wire interleaved them. */
  readonly blocks: readonly BlockState[];
}

/** A part of a message; a call stands for itself in `calls`. */
export type BlockState = Exclude<AssistantPart, ToolCallPart> | UserPart | CallBlock;

/** The place of a call in its message. */
export interface CallBlock {
  readonly type: 'tool-call';
  readonly callId: string;
}

/**
 * - `writing`: its arguments are still arriving
 * - `asked`: complete, and not begun
 * - `waiting`: for the answer to a request
 * - `running`
 * - `ok`, `error`: it has its result
 */
export type CallPhase = 'writing' | 'asked' | 'waiting' | 'running' | 'ok' | 'error';

/** One call of a tool. */
export interface CallState {
  readonly callId: string;
  readonly name: string;
  /** Absent on calls of the messages that the run was given. */
  readonly step?: number;
  readonly attempt?: number;
  /** Its place among the calls of its exchange. */
  readonly index?: number;
  readonly state: CallPhase;
  /** As the model wrote them, as far as they have come. */
  readonly argumentsText: string;
  /** The best reading so far; once the tool has started, what it was given. */
  readonly arguments?: unknown;
  readonly title?: string;
  readonly kind?: ToolKind;
  /** Scheduler time. */
  readonly startedAt?: number;
  /** The last one. */
  readonly progress?: unknown;
  readonly result?: ToolResult;
  /** That of the result. */
  readonly display?: ToolDisplay;
  readonly elapsedMs?: number;
}

/** Why a JSON Patch could not be applied. */
export interface PatchFault {
  /** Of the operation in its patch. */
  readonly index: number;
  readonly path: string;
  readonly message: string;
}
