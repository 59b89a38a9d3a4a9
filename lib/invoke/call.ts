import { catchError, concat, delay, EMPTY, identity, isObservable, map, merge, NEVER, of, take, takeWhile } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import { answer } from '../answer.ts';
import { isLoopError } from '../errors.ts';
import type { LoopEvent, ToolDropped, ToolResultEvent } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import type { ToolCall, ToolFault, ToolResult } from '../message.ts';
import type { Surroundings } from '../nesting.ts';
import type { Tool } from '../tool.ts';
import { askUser } from './ask-user.ts';
import { CallRecord } from './call-record.ts';
import type { Settled } from './call-record.ts';
import { failedResult, outputResult, resultEvent, titleOf } from './call-result.ts';
import { clearCall } from './clear-call.ts';
import type { Clearance, Clearing } from './clear-call.ts';
import { fault, faultOf } from './fault.ts';
import { unknownToolText } from './unknown-tool.ts';
import { retryBody } from './retry-body.ts';
import type { Said } from './run-body.ts';
import { validate } from './validate.ts';
import type { Checked } from './validate.ts';

const STOPPED = fault('cancelled', 'Not executed: the run was stopped.');
const UNSEEN = fault('cancelled', 'The run was stopped while a hook looked at the result. The tool has done its work.');

/** The call waits for an answer that nobody gives now: nothing follows but a stop. */
export const PARKED = { type: 'parked' } as const;

export type CallSaid = LoopEvent | typeof PARKED;

