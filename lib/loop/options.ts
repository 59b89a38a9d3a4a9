import type { Observable, SchedulerLike } from 'rxjs';
import type { ApprovalPort } from '../approval.ts';
import type { Checkpoint } from '../checkpoint.ts';
import type { Demand } from '../demand.ts';
import type { HookList, Hooks } from '../hooks.ts';
import type { Ids } from '../ids.ts';
import type { Message, UserMessage } from '../message.ts';
import type { Model, ModelOptions, ToolChoice, ToolSpec } from '../model.ts';
import type { Budget, Policy, PresetName, RetryPolicy, Timeouts } from '../policy.ts';
import type { Schedule } from '../schedule.ts';
import type { SchemaValidator } from '../schema-validator.ts';
import type { Answer, JsonSchema, Tool, ToolInput } from '../tool.ts';
import type { Limits } from './budget.ts';

/** What {@link toolLoop} is given. */
export interface ToolLoopOptions<T extends Tool = Tool, Output = unknown> {
  /** The model, or a list to fall back through: the next one is used where one fails before it has shown anything. */
  readonly model: Model | readonly Model[];
  /** The user's prompt. It follows `messages`; one of the two is needed. */
  readonly prompt?: string | UserMessage;
  /** The conversation so far, such as `historyOf(outcome)` of an earlier run. Default: none. */
  readonly messages?: readonly Message[];
  readonly system?: string;
  /**
   * Default: none. Two tools of one name are refused. Of an Observable the latest set counts, taken at each step and kept
   * for it; the first step waits for the first set.
   */
  readonly tools?: readonly T[] | Observable<readonly T[]>;
  /** Default `auto`. A choice other than `auto` and `none` holds for the first step only, because it would never end. */
  readonly toolChoice?: ToolChoice;
  /**
   * Checks the arguments of tools with a raw JSON Schema. Default: `jsonSchemaValidator()`, loaded when a run first needs
   * it. In a bundle give that one yourself; so does who needs such a run to start at once.
   */
  readonly validator?: SchemaValidator;
  /** How the model is to answer. Default: as its provider does. */
  readonly modelOptions?: ModelOptions;
  /** Default `resilient`. */
  readonly preset?: PresetName;
  /** Single choices in place of the preset's. */
  readonly policy?: Partial<Policy>;
  /** Which calls of a step run at the same time. Default: the preset's. */
  readonly schedule?: Schedule;
  /** Default: at most 10 model calls. */
  readonly budget?: Budget;
  /** Single values in place of the preset's. */
  readonly retry?: Partial<RetryPolicy>;
  /** Single values in place of the preset's. */
  readonly timeouts?: Partial<Timeouts>;
  /** What the application decides in the middle of a run; see {@link Hooks}. Default: none. */
  readonly hooks?: HookList;
  /** Answers the run's open requests, at once or later. Default: nobody answers, so the run is suspended. */
  readonly approvals?: ApprovalPort;
  /**
   * Is given where the run stands, before each `step-start`, after each `step-end` that asks for tools, and after each
   * settled call; the run waits for its answer. Default: none.
   */
  readonly onCheckpoint?: (checkpoint: Checkpoint) => Answer<unknown>;
  /** The answer is to be a value of this schema; it comes as `completion.json`. Default: text. */
  readonly output?: OutputOptions<Output>;
  /**
   * Is asked at each step boundary for a shorter transcript, which then stands in place of the messages. A cut that
   * separates a call from its result is refused. An empty answer keeps the messages. Default: none.
   */
  readonly compact?: (messages: readonly Message[], size: ContextSize) => Answer<readonly Message[] | undefined | void>;
  /**
   * Makes a title for the conversation when it has its first answer, from its messages; it is told as `title` right before
   * `done`. An empty answer is none; a failure is told as `status` and changes nothing. Default: none.
   */
  readonly title?: (messages: readonly Message[]) => Answer<string | undefined | void>;
  /** Paces the run: see `pull`, `paced` and `toReadableStream`, which make one. Default: nothing waits. */
  readonly demand?: Demand;
  /**
   * The soft end: its first value, or the firing of an AbortSignal, ends the run with `done` and reason `aborted`. What
   * was said is kept, and every call gets one result. Its completion means nothing; an error of it fails the run.
   */
  readonly abort$?: Observable<unknown> | AbortSignal;
  /** What the user says meanwhile: read before each model call, and where the model has answered. */
  readonly steering$?: Observable<string | UserMessage>;
  /** What the user says next: each starts another turn where the run would have ended with an answer. */
  readonly followUp$?: Observable<string | UserMessage>;
  /** Clock and timers of the run. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
  /** Makes the run's ids. Default: random UUIDs. */
  readonly ids?: Ids;
  /** From 0 (included) to 1; for the jitter of retries. Default `Math.random`. */
  readonly random?: () => number;
  /** Default: from `ids`, a new one for each subscription. */
  readonly runId?: string;
  /** The conversation that the run belongs to; only reported, in `run-start`. */
  readonly threadId?: string;
}

