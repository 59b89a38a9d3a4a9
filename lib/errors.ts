/**
 * Every error of the library: one hierarchy, literal `code`s, and a brand that works across installed copies.
 * Messages say what, where and what to do; keys, prompts and headers never appear in them.
 */
import type { Message, ToolFaultKind } from './message.ts';
import type { Completion, StepRecord } from './outcome.ts';
import type { Usage } from './usage.ts';

const BRAND: unique symbol = Symbol.for('rx-tool-loop.error') as never;

/** What every wire format stores of an error. */
export interface ErrorInfo {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly status?: number;
}

/** What an error says, whatever was thrown: things without text exist. */
export function errorText(error: unknown): string {
  if (error instanceof Error && error.message !== '') return error.message;
  try {
    return String(error);
  } catch {
    return 'something that has no text';
  }
}

/** Base of all errors here; tell them apart by `code`. */
export abstract class LoopError extends Error {
  abstract readonly code: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean = false;

  /** @param name - given, because a minifier renames classes */
  protected constructor(name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperties(this, { name: { value: name }, [BRAND]: { value: true } });
  }

  toJSON(): ErrorInfo {
    return { code: this.code, message: this.message, retryable: this.retryable };
  }
}

/** Whether a value is an error of this library, also one from another installed copy of it. */
export function isLoopError(value: unknown): value is LoopError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
}

/**
 * What an outsider may know of an error: of one that is not this library's own, the text stays out.
 *
 * @internal
 */
export function errorInfo(error: unknown): ErrorInfo {
  return isLoopError(error) ? error.toJSON() : { code: 'other', message: 'The run failed.', retryable: false };
}

/** Misuse by the programmer: thrown when the function is called, never on subscribing. */
export class ConfigError extends LoopError {
  readonly code = 'config';

  constructor(message: string, options?: ErrorOptions) {
    super('ConfigError', message, options);
  }
}

/** A model was asked for something that it does not do. */
export class UnsupportedError extends LoopError {
  readonly code = 'unsupported';

  constructor(message: string, options?: ErrorOptions) {
    super('UnsupportedError', message, options);
  }
}

/**
 * A tool's raw JSON Schema says something that the run's validator cannot honour, or there is no validator for it. The
 * model was not asked.
 */
export class InvalidToolSchemaError extends LoopError {
  readonly code = 'invalid-tool-schema';
  readonly toolName: string;
  /** Where in the schema, such as `properties.list.items`; empty at its root. */
  readonly path: string;
  /** What cannot be honoured; absent where it is not one keyword alone. */
  readonly keyword: string | undefined;

  constructor(toolName: string, reason: string, at: { readonly path?: string; readonly keyword?: string } = {}, options?: ErrorOptions) {
    super('InvalidToolSchemaError', `The JSON Schema of tool "${toolName}" cannot be checked: ${reason}`, options);
    this.toolName = toolName;
    this.path = at.path ?? '';
    this.keyword = at.keyword;
  }
}

/**
 * - `model-http`: the provider answered with a failure status
 * - `model-transport`: the exchange could not be made, or broke off
 * - `model-timeout`: no first delta, no sign of life, or nothing to show, for longer than allowed
 * - `model-stream`: the provider sent an error inside its stream, or bytes that cannot be read
 * - `model-protocol`: deltas that cannot follow each other, or an ending that contradicts them
 */
export type ModelErrorCode =
  | 'model-http'
  | 'model-transport'
  | 'model-timeout'
  | 'model-stream'
  | 'model-protocol';

export interface ModelErrorOptions extends ErrorOptions {
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** Default: false. */
  readonly retryable?: boolean;
  /** How long the provider asked to be left alone, milliseconds. */
  readonly retryAfterMs?: number;
  /** The provider's own name for the fault. */
  readonly type?: string;
  /** Evidence: the body or frame that says so, cut to 2,000 characters by who reads it. */
  readonly detail?: string;
}

