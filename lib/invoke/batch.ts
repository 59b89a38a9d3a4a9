import { from } from 'rxjs';
import type { Observable } from 'rxjs';
import type { ToolCallEvent } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import type { ToolCall, ToolFault } from '../message.ts';
import type { Policy } from '../policy.ts';
import { call, failed } from './call.ts';
import type { CallContext, CallEvent } from './call.ts';
import { fault } from './fault.ts';

export type BatchEvent = ToolCallEvent | CallEvent;

/** What a batch needs to know of its run. */
export interface BatchContext extends Omit<CallContext, 'errorText'> {
  readonly policy: Pick<Policy, 'toolErrorText'>;
}

/**
 * Runs a step's calls one after another: first every `tool-call`, then each call's own events, results in call order.
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
 * - leaves: the call that runs; no further one starts.
 * - fails: never, see {@link call}.
 *
 * @param notRun - why none of the calls runs: each gets an error result that says so
 * @internal
 */
export function batch(calls: readonly ToolCall[], context: BatchContext, notRun?: string): Observable<BatchEvent> {
  const { runId, step } = context;
  const inner: CallContext = { ...context, errorText: errorTexts[context.policy.toolErrorText] };
  const announced = calls.map((one): ToolCallEvent => ({ type: 'tool-call', runId, step, callId: one.id, call: one }));
  return from<(ToolCallEvent | ToolCall)[]>([...announced, ...calls]).pipe(
    inOrder((one): BatchEvent | Observable<BatchEvent> => {
      if ('type' in one) return one;
      return notRun === undefined ? call(one, inner) : failed(one, inner, fault('cancelled', notRun));
    }),
  );
}

const errorTexts: Record<Policy['toolErrorText'], (fault: ToolFault) => string> = {
  whole: ({ message }) => message,
  redacted: ({ kind, retryable }) => `The tool failed (${kind}).${retryable ? ' Trying again may help.' : ''}`,
};
