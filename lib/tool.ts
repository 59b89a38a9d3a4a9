/** What a tool is: a name, a schema and a function. */
import type { Observable } from 'rxjs';
import type { ApprovalAnswer } from './approval.ts';
import type { JsonPatchOperation, PlanEntry } from './host.ts';
import type { ToolCall, ToolLocation, ToolResult } from './message.ts';

/**
 * A schema for a tool's arguments: any Standard Schema (version 1) that can also say itself as JSON Schema, such as a
 * zod 4 schema. `validate` decides, `jsonSchema.input` is what the model is told.
 */
export interface ToolInput<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validation<Output> | PromiseLike<Validation<Output>>;
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A JSON Schema as plain data. What is checked is draft 2020-12, whatever `$schema` says. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] };

export interface ValidationIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a running tool is given beside its arguments. After the call was answered, what it says is not heard. */
export interface ToolContext {
  /** Fires when the run is left or stopped while the tool runs, and when its own `timeoutMs` is over. */
  readonly signal: AbortSignal;
  readonly callId: string;
  readonly runId: string;
  /** 0-based. */
  readonly step: number;
  /** One map a run, shared by all hooks and tools. */
  readonly scratch: Map<unknown, unknown>;
  /** Emits a `tool-progress` event; the value is taken as `JSON.stringify` would take it. */
  progress(value: unknown): void;
  /** Emits `status`: a line for a person; an empty text clears it. */
  status(text: string): void;
  /** Emits `plan`, always the whole of it. */
  plan(entries: readonly PlanEntry[]): void;
  /** Emits `state`: a change of the application's own state. */
  state(patch: readonly JsonPatchOperation[]): void;
  /** Emits `custom`. */
  emit(event: { readonly name: string; readonly data: unknown }): void;
  /**
   * Asks for something in the middle of the work, through the run's `approvals`. One value: `input`, or `decline` where
   * nobody answers. Leaving it leaves the question.
   */
  input(question: { readonly reason?: string; readonly schema?: JsonSchema }): Observable<Extract<ApprovalAnswer, { type: 'input' | 'decline' }>>;
}

/** What a tool does, for a screen. */
export type ToolKind = 'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'think' | 'fetch' | 'other';

/** How a failed body is run again. Times in milliseconds. */
export interface ToolRetry {
  /** Runs after the first one; 0 never repeats. */
  readonly count: number;
  /** The wait before repeat n is `min(initialDelayMs * factor^(n-1), maxDelayMs)`. Default 500. */
  readonly initialDelayMs?: number;
  /** Default 2. */
  readonly factor?: number;
  /** Default 8,000. */
  readonly maxDelayMs?: number;
  /** No repeat begins later than so long after the first run began. Default 30,000. */
  readonly maxTotalMs?: number;
}

/** What `run` may return: a plain value, or an Observable, a thenable or an async iterable of one. */
export type Answer<T> = T | PromiseLike<T> | Observable<T> | AsyncIterable<T>;

/** A tool, made by {@link defineTool}. */
export interface Tool<Name extends string = string, Input = any, Output = any> {
  readonly name: Name;
  readonly description: string;
  readonly input: ToolInput<Input, unknown>;
  /** `input` as JSON Schema, as the model is told. */
  readonly parameters: JsonSchema;
  /** `input` was a raw JSON Schema: it cannot check anything by itself, the run's validator does. */
  readonly needsValidator?: true;
  /** May run while other such tools run. Default: false, it runs alone. */
  readonly parallelSafe?: boolean;
  /** Names of tools: under `dependencyTiers`, a call waits for their calls in the same step, and needs them to succeed. */
  readonly dependsOn?: readonly string[];
  /** How long the body may take, milliseconds. Default: without limit. */
  readonly timeoutMs?: number;
  /** A failure with `retryable: true` runs the body again: it must bear to run twice. Default: never. */
  readonly retry?: ToolRetry;
  /** The call waits for an approval. A function decides by the checked arguments. */
  readonly needsApproval?: boolean | ((args: never) => boolean);
  /** `client`: the body is not run here; the run asks for its result. */
  readonly runsOn?: 'client';
  /** May start while the model still speaks: its effects must be harmless if the attempt is withdrawn. */
  readonly eager?: boolean;
  /** A second run with the same arguments does nothing more; told to a screen or a journal. */
  readonly idempotent?: boolean;
  readonly kind?: ToolKind;
  /** What a screen calls this call. */
  title?(args: never): string;
  /** Files that this call is about. */
  locations?(args: never): readonly ToolLocation[];
  /** Types alone: what the output is once JSON has carried it. */
  readonly '~output'?: Output;
  run(args: never, context: ToolContext): Answer<unknown>;
}

/** What a value is once JSON has carried it: a `Date` is a string, what JSON leaves out is absent. */
export type Jsonified<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends { toJSON(): infer J }
    ? Jsonified<J>
    : T extends (...args: never[]) => unknown
      ? undefined
      : T extends readonly (infer E)[]
        ? Jsonified<E>[]
        : T extends object
          ? { [K in keyof T]: Jsonified<T[K]> }
          : T;

type Arguments<T> = T extends Tool<string, infer Input, unknown> ? Input : never;
type Output<T> = T extends Tool<string, any, infer O> ? O : never;

/** The validated call of one of these tools: `call.name` narrows `call.arguments`. */
export type CallOf<T extends Tool> = T extends Tool ? ToolCall<T['name'], Arguments<T>> : never;

/** The result of one of these tools: `result.name` narrows `result.output`. */
export type ResultOf<T extends Tool> = T extends Tool ? ToolResult<T['name'], Output<T>> : never;
