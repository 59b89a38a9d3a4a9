/** The one seam between the loop and everything that can answer a prompt. */
import type { Observable, SchedulerLike } from 'rxjs';
import type { Delta } from './delta.ts';
import type { Demand } from './demand.ts';
import type { Ids } from './ids.ts';
import type { Message } from './message.ts';
import type { Price } from './usage.ts';

export type Capability = 'tools' | 'images' | 'files' | 'json-schema' | 'reasoning' | 'parallel-tools';

/**
 * A language model.
 *
 * Contract:
 * - starts: `stream()` returns a cold Observable; each subscription is one exchange, and only one (the loop retries).
 * - leaves: unsubscribing aborts the exchange in the same tick.
 * - fails: by an error notification with a {@link ModelError}, which says whether trying again may help; any other
 *   error counts as fatal. A stream that completes without `finish` has failed.
 * - order: as {@link Delta} says.
 */
export interface Model {
  /** The name that the provider knows it by. */
  readonly id: string;
  readonly provider: string;
  readonly capabilities: readonly Capability[];
  /** Tokens that one request and its answer may hold together. Absent: unknown, so `contextLimit` cannot be measured. */
  readonly contextWindow?: number;
  /** Absent: unknown, so `maxCostUsd` cannot be measured. */
  readonly price?: Price;
  /** What the model takes in one request. Absent: unknown, so nothing is refused. */
  readonly imageLimits?: ImageLimits;
  stream(request: ModelRequest): Observable<Delta>;
}

/** `count` of images in one request, and `bytes` of each one given as data, decoded. */
export interface ImageLimits {
  readonly count?: number;
  readonly bytes?: number;
}

/**
 * How a model is to answer, in the field's own terms. An adapter whose wire lacks one of them says so: by a `warning`
 * (the loop shows it as `status`), or, if it was made with `strictOptions`, by refusing the call.
 */
export interface ModelOptions {
  /** 0 to 2 on most wires; higher is more random. */
  readonly temperature?: number;
  /** Nucleus sampling, 0 to 1. */
  readonly topP?: number;
  /** Bound on the tokens of one answer, reasoning included. */
  readonly maxTokens?: number;
  /** Texts at which the answer ends. */
  readonly stop?: readonly string[];
  /** The same seed and request give the same answer, as far as the provider can. */
  readonly seed?: number;
  /** Whether one turn may hold several calls. Default: the provider's. */
  readonly parallelCalls?: boolean;
  /** How much the model thinks first: a word, or a budget in tokens. */
  readonly reasoning?: { readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' } | { readonly budgetTokens: number };
  /** `json`: any JSON object. */
  readonly responseFormat?: 'text' | 'json';
  /** Marks the stable start of the request (tools, system, history) as worth keeping in the provider's cache. */
  readonly cache?: boolean;
  /** The provider's own name of a tier, such as `flex`. */
  readonly serviceTier?: string;
}

/** What one model call is asked. Read-only; `messages` is copied from the run's transcript only when it is read. */
export interface ModelRequest {
  readonly system: string | undefined;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  readonly options: ModelOptions;
  /** What the answer must fit, where the provider itself is to hold the model to it. */
  readonly output?: OutputSpec | undefined;
  /** Asked before each read, where a reader paces the run. */
  readonly demand: Demand | undefined;
  /** The run's scheduler: a model that waits, waits on it. */
  readonly scheduler: SchedulerLike;
  /** The run's id port: an adapter whose wire has no ids takes them from here. */
  readonly ids: Ids;
}

/** The shape of an answer: a JSON Schema (draft 2020-12) of an object, and its name. */
export interface OutputSpec {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** `auto`: the model decides. `none`: it must not call. `required`: it must call some tool. `{ tool }`: that one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** A tool as a model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (draft 2020-12) of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}
