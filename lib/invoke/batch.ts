import { concat, defer, endWith, forkJoin, from, map, merge, Observable, takeWhile, tap } from 'rxjs';
import type { MonoTypeOperatorFunction, Subscriber } from 'rxjs';
import type { LoopEvent } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import type { ToolCall, ToolFault } from '../message.ts';
import type { Policy } from '../policy.ts';
import { relay } from '../relay.ts';
import type { Schedule } from '../schedule.ts';
import { call } from './call.ts';
import type { CallContext } from './call-context.ts';
import { CallRecord } from './call-record.ts';
import { failedResult, resultEvent } from './call-result.ts';
import { put } from './clear-call.ts';
import { concurrently } from './concurrently.ts';
import type { Desk } from './desk.ts';
import { fault } from './fault.ts';
import { PARKED } from './finish-call.ts';
import type { CallSaid } from './finish-call.ts';
import { grouped, neededBy } from './group.ts';
import type { Group } from './group.ts';
import { prepareCall } from './prepare-call.ts';
import { releaseInOrder } from './release.ts';
import type { Indexed } from './release.ts';
import { SUSPENDED, whenSettled } from './suspended.ts';
import type { BatchEvent } from './suspended.ts';

/** What a batch needs to know of its run. */
export interface BatchContext extends Omit<CallContext, 'errorText' | 'signal$'> {
  readonly policy: Pick<Policy, 'toolErrorText'> & Partial<Pick<Policy, 'toolCommit' | 'onStop'>>;
  readonly schedule: Schedule;
  /** Emits when the run is stopped from outside, not by a hook. Default: `stop$`. */
  readonly hard$?: Observable<unknown> | undefined;
  /** How far each call has come already. Default: not begun. */
  readonly records?: readonly CallRecord[] | undefined;
  /** The `tool-call` events have been said. */
  readonly announced?: boolean | undefined;
}

/**
 * Runs a step's calls: first every `tool-call`, then what has to be asked beforehand, then the groups of the schedule one
 * after another. What happens while a call runs is shown at once; results come in call order.
 *
 * ```marbles
 * first      -----1|
 * second           -----2|
 * batch()    (cds)-(e1t)-(f2|)
 * ```
 *
 * (`c` `d` tool-call; `s` `t` tool-start; `e` `f` tool-commit; `1` `2` tool-result.)
 *
 * Contract:
 * - leaves: the calls that run, and the answers that are awaited; no further call starts.
 * - fails: where a hook or an answer fails, see {@link call}; a `ConfigError` for a schedule that does not hold every call
 *   once.
 *
 * @param notRun - why none of the calls runs: each that has not run yet gets an error result that says so
 * @internal
 */
export function batch(calls: readonly ToolCall[], context: BatchContext, notRun?: string): Observable<BatchEvent> {
  const { runId, step, policy, records = calls.map((one, at) => new CallRecord(one, at)), announced = false } = context;
  const inner = callContext(context);
  const announcements = announced ? [] : calls.map((one): LoopEvent => ({ type: 'tool-call', runId, step, callId: one.id, call: one }));
  const open = records.filter(({ released }) => !released);
  if (notRun !== undefined) {
    const why = fault('cancelled', notRun);
    for (const record of open) if (record.running === undefined) record.verdict ??= failedResult(record.call, why, inner.errorText);
  }
  const asks = notRun === undefined && (open.some(({ request }) => request !== undefined) || open.some(({ call: { name } }) => isAsked(context, name)));
  // What never ran has nothing to commit.
  const together = policy.toolCommit === 'batch' && notRun === undefined;
  const groups = notRun === undefined ? grouped(calls, records, context.schedule, context.tools) : [{ records: open, bound: 1 }];
  const run$ = defer(() => run(groups, open, inner, context, together)).pipe(tap((event) => mark(event, records)));
  if (!asks) return concat(from(announcements), run$);

  const asked$ = from(open).pipe(inOrder((record) => prepareCall(record, inner)));
  // Somebody who is told of a request may stop the run: then nobody is asked.
  const isOpen = ({ request, answer, settled }: CallRecord): boolean => request !== undefined && !answer.isSet && settled === undefined && !context.isStopped();
  const answers$ = defer(() => merge(...open.filter(isOpen).map((record) => put(record, context.desk as Desk, context.stopRun))));
  const END = {} as BatchEvent;
  const work$ = merge<BatchEvent[]>(answers$, run$.pipe(endWith(END))).pipe(takeWhile((event) => event !== END));
  return concat(from(announcements), asked$, work$);
}

