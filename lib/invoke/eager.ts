import { EMPTY, isObservable, merge, of, takeUntil, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { LoopEvent, ToolDropped } from '../event.ts';
import { Latch } from '../latch.ts';
import type { ToolCall } from '../message.ts';
import { CallRecord } from './call-record.ts';
import type { Settled } from './call-record.ts';
import { work } from './call.ts';
import type { CallContext } from './call-context.ts';
import { failedResult } from './call-result.ts';
import type { CallSaid } from './finish-call.ts';
import { STOPPED } from './finish-call.ts';

/**
 * Calls of one attempt that run while the model is still speaking. What happens while they run is shown at once; what they
 * came to waits in their records for the batch.
 *
 * @internal
 */
export class EagerCalls {
  /** By call id. */
  readonly records = new Map<string, CallRecord>();
  private readonly started = new Map<string, number>();
  private readonly stopped = new Latch<void>();
  private readonly left = new Latch<void>();
  private readonly context: CallContext;
  private readonly show: (events$: Observable<LoopEvent>) => void;

  /** @param show - takes what the bodies say, for as long as the run lasts */
  constructor(context: CallContext, show: (events$: Observable<LoopEvent>) => void) {
    const { stop$ = EMPTY, signal$ = stop$ } = context;
    this.context = { ...context, signal$: merge(signal$, this.stopped.value$) };
    this.show = show;
  }

  /** Starts a complete call, if its tool may start early. */
  start(call: ToolCall): void {
    const tool = this.context.tools.get(call.name);
    if (tool?.eager !== true || tool.runsOn !== undefined || (tool.needsApproval ?? false) !== false) return;
    const record = new CallRecord(call);
    const settled = new Latch<Settled>();
    const said = work(record, this.context, (came) => {
      settled.set(came);
      return EMPTY;
    }, true);
    record.running = settled;
    this.records.set(call.id, record);
    const said$: Observable<CallSaid> = isObservable(said) ? said : of(said);
    const events$ = said$.pipe(tap((event) => this.note(event)), takeUntil(this.left.value$));
    this.show(events$ as Observable<LoopEvent>); // nothing that starts early can be parked
  }

  /** Tells those that run to stop, as the end of a run does. */
  stop(): void {
    this.stopped.set();
    // A body that is still checking its arguments hears no signal; it has not begun, and will not.
    for (const [id, record] of this.records) {
      if (this.started.has(id) || record.running?.isSet === true) continue;
      const { call } = record;
      record.running?.set({ call, result: failedResult(call, STOPPED, this.context.errorText), elapsedMs: 0, ran: false });
    }
  }

  /** Leaves them all: the attempt is withdrawn. */
  drop(): readonly ToolDropped[] {
    this.left.set();
    const { runId, step, scheduler } = this.context;
    return [...this.started].map(([callId, startedAt]): ToolDropped => {
      const settled = this.records.get(callId)?.running?.value;
      const came = settled === undefined ? { elapsedMs: scheduler.now() - startedAt } : { elapsedMs: settled.elapsedMs, isError: settled.result.isError };
      return { type: 'tool-dropped', runId, step, callId, ...came, reason: 'retracted' };
    });
  }

  private note(event: CallSaid): void {
    if (event.type === 'tool-start') this.started.set(event.callId, event.startedAt);
  }
}