/** A model call failed. `retryable` tells transient from fatal. */
export class ModelError extends LoopError {
  readonly code: ModelErrorCode;
  override readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly type: string | undefined;
  readonly detail: string | undefined;

  constructor(code: ModelErrorCode, message: string, options: ModelErrorOptions = {}) {
    super('ModelError', message, options);
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.type = options.type;
    this.detail = options.detail;
  }

  override toJSON(): ErrorInfo {
    return this.status === undefined ? super.toJSON() : { ...super.toJSON(), status: this.status };
  }
}

export type BudgetName = 'max-steps' | 'max-tokens' | 'max-cost' | 'context-full' | 'repetition';

/** A budget is spent and the policy `budgetEnd` is `'error'`. */
export class BudgetError extends LoopError {
  readonly code = 'budget';
  readonly budget: BudgetName;
  readonly limit: number;
  readonly used: number;

  constructor(budget: BudgetName, limit: number, used: number) {
    super('BudgetError', BUDGET_TEXT[budget](limit, used));
    this.budget = budget;
    this.limit = limit;
    this.used = used;
  }
}

const BUDGET_TEXT: Record<BudgetName, (limit: number, used: number) => string> = {
  'max-steps': (limit) => `The run needs another model call, but budget.maxSteps is ${limit}. Raise it, or ask for less.`,
  'max-tokens': (limit, used) =>
    `The run has used ${used} tokens, over budget.maxTotalTokens ${limit}; the tools it asked for did not run.`,
  'max-cost': (limit, used) =>
    `The run has cost ${used} US dollars, over budget.maxCostUsd ${limit}; the tools it asked for did not run.`,
  'context-full': (limit, used) =>
    `The last call used ${used} of the context window, and budget.contextLimit is ${limit}. Shorten the conversation.`,
  repetition: (limit) => `The last ${limit} steps were the same (budget.repetition).`,
};

/** The answer was cut or withheld before anything was said, and the policy `emptyTruncated` is `'error'`. */
export class EmptyAnswerError extends LoopError {
  readonly code = 'empty-answer';

  constructor(message: string, options?: ErrorOptions) {
    super('EmptyAnswerError', message, options);
  }
}

/** Throw it from a tool to say which kind of failure it was. */
export class ToolError extends LoopError {
  readonly code = 'tool';
  readonly kind: ToolFaultKind;
  override readonly retryable: boolean;

  constructor(kind: ToolFaultKind, message: string, options: ErrorOptions & { readonly retryable?: boolean } = {}) {
    super('ToolError', message, options);
    this.kind = kind;
    this.retryable = options.retryable ?? RETRYABLE_FAULTS.has(kind);
  }
}

const RETRYABLE_FAULTS: ReadonlySet<ToolFaultKind> = new Set(['timeout', 'rate-limited', 'provider', 'network']);

/** What a failed run had come to: the messages are closed, so that they are valid for a next request. */
export interface RunRecord {
  readonly runId: string;
  readonly steps: readonly StepRecord[];
  readonly usage: Usage;
  readonly messages: readonly Message[];
  /** Of the last committed step. */
  readonly completion: Completion;
}

/** Every error notification of a run. `code` is its cause's code (`other` where it has none), `cause` the original error. */
export class RunError extends LoopError {
  readonly code: string;
  override readonly retryable: boolean;
  readonly run: RunRecord;

  constructor(cause: unknown, run: RunRecord) {
    super('RunError', errorText(cause), { cause });
    this.code = isLoopError(cause) ? cause.code : 'other';
    this.retryable = isLoopError(cause) && cause.retryable;
    this.run = run;
  }

  /** Masked: of an error that is not this library's own, the text stays out. */
  override toJSON(): ErrorInfo {
    if (isLoopError(this.cause)) return this.cause.toJSON();
    return { code: this.code, message: 'The run failed.', retryable: this.retryable };
  }
}