/** What a run's answer is to be. */
export interface OutputOptions<Output = unknown> {
  /** A Standard Schema that can say itself as JSON Schema, or a raw JSON Schema, which `validator` checks. */
  readonly schema: ToolInput<unknown, Output> | JsonSchema;
  /**
   * `native`: the provider holds the model to the schema. `tool`: the model calls a tool whose arguments are the output.
   * `prompt`: the model is told. Default `auto`: the first of these that the model can do.
   */
  readonly mode?: 'auto' | 'native' | 'tool' | 'prompt';
  /** How often in a row the model is told what is wrong with its output. Default 1. */
  readonly repairs?: number;
  /** Name of the output and of its tool, which ends in a number where a tool of the run has it. Default `final_result`. */
  readonly name?: string;
}

/** How full the model's window is, as far as it is known. */
export interface ContextSize {
  /** Tokens of the last call. */
  readonly used?: number;
  readonly window?: number;
}

/** The output with everything decided. */
export interface OutputSettings {
  readonly parameters: JsonSchema;
  /** The output as a tool: its schema checks, its body never runs. */
  readonly checker: Tool;
  readonly mode: NonNullable<OutputOptions['mode']>;
  readonly repairs: number;
  /** Free of any name of a tool that is known at the call. */
  readonly name: string;
}

/** The options with everything decided; shared by all runs of one `toolLoop()`. */
export interface Settings {
  /** One or more. */
  readonly models: readonly Model[];
  readonly messages: readonly Message[];
  readonly system: string | undefined;
  /** Those that are known at the call. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly specs: readonly ToolSpec[];
  readonly tools$: Observable<readonly Tool[]> | undefined;
  /** In the order of their registration. */
  readonly hooks: readonly Hooks[];
  readonly approvals: ApprovalPort | undefined;
  readonly onCheckpoint: ToolLoopOptions['onCheckpoint'];
  readonly output: OutputSettings | undefined;
  readonly compact: ToolLoopOptions['compact'];
  readonly title: ToolLoopOptions['title'];
  readonly validator: SchemaValidator | undefined;
  readonly toolChoice: ToolChoice;
  readonly modelOptions: ModelOptions;
  readonly demand: Demand | undefined;
  readonly policy: Policy;
  readonly schedule: Schedule;
  readonly abort$: Observable<unknown> | AbortSignal | undefined;
  readonly steering$: Observable<string | UserMessage> | undefined;
  readonly followUp$: Observable<string | UserMessage> | undefined;
  readonly budget: Limits;
  readonly retry: RetryPolicy;
  readonly timeouts: Timeouts;
  readonly scheduler: SchedulerLike;
  readonly ids: Ids;
  readonly random: () => number;
  readonly runId: string | undefined;
  readonly threadId: string | undefined;
}
