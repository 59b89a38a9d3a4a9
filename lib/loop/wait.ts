import { concat, EMPTY, from as each, map, mergeMap, race } from 'rxjs';
import type { Observable } from 'rxjs';
import { alarm } from '../alarm.ts';
import type { Fallback, LoopEvent, Retry, StepStart } from '../event.ts';
import { Step } from '../fold/step.ts';
import { advance } from './advance.ts';
import { modelOf } from './run-state.ts';
import type { Phase, Run, RunState } from './run-state.ts';
import { Next } from './unfold.ts';

/** The announcement of a counted model call. */
export function startOf(run: Run, state: RunState, model = modelOf(run, state)): StepStart {
  return { type: 'step-start', runId: run.runId, step: state.step, attempt: state.attempt, model: model.id };
}

/**
 * Before a call is made again: announces the attempt if it is a new one, says why and how long, waits, and calls.
 *
 * Contract:
 * - leaves: the wait; a stop ends it as it would end the call.
 *
 * @internal
 */
export function wait(run: Run, before: RunState, phase: Extract<Phase, { type: 'wait' }>): Observable<LoopEvent | Next<RunState>> {
  const { runId, retry, scheduler, stops } = run;
  const { wait: due, reason, fresh, from } = phase;
  const old = from === undefined ? undefined : run.models[from];
  const counted = fresh ? { ...before, calls: before.calls + 1 } : before;
  const spent = due === undefined ? counted.spent : { count: counted.spent.count + 1, waitedMs: counted.spent.waitedMs + due.delayMs };
  const state: RunState = { ...counted, spent, phase: { type: 'call', fresh: false } };
  const { step, attempt } = state;

  const events: LoopEvent[] = [];
  if (fresh) events.push(startOf(run, state, old));
  if (old !== undefined) events.push({ type: 'fallback', runId, step, from: old.id, to: modelOf(run, state).id, reason } satisfies Fallback);
  if (due === undefined) return each([...events, new Next(state)]);
  const { delayMs, retryAfter } = due;
  events.push({
    type: 'retry', runId, step, attempt, count: spent.count, max: retry.count, reason, delayMs, ...(retryAfter && { retryAfter }), by: 'loop',
  } satisfies Retry);
  const again$ = alarm(delayMs, scheduler).pipe(map(() => [new Next(state)] as (LoopEvent | Next<RunState>)[]));
  const stopped$ = (stops?.stop$ ?? EMPTY).pipe(
    map(() => {
      const { events: last, state: next } = advance(run, state, NOTHING_SAID);
      return [...last, new Next(next)];
    }),
  );
  const ended$ = stops === undefined ? again$ : race(stopped$, again$);
  return concat(each(events), ended$.pipe(flat));
}

const NOTHING_SAID = /* @__PURE__ */ new Step({
  parts: [], calls: [], shown: false, usage: undefined, finish: undefined, failure: undefined, stopped: true, blocks: [], callIds: [],
});

function flat<T>(lists$: Observable<readonly T[]>): Observable<T> {
  return lists$.pipe(mergeMap((list) => each(list)));
}
