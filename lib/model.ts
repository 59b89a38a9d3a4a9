/** The one seam between the loop and everything that can answer a prompt. */
import type { Observable, SchedulerLike } from 'rxjs';
import type { Delta } from './delta.ts';
import type { Ids } from './ids.ts';
import type { Message } from './message.ts';

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
  stream(request: ModelRequest): Observable<Delta>;
}

/** What one model call is asked. Read-only; `messages` is copied from the run's transcript only when it is read. */
export interface ModelRequest {
  readonly system: string | undefined;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  /** The run's scheduler: a model that waits, waits on it. */
  readonly scheduler: SchedulerLike;
  /** The run's id port: an adapter whose wire has no ids takes them from here. */
  readonly ids: Ids;
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
