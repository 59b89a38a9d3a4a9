import { concat, defer, EMPTY, endWith, from, isObservable, map, merge, of, race, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer } from '../answer.ts';
import type { LoopEvent, Status, Steering } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import { beforeRequest } from './before-request.ts';
import { beforeStep, mayCall, nearlySpent } from './budget.ts';
import { checkpointOf, saved } from './checkpoint.ts';
import { compacted } from './compaction.ts';
import { spent } from './ending.ts';
import { hasHook } from './hook-chain.ts';
import { append, go } from './run-state.ts';
import type { AttemptPhase, Phase, Run, RunState } from './run-state.ts';
import { takeTools } from './take-tools.ts';
import type { Next } from './unfold.ts';

type Said = LoopEvent | Next<RunState>;

/** What one stage of a boundary comes to: events, and the state for the next stage, or the phase that ends the boundary. */
interface Stage {
  readonly events?: readonly LoopEvent[];
  readonly state: RunState;
  readonly end?: Phase;
}

/**
 * Between two steps, in this order: a stop, the tools, what the user said, compaction, the checkpoint, the budgets, the
 * hooks, the reader; then the model is called.
 *
 * @internal
 */
export function boundary(run: Run, before: RunState, afterAnswer: boolean, isSaved = false): Observable<Said> {
  const { tools$, compact, onCheckpoint, demand } = run;
  const stages: ((state: RunState) => Stage | Observable<Stage>)[] = [];
  if (tools$ !== undefined) stages.push((state) => takeTools(run, state).pipe(map((taken) => ({ state: taken }))));
  if (!isSaved) {
    stages.push((state) => steered(run, state, afterAnswer));
    if (compact !== undefined) {
      stages.push((state) => compacted(run, state).pipe(map(({ state: shorter, event }) => ({ state: shorter, events: event === undefined ? [] : [event] }))));
    }
    if (onCheckpoint !== undefined) stages.push((state) => saved(run, () => checkpointOf(run, state)).pipe(endWith({ state })));
  }
  stages.push((state) => budgeted(run, state));
  if (hasHook(run, 'beforeRequest')) stages.push((state) => hooked(run, state));
  if (demand !== undefined) stages.push((state) => merge(demand.ready()).pipe(take(1), map(() => ({ state }))));
  return through(run, before, stages, { type: 'call', fresh: true });
}

/** What is asked before an attempt that no boundary precedes. */
export function prepare(run: Run, before: RunState, then: AttemptPhase, isSaved = false): Observable<Said> {
  const stages: ((state: RunState) => Stage | Observable<Stage>)[] = [];
  if (!isSaved) stages.push((state) => saved(run, () => checkpointOf(run, state, { next: then })).pipe(endWith({ state })));
  if (hasHook(run, 'beforeRequest')) stages.push((state) => hooked(run, state));
  return through(run, before, stages, then);
}

/** The phase before an attempt that no boundary precedes. */
export function prepared(run: Run, then: AttemptPhase): Phase {
  return run.onCheckpoint !== undefined || hasHook(run, 'beforeRequest') ? { type: 'prepare', then } : then;
}

/** How a run ends that was told to stop between two steps. */
export function stopped({ stops }: Run): Phase {
  const stop = stops?.stopped;
  if (stop !== undefined && 'error' in stop) return { type: 'failed', error: stop.error };
  return { type: 'done', reason: stop?.reason ?? 'aborted' };
}

/** One stage after another. A stop ends them, also while one waits. */
function through(run: Run, before: RunState, stages: readonly ((state: RunState) => Stage | Observable<Stage>)[], then: Phase): Observable<Said> {
  const { stops } = run;
  const events: LoopEvent[] = [];
  let state = before;
  for (const [at, stage] of stages.entries()) {
    if (stops?.stopped !== undefined) return from([...events, go(state, stopped(run))]);
    const rest = stages.slice(at + 1);
    const goOn = ({ events: said = [], state: next, end }: Stage): Observable<Said> =>
      concat(from(said), defer(() => (end === undefined ? through(run, next, rest, then) : of(go(next, end)))));
    const came = stage(state);
    if (isObservable(came)) {
      const waiting = state;
      const stop$ = stops === undefined ? EMPTY : stops.stop$.pipe(map((): Stage => ({ state: waiting, end: stopped(run) })));
      const came$ = stops === undefined ? came : race(stop$, came);
      return concat(from(events), came$.pipe(inOrder(goOn)));
    }
    events.push(...(came.events ?? []));
    state = came.state;
    if (came.end !== undefined) return from([...events, go(state, came.end)]);
  }
  const next = go(state, stops?.stopped === undefined ? then : stopped(run));
  return events.length === 0 ? of(next) : from([...events, next]);
}

function steered(run: Run, state: RunState, afterAnswer: boolean): Stage {
  const said = mayCall(state.calls, run.budget) ? run.inbox.read(afterAnswer) : [];
  if (said.length === 0) return { state };
  return { state: append(run, state, said), events: [{ type: 'steering', runId: run.runId, messages: said } satisfies Steering] };
}

function budgeted(run: Run, state: RunState): Stage {
  const { budget, runId, warned } = run;
  const excess = beforeStep(state, budget);
  if (excess !== undefined) return { state, end: spent(run, excess) };
  const events = nearlySpent(state, run.started, budget)
    .filter(({ name }) => !warned.has(name))
    .map(({ name, text }): Status => {
      warned.add(name);
      return { type: 'status', runId, text };
    });
  return { state, events };
}

/** Later than the events before it, which the hooks may be about. */
function hooked(run: Run, state: RunState): Observable<Stage> {
  return defer(() => answer(beforeRequest(run, state))).pipe(map((next) => ({ state: next })));
}
