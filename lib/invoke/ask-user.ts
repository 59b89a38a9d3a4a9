import { catchError, defer, map, of, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { ApprovalAnswer } from '../approval.ts';
import type { LoopEvent } from '../event.ts';
import type { CallRecord } from './call-record.ts';
import type { Clearing } from './clear-call.ts';
import { ask, openRequest, requestEvent } from './desk.ts';
import type { Desk } from './desk.ts';
import type { Question } from './tool-context.ts';

/** What a body hears. */
type Told = Exclude<ApprovalAnswer, { readonly type: 'suspend' }>;

/**
 * What a running body is asked through: a request of kind `input`. Nobody can answer it later, because the body waits, so
 * `suspend` is a decline, and so is a port that fails.
 *
 * @internal
 */
export function askUser(desk: Desk, record: CallRecord, context: Clearing) {
  return (question: Question, say: (event: LoopEvent) => void): Observable<ApprovalAnswer> =>
    defer(() => {
      const { runId, step } = context;
      const request = openRequest(desk, record, { runId, step }, { ...question, kind: 'input' });
      say(requestEvent(request));
      const declined = (reason: string): Told => ({ type: 'decline', reason });
      return ask(desk, request).pipe(
        catchError(() => of(declined('Nobody could be asked.'))),
        map((said): Told => (said.type === 'suspend' ? declined('Nobody is there to answer.') : said)),
        tap((answer) => {
          say({ type: 'approval-answer', runId, step, callId: request.callId, id: request.id, kind: request.kind, answer });
          if (answer.type === 'stop') context.stopRun?.(record, answer.reason);
        }),
      );
    });
}
