import { concat, isObservable, map, merge, NEVER, of, take, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer } from '../answer.ts';
import type { LoopEvent } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import type { ToolResult } from '../message.ts';
import { usageAt } from '../nesting.ts';
import type { CallContext } from './call-context.ts';
import type { CallRecord, Settled } from './call-record.ts';
import { failedResult, resultEvent } from './call-result.ts';
import { fault } from './fault.ts';
import { graceOver } from './grace-over.ts';

/** The call waits for an answer that nobody gives now: nothing follows but a stop. */
export const PARKED = { type: 'parked' } as const;

export type CallSaid = LoopEvent | typeof PARKED;

/** What becomes of a call that has settled: its last events, or none. */
export type Finish = (settled: Settled) => CallSaid | Observable<CallSaid>;

export const STOPPED = /* @__PURE__ */ fault('cancelled', 'Not executed: the run was stopped.');
const UNSEEN = /* @__PURE__ */ fault('cancelled', 'The run was stopped while a hook looked at the result. The tool has done its work.');

/**
 * Hooks on the result, the checkpoint, then the last events of the call.
 *
 * Contract:
 * - leaves: the hook or the checkpoint that is awaited; a stop gives either of them the grace of a body.
 * - fails: where a hook or the checkpoint fails.
 *
 * @internal
 */
export function finishCall(record: CallRecord, settled: Settled, context: CallContext): CallSaid | Observable<CallSaid> {
  const { after } = context;
  const isOwn = (record.settled === undefined || settled.unseen === true) && (settled.ran || settled.answered === true);
  const result = after !== undefined && isOwn ? after(record, settled.call, settled.result) : settled.result;
  const keep = (seen: ToolResult): CallSaid | Observable<CallSaid> => {
    const wasSettled = record.settled !== undefined;
    const { unseen, ...known } = settled;
    record.settled = { ...known, result: seen };
    // Nothing of it is open any more.
    record.request = undefined;
    record.nested = undefined;
    const said$ = release(record.settled, context);
    return wasSettled || context.settled === undefined ? said$ : concat(context.settled().pipe(takeUntil(graceOver(context))), answer<CallSaid>(said$));
  };
  return isObservable(result) ? inTime(result, settled, context).pipe(inOrder(keep)) : keep(result);
}

/** A call that waits for nobody; a stop settles it all the same. */
export function parkedCall(record: CallRecord, context: CallContext, finish: Finish): CallSaid | Observable<CallSaid> {
  const { stop$ = NEVER, isStopped, errorText } = context;
  const settle = (): CallSaid | Observable<CallSaid> => {
    abandonNested(record, context);
    return finish({ call: record.effective, result: failedResult(record.effective, STOPPED, errorText), elapsedMs: 0, ran: record.startedAt !== undefined });
  };
  return isStopped() ? settle() : concat(of(PARKED), stop$.pipe(take(1), inOrder(settle)));
}

/** The run inside a call does not go on: what it has used counts all the same. */
export function abandonNested(record: CallRecord, { around }: Pick<CallContext, 'around'>): void {
  const used = record.nested && usageAt(record.nested);
  record.nested = undefined;
  if (used !== undefined) around?.count(used);
}

/** Told to stop, a run gives its hooks the time that it gives a body; what they might have hidden is then not shown. */
function inTime(result$: Observable<ToolResult>, { call: effective }: Settled, context: CallContext): Observable<ToolResult> {
  const late$ = graceOver(context).pipe(map(() => failedResult(effective, UNSEEN, context.errorText)));
  return merge(result$, late$).pipe(take(1));
}

function release({ call: effective, result, elapsedMs, ran }: Settled, context: CallContext): CallSaid | Observable<CallSaid> {
  const { runId, step } = context;
  const event = resultEvent(effective, context, elapsedMs, result);
  return ran ? of<CallSaid[]>({ type: 'tool-commit', runId, step, callId: effective.id, call: effective }, event) : event;
}