/** What every call of a step shares. */
export interface CallContext extends Clearing {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly scheduler: SchedulerLike;
  /** Shared by all hooks and tools of the run. */
  readonly scratch?: Map<unknown, unknown> | undefined;
  readonly graceMs: number;
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

/** What becomes of a call that has settled: its last events, or none. */
export type Finish = (settled: Settled) => CallSaid | Observable<CallSaid>;

/**
 * One call: find the tool, clear it, run the body, and say what came of it.
 *
 * ```marbles
 * body     --1|
 * call()   s--(cr|)
 * ```
 *
 * (`s` tool-start, `c` tool-commit, `r` tool-result.)
 *
 * Contract:
 * - starts: the arguments are checked when it is called, the body runs on subscribing, once.
 * - leaves: the body, see {@link retryBody}.
 * - fails: only where a hook or an answer fails. An unknown tool, refused arguments and a failing body are results with
 *   `isError`; only a body that really ran has a `tool-start` and a `tool-commit`.
 *
 * @internal
 */
export function call(call: ToolCall, context: CallContext, record = new CallRecord(call)): CallSaid | Observable<CallSaid> {
  return work(record, context, (settled) => finish(record, settled, context));
}

/**
 * The same, with what becomes of the settled call given.
 *
 * @internal
 */
export function work(record: CallRecord, context: CallContext, finish: Finish, isEager = false): CallSaid | Observable<CallSaid> {
  const { call: asked, settled, running, verdict } = record;
  const without = (result: ToolResult): CallSaid | Observable<CallSaid> => finish({ call: record.effective, result, elapsedMs: 0, ran: false });
  const refuse = (why: ToolFault): CallSaid | Observable<CallSaid> => without(failedResult(record.call, why, context.errorText));
  if (settled !== undefined) return finish(settled);
  if (running !== undefined) return running.value$.pipe(inOrder(finish));
  if (verdict !== undefined) return without({ callId: asked.id, name: asked.name, ...verdict });
  if (context.isStopped()) return refuse(STOPPED);
  const tool = context.tools.get(asked.name);
  if (tool === undefined) return refuse(fault('not-found', unknownToolText(asked.name, [...context.tools.keys()])));

  const go = (args: unknown): CallSaid | Observable<CallSaid> => run(tool, args, record, context, finish, isEager);
  // A schema that throws is the tool's fault, not the model's; the model is still the only one who can go on.
  const broken = (error: unknown): CallSaid | Observable<CallSaid> => {
    if (isLoopError(error) && (error.code === 'hook' || error.code === 'approval')) throw error;
    return refuse(fault('invalid-input', `The schema of tool "${tool.name}" failed: ${faultOf(error).message}`));
  };
  const act = (said: Clearance): CallSaid | Observable<CallSaid> => {
    switch (said.type) {
      case 'go':
        return go(said.args);
      case 'result':
        return finish({ call: record.effective, result: said.result, elapsedMs: 0, ran: false, ...(said.isAnswer && { answered: true }) });
      case 'stopped':
        return refuse(STOPPED);
      case 'parked':
        return parked(record, context, finish);
      default:
        return said;
    }
  };
  try {
    // A call that needs no clearing costs no Observable.
    if (record.nested === undefined && (context.before !== undefined || record.request !== undefined || tool.needsApproval !== undefined || tool.runsOn !== undefined)) {
      const cleared$ = clearCall(record, tool, context).pipe(takeWhile((said) => said.type.startsWith('approval-'), true));
      return cleared$.pipe(inOrder(act), catchError((error: unknown) => asObservable(broken(error))));
    }
    const checked = validate(tool, record.effective);
    const judge = (said: Checked): CallSaid | Observable<CallSaid> => (said.ok ? go(said.args) : refuse(fault('invalid-input', said.reason)));
    if (!isObservable(checked)) return judge(checked);
    return checked.pipe(catchError((error: unknown) => of(error as Checked)), inOrder((said) => ('ok' in said ? judge(said) : broken(said))));
  } catch (error) {
    return broken(error);
  }
}

function run(tool: Tool, args: unknown, record: CallRecord, context: CallContext, finish: Finish, isEager: boolean): CallSaid | Observable<CallSaid> {
  const { runId, step, scheduler, stop$, signal$ = stop$, isStopped, graceMs, scratch, errorText, around } = context;
  const effective = record.effective;
  const end = (result: ToolResult, elapsedMs = 0, ran = false): CallSaid | Observable<CallSaid> => finish({ call: effective, result, elapsedMs, ran });
  // Again: the arguments may have been checked for a while.
  if (isStopped()) return end(failedResult(effective, STOPPED, errorText));
  const checkpoint = record.nested;
  const refused = checkpoint === undefined ? context.mayNotStart() : undefined;
  if (refused !== undefined) return end(failedResult(effective, fault('other', refused), errorText));
  const callId = effective.id;
  let startedAt = record.startedAt ?? 0;
  const elapsed = (): number => scheduler.now() - startedAt;

  const say = (said: Said): CallSaid | Observable<CallSaid> => {
    switch (said.type) {
      case 'start': {
        if (checkpoint !== undefined) return EMPTY; // it started before the run was suspended
        startedAt = scheduler.now();
        const title = tool.title && titleOf(tool, args);
        const told = { ...(title !== undefined && { title }), ...(tool.kind !== undefined && { kind: tool.kind }), ...(isEager && { speculative: true as const }) };
        return { type: 'tool-start', runId, step, callId, call: effective, ...told, startedAt };
      }
      case 'progress':
        return { type: 'tool-progress', runId, step, callId, progress: said.progress };
      case 'host':
        return { ...said.said, runId };
      case 'event':
        return said.event;
      case 'suspended':
        record.nested = said.checkpoint;
        record.startedAt = startedAt;
        return parked(record, context, finish);
      case 'failed':
        record.nested = undefined;
        return end(failedResult(effective, faultOf(said.error), errorText), elapsed(), true);
      case 'output':
        record.nested = undefined;
        return end(outputResult(effective, tool, args, said.output.value, said.output.text, errorText), elapsed(), true);
    }
  };
  const late = (body: PromiseLike<unknown>): void => {
    const settled$ = answer(body).pipe(map(() => false), catchError(() => of(true)));
    context.later(
      callId,
      settled$.pipe(map((isError): ToolDropped => ({ type: 'tool-dropped', runId, step, callId, elapsedMs: elapsed(), isError, reason: 'late' }))),
    );
  };
  const ask = context.desk && askUser(context.desk, record, context);
  const limits = { scheduler, stop$: signal$, graceMs, isStopped, late, around, checkpoint, ...(ask && { ask }) };
  return retryBody(tool, args, { callId, runId, step, ...(scratch && { scratch }) }, limits).pipe(inOrder(say));
}

/** Waits for nobody; a stop settles it all the same. */
function parked(record: CallRecord, context: CallContext, finish: Finish): CallSaid | Observable<CallSaid> {
  const { stop$ = NEVER, isStopped, errorText } = context;
  const ran = record.startedAt !== undefined;
  const settled = (): Settled => ({ call: record.effective, result: failedResult(record.effective, STOPPED, errorText), elapsedMs: 0, ran });
  return isStopped() ? finish(settled()) : concat(of(PARKED), stop$.pipe(take(1), inOrder(() => finish(settled()))));
}

/** Hooks on the result, the checkpoint, then the last events of the call. */
function finish(record: CallRecord, settled: Settled, context: CallContext): CallSaid | Observable<CallSaid> {
  const { after } = context;
  const isOwn = (record.settled === undefined || settled.unseen === true) && (settled.ran || settled.answered === true);
  const result = after !== undefined && isOwn ? after(record, settled.call, settled.result) : settled.result;
  const keep = (seen: ToolResult): CallSaid | Observable<CallSaid> => {
    const wasSettled = record.settled !== undefined;
    const { unseen, ...known } = settled;
    record.settled = { ...known, result: seen };
    const said$ = release(record.settled, context);
    return wasSettled || context.settled === undefined ? said$ : concat(context.settled(), asObservable(said$));
  };
  return isObservable(result) ? inTime(result, settled, context).pipe(inOrder(keep)) : keep(result);
}

/** Told to stop, a run gives its hooks the time that it gives a body; what they might have hidden is then not shown. */
function inTime(result$: Observable<ToolResult>, { call: effective }: Settled, context: CallContext): Observable<ToolResult> {
  const { stop$ = NEVER, signal$ = stop$, graceMs, scheduler, errorText } = context;
  const late$ = signal$.pipe(take(1), graceMs === 0 ? identity : delay(graceMs, scheduler), map(() => failedResult(effective, UNSEEN, errorText)));
  return merge(result$, late$).pipe(take(1));
}

function release({ call: effective, result, elapsedMs, ran }: Settled, context: CallContext): CallSaid | Observable<CallSaid> {
  const { runId, step } = context;
  const event: ToolResultEvent = resultEvent(effective, context, elapsedMs, result);
  return ran ? of<CallSaid[]>({ type: 'tool-commit', runId, step, callId: effective.id, call: effective }, event) : event;
}

function asObservable<T>(value: T | Observable<T>): Observable<T> {
  return isObservable(value) ? value : of(value);
}
