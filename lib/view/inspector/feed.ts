import { asyncScheduler, catchError, defer, map, of, throwError } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import { RemoteError } from '../../index.ts';
import type { TapeLine } from '../../../marbles/index.ts';
import { remoteLoop } from '../remote.ts';
import type { RemotePlace } from '../remote.ts';

/** Which run: one that is there, or a new one. */
export type Wanted = { readonly runId: string } | { readonly prompt: string };

/**
 * A run behind the server as lines of a tape, with the times at which they came here.
 *
 * Contract:
 * - starts: on subscribing.
 * - leaves: stops watching; the run goes on.
 * - fails: with what is wrong with the connection or the server. The error of the run itself is a last line.
 *
 * @internal
 */
export function feed(wanted: Wanted, place: RemotePlace, scheduler: SchedulerLike = asyncScheduler): Observable<TapeLine> {
  return defer(() => {
    let startedAt: number | undefined;
    const at = (): number => {
      startedAt ??= scheduler.now();
      return Math.max(0, Math.round(scheduler.now() - startedAt));
    };
    const run$ = remoteLoop('runId' in wanted ? { ...place, runId: wanted.runId } : { ...place, body: { prompt: wanted.prompt } });
    return run$.pipe(
      map((event): TapeLine => ({ at: at(), event })),
      // Before its first event there is no run that could have failed.
      catchError((error: unknown) => (startedAt !== undefined && isOfRun(error) ? of<TapeLine>({ at: at(), error: error.toJSON() }) : throwError(() => error))),
    );
  });
}

function isOfRun(error: unknown): error is RemoteError {
  return error instanceof RemoteError && !error.code.startsWith('remote-') && error.code !== 'events-gone' && error.code !== 'unauthorized';
}
