import { catchError, EMPTY, map, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer } from '../answer.ts';
import type { ToolDropped } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import type { ToolResult } from '../message.ts';
import type { Tool } from '../tool.ts';
import { askUser } from './ask-user.ts';
import type { CallContext } from './call-context.ts';
import type { CallRecord } from './call-record.ts';
import { failedResult, outputResult, titleOf } from './call-result.ts';
import { fault, faultOf } from './fault.ts';
import { parkedCall, STOPPED } from './finish-call.ts';
import type { CallSaid, Finish } from './finish-call.ts';
import { retryBody } from './retry-body.ts';
import type { Said } from './run-body.ts';

/**
 * The body of a call that nothing holds back any more, as events, and what it came to.
 *
 * Contract:
 * - starts: the body runs on subscribing, once, unless the run was stopped or may start no more.
 * - leaves: the body, see {@link retryBody}.
 * - fails: as `finish` does.
 *
 * @param isEager - the model is still speaking
 * @internal
 */
export function runCall(tool: Tool, args: unknown, record: CallRecord, context: CallContext, finish: Finish, isEager: boolean): CallSaid | Observable<CallSaid> {
  const { runId, step, scheduler, stop$, signal$ = stop$, isStopped, graceMs, scratch, errorText, around } = context;
  const effective = record.effective;
  const end = (result: ToolResult, elapsedMs = 0, ran = false): CallSaid | Observable<CallSaid> => {
    if (ran) record.nested = undefined; // its run inside is over, and has been counted
    return finish({ call: effective, result, elapsedMs, ran });
  };
  // Again: the arguments may have been checked for a while.
  if (isStopped()) return end(failedResult(effective, STOPPED, errorText));
  const checkpoint = record.nested;
  const refused = checkpoint === undefined ? context.mayNotStart() : undefined;
  if (refused !== undefined) return end(failedResult(effective, fault('other', refused), errorText));
  record.begun = true;
  const callId = effective.id;
  let startedAt = record.startedAt ?? 0;
  const elapsed = (): number => scheduler.now() - startedAt;

  const say = (said: Said): CallSaid | Observable<CallSaid> => {
    switch (said.type) {
      case 'start': {
        if (checkpoint !== undefined) return EMPTY; // it started before the run was suspended
        startedAt = scheduler.now();
        const title = titleOf(tool, args);
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
        return parkedCall(record, context, finish);
      case 'failed':
        return end(failedResult(effective, faultOf(said.error), errorText), elapsed(), true);
      case 'output':
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
