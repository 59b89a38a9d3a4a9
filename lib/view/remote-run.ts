import { catchError, endWith, ignoreElements, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { ApprovalAnswer, UserMessage } from '../index.ts';
import { remoteErrorOf } from './remote-error-of.ts';
import { remoteOpen } from './remote-open.ts';
import type { RemotePlace } from './remote-place.ts';

/** What can be said to a run behind a door. Each is cold, and emits once when the server has accepted it. */
export interface RemoteRun {
  /** Read before the next model call, and where the model has answered. */
  steer(message: string | UserMessage): Observable<void>;
  /** Answers open requests by their ids: all of them, or none where one is not open (`request-not-open`). */
  answer(answers: Readonly<Record<string, ApprovalAnswer>>): Observable<void>;
  /** Ends it softly; the second time, or `hard`, at once. */
  cancel(options?: { readonly hard?: boolean }): Observable<void>;
}

/**
 * Speaks to a run behind a door, whether somebody watches it or not.
 *
 * Contract:
 * - starts: on subscribing; each subscription is one request.
 * - leaves: the request is aborted.
 * - fails: a `RemoteError` with the server's `code`, such as `run-gone`, `run-ended` or `request-not-open`. Nothing is
 *   tried again.
 *
 * @public
 */
export function remoteRun(place: RemotePlace & { readonly runId: string }): RemoteRun {
  const post = (action: string, body: object): Observable<void> =>
    remoteOpen(place, `/${encodeURIComponent(place.runId)}/${action}`, { headers: { 'content-type': 'application/json', accept: 'application/json' }, body: JSON.stringify(body) }).pipe(
      ignoreElements(),
      endWith(undefined),
      catchError((error: unknown) => throwError(() => remoteErrorOf(error))),
    );
  return {
    steer: (message) => post('steer', { message }),
    answer: (answers) => post('answers', { answers }),
    cancel: (options) => post(options?.hard === true ? 'cancel?hard=1' : 'cancel', {}),
  };
}
