import { concat, defer, EMPTY, from, isObservable, map, of, race } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Delta } from '../delta.ts';
import type { LoopEvent } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import { Step, step } from '../fold/step.ts';
import { advance } from './advance.ts';
import { newAttempt, startEarly } from './attempt.ts';
import type { Attempt } from './attempt.ts';
import { stopped } from './boundary.ts';
import { ReaderClock } from './reader-clock.ts';
import { holdsFinish, NO_REVIEW, review } from './review.ts';
import type { Review } from './review.ts';
import { requestOf } from './request.ts';
import { go, modelOf } from './run-state.ts';
import type { Run, RunState } from './run-state.ts';
import { timeLimits } from './timeouts.ts';
import { Next } from './unfold.ts';
import { startOf } from './wait.ts';

type Said = LoopEvent | Next<RunState>;

/**
 * One exchange with the model: announced if it is a counted one, its deltas as they come, then what follows from how it
 * ended.
 *
 * Contract:
 * - leaves: the model, its eager calls, and the hook that is awaited.
 *
 * @param fresh - a counted call; otherwise the same attempt calls again
 * @internal
 */
export function callModel(run: Run, before: RunState, fresh: boolean): Observable<Said> {
  // Whoever heard what the boundary said may have stopped the run.
  if (fresh && run.stops?.stopped !== undefined) return of(go(before, stopped(run)));
  const state = fresh ? { ...before, calls: before.calls + 1 } : before;
  const model = modelOf(run, state);
  const name = `${model.provider} ${model.id}`;
  const reader = run.demand && new ReaderClock(run.demand, run.scheduler);
  const attempt = newAttempt(run, state);
  const exchange$ = defer(() => model.stream(requestOf(run, state, reader))).pipe(
    timeLimits(run.timeouts, run.scheduler, name, reader),
    step(run.claims, name, { stop$: run.stops?.stop$, screen: attempt.screen, holdFinish: holdsFinish(run) }),
    inOrder((said): Said | Observable<Said> => (said instanceof Step ? ended(run, state, said, attempt) : shown(run, state, said, attempt))),
  );
  return fresh ? concat(of(startOf(run, state)), exchange$) : exchange$;
}

function shown({ runId }: Run, { step: number }: RunState, delta: Delta, attempt: Attempt): LoopEvent | Observable<LoopEvent> {
  if (delta.type === 'warning') {
    const { text, data } = delta;
    return { type: 'status', runId, text, ...(data !== undefined && { data }) };
  }
  const event: LoopEvent = { type: 'delta', runId, step: number, delta };
  if (attempt.eager === undefined || delta.type !== 'tool-call-end') return event;
  // After the delta has been said: its tool may start at once.
  return concat(
    of(event),
    defer(() => {
      startEarly(attempt, event);
      return EMPTY;
    }),
  );
}

function ended(run: Run, state: RunState, said: Step, attempt: Attempt): Observable<Said> {
  const settled = (step: Step, seen: Review): Observable<Said> => {
    const { events, state: next } = advance(run, state, step, attempt, seen);
    return from([...events, new Next(next)]);
  };
  const reviewed = review(run, state, said);
  if (!isObservable(reviewed)) return settled(said, reviewed);
  const judged$ = reviewed.pipe(map((seen) => ({ step: said, seen })));
  if (run.stops === undefined) return judged$.pipe(inOrder(({ step: one, seen }) => settled(one, seen)));
  // Not committed yet: a stop while somebody decides ends the step as it would have ended the stream.
  const { finish, ...rest } = said;
  const cut = new Step({ ...rest, finish: undefined, stopped: true });
  const stopped$ = run.stops.stop$.pipe(map(() => ({ step: cut, seen: NO_REVIEW })));
  return race(stopped$, judged$).pipe(inOrder(({ step: one, seen }) => settled(one, seen)));
}
