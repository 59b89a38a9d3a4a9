import { EMPTY, isObservable, of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { ApprovalRequestEvent } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import type { CallContext } from './call-context.ts';
import type { CallRecord } from './call-record.ts';
import { needsAnswer } from './clear-call.ts';
import { openRequest, requestEvent } from './desk.ts';
import { orStopped } from './or-stopped.ts';
import { validate } from './validate.ts';

/** The request about a call that is known before its turn. One whose arguments do not fit is refused at its turn. */
export function prepareCall(record: CallRecord, context: CallContext): ApprovalRequestEvent | Observable<ApprovalRequestEvent> {
  const tool = context.tools.get(record.call.name);
  const { desk } = context;
  const isOpen = record.request !== undefined || record.settled !== undefined || record.approved || record.verdict !== undefined || record.running !== undefined;
  if (isOpen || tool === undefined || desk === undefined || context.isStopped()) return EMPTY;
  const ask = (args: unknown): Observable<ApprovalRequestEvent> => {
    const kind = needsAnswer(tool, args);
    if (kind === undefined) return EMPTY;
    record.request = openRequest(desk, record, { runId: context.runId, step: context.step }, { kind, schema: tool.parameters });
    return of(requestEvent(record.request));
  };
  const said = validate(tool, record.effective);
  if (!isObservable(said)) return said.ok ? ask(said.args) : EMPTY;
  return orStopped(said, context.stop$).pipe(inOrder((one) => ('ok' in one && one.ok ? ask(one.args) : EMPTY)));
}
