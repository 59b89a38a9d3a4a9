import { isObservable, takeWhile } from 'rxjs';
import type { Observable } from 'rxjs';
import { inOrder } from '../fold/in-order.ts';
import type { ToolCall, ToolFault, ToolResult } from '../message.ts';
import type { CallContext } from './call-context.ts';
import { CallRecord } from './call-record.ts';
import { failedResult } from './call-result.ts';
import { clearCall } from './clear-call.ts';
import type { Clearance } from './clear-call.ts';
import { fault } from './fault.ts';
import { abandonNested, finishCall, parkedCall, STOPPED } from './finish-call.ts';
import type { CallSaid, Finish } from './finish-call.ts';
import { orStopped } from './or-stopped.ts';
import type { Stopped } from './or-stopped.ts';
import { runCall } from './run-call.ts';
import { unknownToolText } from './unknown-tool.ts';
import { validate } from './validate.ts';
import type { Checked } from './validate.ts';

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
 * - leaves: the body, see {@link runCall}.
 * - fails: only where a hook or an answer fails. An unknown tool, refused arguments and a failing body are results with
 *   `isError`; only a body that really ran has a `tool-start` and a `tool-commit`.
 *
 * @internal
 */
export function call(call: ToolCall, context: CallContext, record = new CallRecord(call)): CallSaid | Observable<CallSaid> {
  return work(record, context, (settled) => finishCall(record, settled, context));
}

/**
 * The same, with what becomes of the settled call given.
 *
 * @internal
 */
export function work(record: CallRecord, context: CallContext, finish: Finish, isEager = false): CallSaid | Observable<CallSaid> {
  const { call: asked, settled, running, verdict } = record;
  const without = (result: ToolResult): CallSaid | Observable<CallSaid> => {
    abandonNested(record, context);
    return finish({ call: record.effective, result, elapsedMs: 0, ran: false });
  };
  const refuse = (why: ToolFault): CallSaid | Observable<CallSaid> => without(failedResult(asked, why, context.errorText));
  if (settled !== undefined) return finish(settled);
  if (running !== undefined) return running.value$.pipe(inOrder(finish));
  if (verdict !== undefined) return without({ callId: asked.id, name: asked.name, ...verdict });
  if (context.isStopped()) return refuse(STOPPED);
  const tool = context.tools.get(asked.name);
  if (tool === undefined) return refuse(fault('not-found', unknownToolText(asked.name, [...context.tools.keys()])));

  const act = (said: Clearance): CallSaid | Observable<CallSaid> => {
    switch (said.type) {
      case 'go':
        return runCall(tool, said.args, record, context, finish, isEager);
      case 'result':
        return finish({ call: record.effective, result: said.result, elapsedMs: 0, ran: false, ...(said.isAnswer && { answered: true }) });
      case 'stopped':
        return refuse(STOPPED);
      case 'parked':
        return parkedCall(record, context, finish);
      default:
        return said;
    }
  };
  const isHeldBack = context.before !== undefined || record.request !== undefined || tool.needsApproval !== undefined || tool.runsOn !== undefined;
  if (isHeldBack && record.nested === undefined) {
    return clearCall(record, tool, context).pipe(takeWhile((said) => said.type.startsWith('approval-'), true), inOrder(act));
  }
  // A call that needs no clearing costs no Observable.
  const judge = (said: Checked | Stopped): CallSaid | Observable<CallSaid> => {
    if ('type' in said) return refuse(STOPPED);
    return said.ok ? act({ type: 'go', args: said.args }) : refuse(fault('invalid-input', said.reason));
  };
  const checked = validate(tool, record.effective);
  return isObservable(checked) ? orStopped(checked, context.stop$).pipe(inOrder(judge)) : judge(checked);
}
