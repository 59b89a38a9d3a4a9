import { catchError, defer, map, reduce, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { RemoteError } from '../index.ts';
import { remoteErrorOf } from './remote-error-of.ts';
import { remoteOpen } from './remote-open.ts';
import type { RemotePlace } from './remote-place.ts';

/** A run as its server lists it. */
export interface RemoteRunInfo {
  readonly runId: string;
  readonly threadId?: string;
  /** At most 200 characters of what it was asked for, where that is one text. */
  readonly prompt?: string;
  readonly status: 'running' | 'waiting' | 'suspended' | 'done' | 'error';
  /** How many events it has said. */
  readonly position: number;
}

/**
 * The runs behind a door that has the option `list`: those that belong to who asks, newest first, at most 100.
 *
 * Contract:
 * - starts: on subscribing; each subscription is one request, and emits once.
 * - leaves: the request is aborted.
 * - fails: a `RemoteError` with the server's `code`, such as `unauthorized`; `wrong-method` where it lists no runs. Nothing
 *   is tried again.
 *
 * @public
 */
export function remoteRuns(place: RemotePlace): Observable<readonly RemoteRunInfo[]> {
  return defer(() => {
    const decoder = new TextDecoder();
    return remoteOpen(place, '', { headers: { accept: 'application/json' } }).pipe(
      reduce((text, bytes) => text + decoder.decode(bytes, { stream: true }), ''),
      map(runsIn),
    );
  }).pipe(catchError((error: unknown) => throwError(() => remoteErrorOf(error))));
}

function runsIn(text: string): readonly RemoteRunInfo[] {
  const { runs } = parsed(text);
  if (Array.isArray(runs)) return runs as readonly RemoteRunInfo[];
  throw new RemoteError({ code: 'remote-protocol', message: 'The server answered with no list of runs. Check that url is that of the runs of a server.', retryable: false });
}

function parsed(text: string): { readonly runs?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as { readonly runs?: unknown };
  } catch {
    return {};
  }
}
