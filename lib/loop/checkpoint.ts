import { catchError, EMPTY, ignoreElements, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { firstAnswer } from '../answer.ts';
import { CHECKPOINT_VERSION } from '../checkpoint.ts';
import type { Checkpoint } from '../checkpoint.ts';
import { HookError } from '../control-errors.ts';
import { errorText } from '../errors.ts';
import { CallRecord } from '../invoke/call-record.ts';
import { counted } from './ending.ts';
import { NO_REPEATS } from './repetition.ts';
import { startState } from './run-state.ts';
import type { AttemptPhase, BatchPhase, Phase, Run, RunState } from './run-state.ts';

/** Where a run stands: at a boundary, before an attempt, or in a batch. */
export interface Standing {
  readonly next?: AttemptPhase;
  readonly batch?: { readonly phase: BatchPhase; readonly records: readonly CallRecord[]; readonly announced: boolean };
}

/** Where the run stands, as plain JSON. */
export function checkpointOf(run: Run, before: RunState, { next, batch }: Standing = {}): Checkpoint {
  const state = counted(run, before);
  const { runId, threadId, claims, inbox, scheduler, startedAt, started, warned } = run;
  const { messages, input, step, attempt, model, steps, completion, usage, nestedUsage, retracted, calls, failures, repairs, invalidCalls, corrections, context, repeats } = state;
  const { unread } = inbox;
  // A body that runs would begin again, and be counted then.
  const restarted = batch?.records.filter(({ isRestarted }) => isRestarted).length ?? 0;
  const wait = next?.type === 'wait' ? next : undefined;
  return {
    version: CHECKPOINT_VERSION,
    runId,
    ...(threadId !== undefined && { threadId }),
    messages: [...messages],
    input, step, attempt, model,
    steps: [...steps],
    completion,
    ...(usage !== undefined && { usage }),
    ...(nestedUsage !== undefined && { nestedUsage }),
    ...(retracted !== undefined && { retracted }),
    counters: {
      calls, toolCalls: started - restarted, failures, repairs, invalidCalls, corrections, repeats,
      ...(context !== undefined && { context }),
      warned: [...warned],
      elapsedMs: scheduler.now() - startedAt,
    },
    ids: claims.taken(),
    ...(unread !== undefined && { unread }),
    ...(wait !== undefined && { wait: { ...wait.wait, reason: wait.reason, ...(wait.from !== undefined && { from: wait.from }) } }),
    ...(batch !== undefined && { batch: { turn: batch.phase.turn, announced: batch.announced, calls: batch.records.map((record) => record.save()) } }),
  };
}

/** Gives the application where the run stands, and waits for its answer. Nothing where it does not ask. */
export function saved(run: Run, make: () => Checkpoint): Observable<never> {
  const { onCheckpoint } = run;
  if (onCheckpoint === undefined) return EMPTY;
  return firstAnswer(() => onCheckpoint(make())).pipe(
    ignoreElements(),
    catchError((error: unknown) => throwError(() => new HookError(`onCheckpoint failed: ${errorText(error)}`, { cause: error }))),
  );
}

/** The state that a resumed run begins with, and the phase that follows its `run-start`. */
export function restored(run: Run, { counters, batch, wait, ...at }: Checkpoint): { readonly state: RunState; readonly phase: Phase } {
  const { calls, failures, repairs, invalidCalls, corrections, context, repeats = NO_REPEATS } = counters;
  const state: RunState = {
    ...startState(run),
    step: at.step, attempt: at.attempt, model: at.model, completion: at.completion, input: at.input,
    steps: [...at.steps],
    usage: at.usage, nestedUsage: at.nestedUsage, retracted: at.retracted,
    calls, failures, repairs, invalidCalls, corrections, context, repeats,
  };
  if (batch !== undefined) {
    const records = batch.calls.map((one, index) => CallRecord.from(one, index));
    return { state, phase: { type: 'batch', turn: batch.turn, calls: records.map(({ call }) => call), records, announced: batch.announced, after: { type: 'step' } } };
  }
  if (at.attempt === 1) return { state, phase: { type: 'boundary', afterAnswer: false, isSaved: true } };
  if (wait === undefined) return { state, phase: { type: 'prepare', isSaved: true, then: { type: 'call', fresh: true } } };
  const due = wait.delayMs === undefined ? undefined : { delayMs: wait.delayMs, retryAfter: wait.retryAfter ?? false };
  const then: AttemptPhase = { type: 'wait', fresh: true, wait: due, reason: wait.reason, ...(wait.from !== undefined && { from: wait.from }) };
  return { state, phase: { type: 'prepare', isSaved: true, then } };
}
