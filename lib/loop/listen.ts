import { catchError, EMPTY, ignoreElements, map, merge, take, tap, throwIfEmpty } from 'rxjs';
import type { Observable } from 'rxjs';
import { alarm } from '../alarm.ts';
import { ConfigError } from '../errors.ts';
import type { LoopEvent, Status } from '../event.ts';
import { aborts } from './aborts.ts';
import type { Run } from './run-state.ts';
import type { Stop } from './stop.ts';

/**
 * What a run hears from outside, from before its first request to its ending: `abort$`, its deadline, `steering$` and
 * `followUp$`. Each is subscribed once. Emits what is said aside of the phases.
 *
 * @internal
 */
export function listen(run: Run): Observable<LoopEvent> {
  const { runId, abort$, steering$ = EMPTY, followUp$ = EMPTY, tools$, toolSet, budget, scheduler, inbox, aside, stops } = run;
  const soon = Math.ceil(budget.maxDurationMs * budget.warnAt);
  if (stops === undefined && !(soon < budget.maxDurationMs)) return aside.events$;
  // A resumed run has used some of its time before.
  const elapsed = scheduler.now() - run.startedAt;
  const stop = (why: Stop): void => stops?.set(why);
  const deadline$ = budget.maxDurationMs < Infinity ? alarm(Math.max(0, budget.maxDurationMs - elapsed), scheduler) : EMPTY;
  const heard$ = merge(
    aborts(abort$).pipe(take(1), tap(() => stop({ reason: 'aborted' }))),
    deadline$.pipe(tap(() => stop({ reason: 'max-duration' }))),
    steering$.pipe(tap((said) => inbox.steer(said))),
    followUp$.pipe(tap((said) => inbox.follow(said))),
    tools$ === undefined ? EMPTY : tools$.pipe(
      tap((set) => {
        toolSet.latest = set;
        toolSet.first.set();
      }),
      throwIfEmpty(() => new ConfigError('toolLoop: tools completed without a set of tools; let it emit one, which may be empty.')),
    ),
  ).pipe(
    ignoreElements(),
    // The error of a notifier fails the run; going through the switch, it lets the phase close what it is at.
    catchError((error: unknown) => {
      stop({ error });
      return EMPTY;
    }),
  );
  const { maxDurationMs } = budget;
  // A resumed run that is past it has said so before.
  const isDue = soon < maxDurationMs && (run.resumed === undefined || elapsed < soon);
  const warned$ = isDue ? alarm(Math.max(0, soon - elapsed), scheduler).pipe(map(() => status(runId, `budget.maxDurationMs: ${soon} of ${maxDurationMs} used.`))) : EMPTY;
  return merge(aside.events$, warned$, heard$);
}

function status(runId: string, text: string): Status {
  return { type: 'status', runId, text };
}
