import { EMPTY, finalize, merge, takeUntil, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer } from '../answer.ts';
import type { LoopEvent, ToolDropped } from '../event.ts';
import { Latch } from '../latch.ts';
import type { ToolCall } from '../message.ts';
import type { Schedule } from '../schedule.ts';
import { CallRecord } from './call-record.ts';
import type { Settled } from './call-record.ts';
import { work } from './call.ts';
import type { CallContext } from './call-context.ts';
import { failedResult } from './call-result.ts';
import type { CallSaid } from './finish-call.ts';
import { STOPPED } from './finish-call.ts';

/** What early calls need to know of their run. */
export interface EagerContext extends CallContext {
  readonly schedule: Schedule;
}

/**
 * Calls of one attempt that run while the model is still speaking. What happens while they run is shown at once; what they
 * came to waits in their records for the batch. They are the first calls of the attempt, and of one group of the schedule,
 * because a call that has to wait for its turn must not find its place taken.
 *
 * @internal
 */
export class EagerCalls {
  /** By call id. */
  readonly records = new Map<string, CallRecord>();
  private readonly started = new Map<string, number>();
  private readonly stopped = new Latch<void>();
  private readonly left = new Latch<void>();
  private readonly context: EagerContext;
  private readonly show: (events$: Observable<LoopEvent>) => void;

  /** @param show - takes what the bodies say, for as long as the run lasts */
  constructor(context: EagerContext, show: (events$: Observable<LoopEvent>) => void) {
    const { stop$ = EMPTY, signal$ = stop$ } = context;
    this.context = { ...context, signal$: merge(signal$, this.stopped.value$) };
    this.show = show;
  }

  /**
   * Starts a complete call, if its tool may start early, every call before it has started, and the schedule lets them run
   * together.
   *
   * @param index - its place in the turn
   */
  start(call: ToolCall, index: number): void {
    const tool = this.context.tools.get(call.name);
    if (index !== this.records.size || !this.hasRoom(call)) return;
    if (tool?.eager !== true || tool.runsOn !== undefined || (tool.needsApproval ?? false) !== false) return;
    const record = new CallRecord(call);
    const settled = new Latch<Settled>();
    let came: Settled | undefined;
    const said = work(record, this.context, (one) => {
      came = one;
      return EMPTY;
    }, true);
    record.running = settled;
    this.records.set(call.id, record);
    const events$ = answer<CallSaid>(said).pipe(
      tap((event) => this.note(event)),
      takeUntil(this.left.value$),
      // Not before the body is torn down: the next one may be waiting for its place.
      finalize(() => came !== undefined && settled.set(came)),
    );
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

  private hasRoom(call: ToolCall): boolean {
    const { schedule, tools } = this.context;
    const records = [...this.records.values()];
    const calls = [...records.map((record) => record.call), call];
    const [first] = schedule(calls.map((one) => ({ call: one, tool: tools.get(one.name) })));
    const going = records.filter(({ running }) => running?.isSet !== true).length;
    return first?.calls.length === calls.length && going < Math.max(1, first.bound);
  }

  private note(event: CallSaid): void {
    if (event.type === 'tool-start') this.started.set(event.callId, event.startedAt);
  }
}