/** What a policy decides about each call. */
export function callContext(context: BatchContext): CallContext {
  const { policy, stop$, hard$ = stop$ } = context;
  return { ...context, grace: {}, errorText: errorTexts[policy.toolErrorText], signal$: policy.onStop === 'drain' ? hard$ : stop$ };
}

function run(groups: readonly Group[], open: readonly CallRecord[], inner: CallContext, context: BatchContext, together: boolean): Observable<BatchEvent> {
  const start = (record: CallRecord, given: CallContext): CallSaid | Observable<CallSaid> => {
    const needed = neededBy(record, context.records ?? open);
    if (needed !== undefined) {
      record.request = undefined; // whatever the answer, it does not run
      record.verdict ??= failedResult(record.call, fault('cancelled', `Not executed: it needs the call "${needed.id}" of tool "${needed.name}", which failed.`), inner.errorText);
    }
    return call(record.call, given, record);
  };
  const inCallOrder = groups.flatMap(({ records }) => records).every((record, at) => record === open[at]);
  if (!together && inCallOrder && groups.every(({ bound, records }) => bound <= 1 || records.length <= 1)) {
    return from(open).pipe(
      inOrder((record) => start(record, inner)),
      inOrder((said): BatchEvent | Observable<BatchEvent> => (said.type === PARKED.type ? whenSettled(open, inner) : said)),
      takeWhile((event) => event !== SUSPENDED, true),
    );
  }
  // A call is dropped after its result, and its result may have to wait for those before it.
  const late = new Map<string, Subscriber<void>>();
  const holding: CallContext = {
    ...inner,
    later: (callId, dropped$) => {
      const answered$ = new Observable<void>((subscriber) => void late.set(callId, subscriber));
      context.later(callId, forkJoin([answered$, dropped$]).pipe(map(([, dropped]) => dropped)));
    },
  };
  const drop = (event: BatchEvent): void => {
    const waiting = event.type === 'tool-result' ? late.get(event.callId) : undefined;
    waiting?.next();
    waiting?.complete();
  };
  const placed = (event: BatchEvent, record: CallRecord): Indexed<BatchEvent> => ({
    index: open.indexOf(record),
    event,
    held: isHeld(event),
    last: event.type === 'tool-result',
  });
  return from(groups).pipe(
    inOrder((group) => concurrently(group, (record) => start(record, holding), placed, () => whenSettled(open, inner))),
    releaseInOrder<BatchEvent>(together ? { count: open.length, cut: () => (context.isStopped() ? open.map((record) => cut(record, inner)) : undefined) } : undefined),
    takeWhile((event) => event !== SUSPENDED, true),
    after(drop),
  );
}

function isAsked({ tools, desk }: BatchContext, name: string): boolean {
  const tool = tools.get(name);
  return desk !== undefined && tool !== undefined && (tool.runsOn !== undefined || (tool.needsApproval !== undefined && tool.needsApproval !== false));
}

/** What has been said is not said again by a resumed run. */
function mark(event: BatchEvent, records: readonly CallRecord[]): void {
  if (event.type !== 'tool-result' || event.parent !== undefined) return;
  const record = records.find(({ call: { id } }) => id === event.callId);
  if (record !== undefined) record.released = true;
}

function isHeld(event: BatchEvent): boolean {
  return (event.type === 'tool-commit' || event.type === 'tool-result') && event.parent === undefined;
}

function cut(record: CallRecord, context: CallContext): LoopEvent {
  const why = fault('cancelled', 'Not committed: the run was stopped before every call of the step had ended. The tool may have done its work.');
  return resultEvent(record.call, context, record.settled?.elapsedMs ?? 0, failedResult(record.call, why, context.errorText));
}

/** Acts when an event has been said, not before, as `tap` would. */
function after<T>(act: (value: T) => void): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable((subscriber) => {
      relay(source, subscriber, {
        next(value) {
          subscriber.next(value);
          act(value);
        },
        complete: () => subscriber.complete(),
      });
    });
}

/** Whether calls may start before the step's end: their results could not be taken back with the batch, or with the turn. */
export function mayBeEager({ toolCommit, invalidScope }: Policy): boolean {
  return toolCommit === 'each' && invalidScope === 'call';
}

const errorTexts: Record<Policy['toolErrorText'], (fault: ToolFault) => string> = {
  whole: ({ message }) => message,
  redacted: ({ kind, retryable }) => `The tool failed (${kind}).${retryable ? ' Trying again may help.' : ''}`,
};
