import type { Observable, SchedulerLike } from 'rxjs';
import type { ToolDropped } from '../event.ts';
import type { ToolCall, ToolResult } from '../message.ts';
import type { Surroundings } from '../nesting.ts';
import type { Tool } from '../tool.ts';
import type { CallRecord } from './call-record.ts';
import type { Clearing } from './clear-call.ts';

/** What every call of a step shares. */
export interface CallContext extends Clearing {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly scheduler: SchedulerLike;
  /** Shared by all hooks and tools of the run. */
  readonly scratch?: Map<unknown, unknown> | undefined;
  readonly graceMs: number;
  /** Since when hooks are waited for after a stop, in the time of the scheduler: those of all calls share that one time. */
  readonly grace?: { since?: number };
  /** Emits when running bodies are told to stop. Default: `stop$`. */
  readonly signal$?: Observable<unknown> | undefined;
  /** Why no further body may start, or undefined; asked once for each body. */
  readonly mayNotStart: () => string | undefined;
  /** Takes the events of promises that settle after their call was answered. */
  readonly later: (callId: string, dropped$: Observable<ToolDropped>) => void;
  /** Asks the `afterTool` hooks for the result that the model sees. */
  readonly after?: ((record: CallRecord, call: ToolCall, result: ToolResult) => ToolResult | Observable<ToolResult>) | undefined;
  /** Writes a checkpoint; the result waits for it. */
  readonly settled?: (() => Observable<never>) | undefined;
  readonly around?: Surroundings | undefined;
}
