import { concat, from, map, merge, of, race, take } from 'rxjs';
import type { Observable } from 'rxjs';
import type { LoopEvent, Status, Steering } from '../event.ts';
import { beforeStep, mayCall, nearlySpent } from './budget.ts';
import { spent } from './ending.ts';
import { append } from './run-state.ts';
import type { Phase, Run, RunState } from './run-state.ts';
import { Next } from './unfold.ts';

/**
 * Between two steps, in this order: a stop, what the user said, the budgets, the reader; then the model is called.
 *
 * @internal
 */
export function boundary(run: Run, before: RunState, afterAnswer: boolean): Observable<LoopEvent | Next<RunState>> {
  const { runId, inbox, budget, demand, stops } = run;
  const go = (phase: Phase, state = before): Next<RunState> => new Next({ ...state, phase });
  if (stops?.stopped !== undefined) return of(go(stopped(run)));

  const events: LoopEvent[] = [];
  const said = mayCall(before.calls, budget) ? inbox.read(afterAnswer) : [];
  const state = said.length === 0 ? before : append(run, before, said);
  if (said.length > 0) events.push({ type: 'steering', runId, messages: said } satisfies Steering);
  const excess = beforeStep(state, budget);
  if (excess !== undefined) {
    return from([...events, go(spent(run, excess), state)]);
  }
  for (const { name, text } of nearlySpent(state, run.started, budget)) {
    if (run.warned.has(name)) continue;
    run.warned.add(name);
    events.push({ type: 'status', runId, text } satisfies Status);
  }
  const call = go({ type: 'call', fresh: true }, state);
  if (demand === undefined) return events.length === 0 ? of(call) : from([...events, call]);
  const stop$ = stops === undefined ? [] : [stops.stop$.pipe(map(() => go(stopped(run), state)))];
  return concat(from(events), race(...stop$, merge(demand.ready()).pipe(take(1), map(() => call))));
}

/** How a run ends that was told to stop between two steps. */
export function stopped({ stops }: Run): Phase {
  const stop = stops?.stopped;
  if (stop !== undefined && 'error' in stop) return { type: 'failed', error: stop.error };
  return { type: 'done', reason: stop?.reason ?? 'aborted' };
}
