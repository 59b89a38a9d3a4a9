import { concat, defer, EMPTY, isObservable, merge, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer } from '../answer.ts';
import type { ApprovalAnswer } from '../approval.ts';
import { ApprovalError } from '../control-errors.ts';
import type { ApprovalAnswerEvent, ApprovalRequestEvent } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import type { ToolAnswer } from '../hooks.ts';
import { Latch } from '../latch.ts';
import type { ToolCall, ToolResult } from '../message.ts';
import type { Tool } from '../tool.ts';
import type { CallRecord } from './call-record.ts';
import { failedResult, partsOf } from './call-result.ts';
import type { ErrorText } from './call-result.ts';
import { answered, ask, openRequest, requestEvent, told } from './desk.ts';
import type { Desk } from './desk.ts';
import { fault } from './fault.ts';
import { orStopped } from './or-stopped.ts';
import type { Stopped } from './or-stopped.ts';
import { validate } from './validate.ts';
import type { Checked } from './validate.ts';

/** What the hooks before a call came to: the call, perhaps rewritten, and what becomes of it. */
export interface HookVerdict {
  readonly call: ToolCall;
  readonly answer: Exclude<ToolAnswer, { readonly type: 'rewrite' }>;
}

/** What may keep a call from running. */
export interface Clearing {
  readonly runId: string;
  readonly step: number;
  readonly errorText: ErrorText;
  readonly isStopped: () => boolean;
  readonly stop$?: Observable<unknown> | undefined;
  readonly desk?: Desk | undefined;
  /** Asks the `beforeTool` hooks. */
  readonly before?: ((call: ToolCall) => HookVerdict | Observable<HookVerdict>) | undefined;
  /** Tells the run to stop. */
  readonly stopRun?: ((record: CallRecord, reason: string | undefined) => void) | undefined;
}

/** The end of the clearing: the arguments to run with, the result that stands in place of a run, or nothing yet. */
export type Cleared =
  | { readonly type: 'go'; readonly args: unknown }
  | { readonly type: 'result'; readonly result: ToolResult; readonly isAnswer?: true }
  | Stopped
  | { readonly type: 'parked' };

export type Clearance = ApprovalRequestEvent | ApprovalAnswerEvent | Cleared;

/** Whether a call has to be asked about before it may run. */
export function needsAnswer(tool: Tool, args: unknown): 'approval' | 'result' | undefined {
  if (tool.runsOn === 'client') return 'result';
  const { needsApproval } = tool;
  if (typeof needsApproval !== 'function') return needsApproval === true ? 'approval' : undefined;
  try {
    return needsApproval(args as never) ? 'approval' : undefined;
  } catch {
    return 'approval'; // what cannot be decided is for a person
  }
}

/**
 * Everything between a call's turn and its body, in this order: the answer to its open request, its arguments, the hooks,
 * their request. Whatever was settled before (by a resumed run) is not asked again.
 *
 * Contract:
 * - leaves: a hook or an answer that is awaited. A stop ends the waiting.
 * - fails: with a `HookError` or an {@link ApprovalError}.
 * - order: events first, one {@link Cleared} last.
 *
 * @internal
 */
export function clearCall(record: CallRecord, tool: Tool, context: Clearing): Observable<Clearance> {
  return record.request === undefined ? checked(record, tool, context) : awaited(record, tool, context);
}

function checked(record: CallRecord, tool: Tool, context: Clearing): Observable<Clearance> {
  return fitting(record, tool, context, (args) => hooked(record, tool, args, context));
}

function hooked(record: CallRecord, tool: Tool, args: unknown, context: Clearing): Clearance | Observable<Clearance> {
  const { before } = context;
  if (before === undefined || record.cleared || tool.runsOn === 'client') return asked(record, tool, args, {}, context);
  const verdict = before(record.effective);
  if (!isObservable(verdict)) return decided(record, tool, args, verdict, context);
  return orStopped(verdict, context.stop$).pipe(inOrder((said) => ('type' in said ? said : decided(record, tool, args, said, context))));
}

function decided(record: CallRecord, tool: Tool, args: unknown, { call, answer }: HookVerdict, context: Clearing): Clearance | Observable<Clearance> {
  record.cleared = true;
  const rewritten = call !== record.effective;
  record.effective = call;
  switch (answer.type) {
    case 'skip':
      return { type: 'result', result: { callId: call.id, name: call.name, content: partsOf(answer.reason), isError: false } };
    case 'block':
      return refused(record, context, fault('refused', answer.reason));
    case 'stop':
      context.stopRun?.(record, answer.reason);
      return { type: 'stopped' };
    default: {
      // A person who approved other arguments has not approved these.
      const because = answer.type === 'ask' ? { hook: answer, again: rewritten } : {};
      if (!rewritten) return asked(record, tool, args, because, context);
      return fitting(record, tool, context, (checkedAgain) => asked(record, tool, checkedAgain, because, context));
    }
  }
}

