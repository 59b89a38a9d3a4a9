/** What an application may decide in the middle of a run. */
import type { Delta, DeltaType, ResponseIds } from './delta.ts';
import type { AssistantPart, FinishReason, Message, ResultPart, ToolCall, ToolResult, UserMessage } from './message.ts';
import type { Model, ModelOptions, ToolChoice, ToolSpec } from './model.ts';
import type { Answer } from './tool.ts';
import type { Usage } from './usage.ts';

/** What every hook is told. */
export interface HookContext {
  readonly runId: string;
  /** 0-based. */
  readonly step: number;
  /** 1-based. */
  readonly attempt: number;
  /** One map a run, shared by all hooks and tools. */
  readonly scratch: Map<unknown, unknown>;
}

/** Ends the run with `done` and reason `stopped`. */
export interface StopAnswer {
  readonly type: 'stop';
  readonly reason?: string;
}

/** The model call as it will be made, with what earlier hooks changed. */
export interface RequestView {
  readonly model: Model;
  readonly system: string | undefined;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  readonly options: ModelOptions;
}

/** Changes one model call and nothing else: the next one begins from the run's own options again. */
export interface RequestPatch {
  readonly type?: 'patch';
  readonly system?: string;
  /** In place of the transcript. */
  readonly messages?: readonly Message[];
  /** After the transcript. */
  readonly append?: readonly Message[];
  /** Names; of several hooks the intersection. */
  readonly tools?: readonly string[];
  readonly toolChoice?: ToolChoice;
  /** Single values over those of the run. */
  readonly options?: ModelOptions;
  readonly model?: Model;
}

/** A model call that ended well, before its `finish` is shown. */
export interface StepView {
  readonly content: readonly AssistantPart[];
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish: FinishReason;
  readonly rawFinish?: string;
  readonly usage?: Usage;
  readonly model: string;
  readonly ids?: ResponseIds;
}

/**
 * - `retract`: the attempt is withdrawn as if it had never been shown, and the model is asked again at once; a step with
 *   calls cannot be withdrawn
 * - `correct`: the turn stays, its calls are closed, and the model is told this
 */
export type StepAnswer =
  | { readonly type: 'continue' }
  | { readonly type: 'retract'; readonly reason?: string }
  | { readonly type: 'correct'; readonly message: string | UserMessage; readonly reason?: string }
  | StopAnswer;

/** A call of a tool that the step does not have, at its name: none of its deltas has been shown. */
export interface InvalidCall {
  readonly callId: string;
  readonly name: string;
  /** Tools that the step has. */
  readonly available: readonly string[];
}

/**
 * - `fail`: the run ends with an `UnknownToolError`
 * - `retry`: the model is told; bounded by `invalidRetries` and the step budget
 * - `repair`: the call is of this tool; its arguments are kept
 * - `skip`: the call has this result
 */
export type InvalidCallAnswer =
  | { readonly type: 'fail' }
  | { readonly type: 'retry'; readonly feedback: string }
  | { readonly type: 'repair'; readonly name: string }
  | { readonly type: 'skip'; readonly reason: string }
  | StopAnswer;

/**
 * - `rewrite`: other arguments, which are checked again
 * - `skip`: the body does not run; the model reads `reason` as the result
 * - `block`: the body does not run; the call gets the error result `refused`
 * - `ask`: the call waits for an approval
 */
export type ToolAnswer =
  | { readonly type: 'run' }
  | { readonly type: 'rewrite'; readonly arguments: unknown }
  | { readonly type: 'skip'; readonly reason: string }
  | { readonly type: 'block'; readonly reason: string }
  | { readonly type: 'ask'; readonly reason?: string }
  | StopAnswer;

/** `rewrite` changes what the model reads; `output` and `error` stay what they were. */
export type ResultAnswer =
  | { readonly type: 'keep' }
  | { readonly type: 'rewrite'; readonly content: string | readonly ResultPart[]; readonly isError?: boolean }
  | StopAnswer;

/**
 * Hooks of a run, asked in the order of their registration. Each may answer at once or later (the run waits); an empty
 * answer is no opinion, and the first stop ends the asking. One that throws ends the run with code `hook`.
 */
export interface Hooks {
  /** For error messages. Default: its place in the list. */
  readonly name?: string;
  /** Only looks on: answers are ignored, and an error is reported once, as `status`. */
  readonly observe?: true;
  /** Before each counted model call. */
  beforeRequest?(request: RequestView, context: HookContext): Answer<RequestPatch | StopAnswer | undefined | void>;
  /** The kinds of delta that `onDelta` is asked about; needed with it. */
  readonly deltas?: readonly DeltaType[];
  /** Before a delta of these kinds is shown. A stop keeps it from being shown. */
  onDelta?(delta: Delta, context: HookContext): Answer<StopAnswer | undefined | void>;
  /** When a model call has ended well. */
  afterStep?(step: StepView, context: HookContext): Answer<StepAnswer | undefined | void>;
  /** At the name of a call that the step has no tool for. */
  invalidCall?(call: InvalidCall, context: HookContext): Answer<InvalidCallAnswer | undefined | void>;
  /** How often in a run `invalidCall` may answer `retry`; then the run fails as with `fail`. Default 1. */
  readonly invalidRetries?: number;
  /** Before a body runs, with checked arguments. */
  beforeTool?(call: ToolCall, context: HookContext): Answer<ToolAnswer | undefined | void>;
  /** When a body has run, before its result is shown. */
  afterTool?(call: ToolCall, result: ToolResult, context: HookContext): Answer<ResultAnswer | undefined | void>;
}

/** Hooks, or lists of them; lists in lists count as one. */
export type HookList = Hooks | readonly HookList[];