interface Because {
  readonly hook?: { readonly reason?: string };
  /** An approval that was given does not count. */
  readonly again?: boolean;
}

/** The last question: of a hook, or of a tool whose arguments have only now come to need it. */
function asked(record: CallRecord, tool: Tool, args: unknown, { hook, again = false }: Because, context: Clearing): Clearance | Observable<Clearance> {
  const { desk } = context;
  const kind = hook === undefined ? needsAnswer(tool, args) : 'approval';
  if ((record.approved && !again) || kind === undefined || desk === undefined) return { type: 'go', args };
  const reason = hook?.reason;
  record.request = openRequest(desk, record, context, { kind, schema: tool.parameters, ...(reason !== undefined && { reason }) });
  return concat(of(requestEvent(record.request)), defer(() => merge(put(record, desk, context.stopRun), awaited(record, tool, context))));
}

/**
 * Asks whoever answers, and keeps the answer for the call; one that comes when the call is over says nothing. A stop holds
 * at once, whatever the call's turn is.
 */
export function put(record: CallRecord, desk: Desk, stopRun: Clearing['stopRun']): Observable<ApprovalAnswerEvent> {
  const { request, answer } = record;
  if (request === undefined) throw new Error('There is no request to put.');
  const isOver = (): boolean => record.request !== request || record.settled !== undefined;
  const take = (said: ApprovalAnswer): void => {
    if (said.type === 'stop') stopRun?.(record, said.reason);
    answer.set(said);
  };
  return ask(desk, request).pipe(inOrder((said) => (isOver() ? EMPTY : answered(request, said, take))));
}

function awaited(record: CallRecord, tool: Tool, context: Clearing): Observable<Clearance> {
  return orStopped(record.answer.value$, context.stop$).pipe(inOrder((said) => (said.type === 'stopped' ? said : acted(record, tool, said, context))));
}

function acted(record: CallRecord, tool: Tool, said: ApprovalAnswer, context: Clearing): Clearance | Observable<Clearance> {
  const { request } = record;
  if (said.type === 'suspend') return { type: 'parked' };
  // A client's result stays until the hooks have seen it: nobody could give it again.
  if (said.type !== 'result') {
    record.request = undefined;
    record.answer = new Latch();
  }
  switch (said.type) {
    case 'approve': {
      record.approved = true;
      if (said.arguments === undefined) return checked(record, tool, context);
      const { rawArguments, ...call } = record.effective;
      record.effective = { ...call, arguments: said.arguments };
      return fitting(record, tool, context, (args) => hooked(record, tool, args, context), (reason) => {
        throw new ApprovalError(request?.id ?? '', `The answer to ${request === undefined ? 'a request' : told(request)} has arguments that do not fit: ${reason}`);
      });
    }
    case 'result': {
      const { id, name } = record.call;
      const isError = said.isError ?? false;
      const content = partsOf(said.content);
      const error = isError ? { error: fault('other', 'The client says that the tool failed.') } : {};
      return { type: 'result', isAnswer: true, result: { callId: id, name, content, isError, ...error } };
    }
    case 'stop':
      return { type: 'stopped' };
    default:
      return refused(record, context, fault('refused', ('reason' in said && said.reason) || 'The call was declined.'));
  }
}

function refused(record: CallRecord, { errorText }: Clearing, why: ReturnType<typeof fault>): Cleared {
  return { type: 'result', result: failedResult(record.call, why, errorText) };
}

/** Checks the arguments as they are now; `misfit` says what becomes of those that the schema refuses. */
function fitting(
  record: CallRecord, tool: Tool, context: Clearing,
  then: (args: unknown) => Clearance | Observable<Clearance>,
  misfit = (reason: string): Clearance => refused(record, context, fault('invalid-input', reason)),
): Observable<Clearance> {
  const judge = (said: Checked | Stopped): Clearance | Observable<Clearance> => {
    if ('type' in said) return said;
    return said.ok ? then(said.args) : misfit(said.reason);
  };
  return orStopped(answer<Checked>(validate(tool, record.effective)), context.stop$).pipe(inOrder(judge));
}
