import type { LoopEvent, StepRetract } from '../event.ts';
import { errorText, isLoopError } from '../errors.ts';
import type { ModelError } from '../errors.ts';
import type { Step } from '../fold/step.ts';
import type { Model } from '../model.ts';
import { addUsage, withCost } from '../usage.ts';
import type { Usage } from '../usage.ts';
import { PLAIN_ATTEMPT } from './attempt.ts';
import type { Attempt } from './attempt.ts';
import { prepared } from './boundary.ts';
import { beforeTools, estimatedUsage, isReserved, mayCall, needsEstimates } from './budget.ts';
import { closed, saysSomething, turnOf, unreported } from './close.ts';
import { commit } from './commit.ts';
import type { Advance } from './conclude.ts';
import { spent } from './ending.ts';
import type { OutputVerdict } from './output.ts';
import { modelFault } from './preflight.ts';
import { classify, nextWait, NOTHING_SPENT } from './retry.ts';
import { holdsFinish, NO_REVIEW } from './review.ts';
import type { Review } from './review.ts';
import { append, modelOf } from './run-state.ts';
import type { Run, RunState } from './run-state.ts';
import { failureLimit, settle } from './settle.ts';

/** Folds the end of a model call into the run: asks the table, and carries out the row that holds. */
export function advance(run: Run, state: RunState, step: Step, attempt: Attempt = PLAIN_ATTEMPT, review: Review = NO_REVIEW): Advance {
  const { runId, policy, retry } = run;
  const usage = usageOf(run, state, step);
  const after: RunState = {
    ...state,
    usage: usage === undefined ? state.usage : addUsage(state.usage, usage),
    invalidCalls: attempt.screen?.retries ?? state.invalidCalls,
  };
  const stop = run.stops?.stopped;
  const error = review.failed?.error ?? step.failure?.error ?? (step.stopped && stop !== undefined && 'error' in stop ? stop.error : undefined);
  if (error !== undefined && (step.failure === undefined || isOwn(error))) return fail(run, after, step, error, usage);

  const wait = step.failure === undefined ? undefined : nextWait(error, state.spent, retry, run.random);
  const next = step.failure === undefined ? undefined : nextModel(run, state);
  // A new attempt waits by its own count; a corrective step does not wait at all.
  const mayRetract = step.failure !== undefined && failureLimit(policy, 'retract') > 0;
  const due = mayRetract ? nextWait(error, NOTHING_SPENT, retry, run.random) : undefined;
  const waits = mayRetract && (due !== undefined || next !== undefined);
  const excess = beforeTools(after.usage, run.budget);
  const isLast = isReserved(state.calls - 1, run.budget);
  const row = settle(
    {
      finish: step.finish?.reason,
      failed: step.failure && classify(error, retry),
      stopped: step.stopped,
      shown: step.shown,
      calls: isLast ? 0 : step.calls.length,
      said: saysSomething(step.parts),
      retryLeft: wait !== undefined,
      fallbackLeft: next !== undefined,
      heldOff: asksToWait(error) && retry.retryAfter === 'respect' && !waits,
      callLeft: mayCall(state.calls, run.budget),
      failures: state.failures,
      overBudget: excess !== undefined,
      ...(review.verdict !== undefined && { verdict: review.verdict.type }),
      ...(review.output !== undefined && { output: outputEnd(run, state, review.output) }),
    },
    policy,
  );
  const abandoned = usage === undefined ? state.abandoned : addUsage(state.abandoned, usage);

  switch (row.then) {
    case 'fail':
      return fail(run, after, step, error, usage);
    case 'retry':
      return { events: [], state: { ...after, abandoned, phase: { type: 'wait', wait, reason: errorText(error), fresh: false } } };
    case 'fallback': {
      const [from, to] = [modelOf(run, state).id, run.models[next as number]?.id as string];
      const event: LoopEvent = { type: 'fallback', runId, step: state.step, from, to, reason: errorText(error) };
      // What the hooks made of the call stays, but for the model that failed.
      const patch = after.patch && { ...after.patch, model: run.models[next as number] as Model };
      return { events: [event], state: { ...after, abandoned, patch, model: next as number, spent: NOTHING_SPENT, phase: { type: 'call', fresh: false } } };
    }
    case 'retract': {
      const from = next === undefined ? {} : { from: state.model };
      // Another model need not wait for this one.
      const phase = { type: 'wait', wait: next === undefined ? due : undefined, reason: errorText(error), fresh: true, ...from } as const;
      return {
        events: [...(attempt.eager?.drop() ?? []), retracted(run, state, step, { reason: errorText(error), usage: abandoned })],
        state: { ...again(after, abandoned), model: next ?? state.model, failures: state.failures + 1, phase: prepared(run, phase) },
      };
    }
    case 'withdraw': {
      const { reason = 'A hook withdrew the attempt.' } = review.verdict as Extract<Review['verdict'], { type: 'retract' }>;
      const phase = mayCall(state.calls, run.budget)
        ? prepared(run, { type: 'call', fresh: true })
        : spent(run, { budget: 'max-steps', limit: run.budget.maxSteps, used: state.calls });
      return { events: [retracted(run, state, step, { reason, usage: abandoned })], state: { ...again(after, abandoned), phase } };
    }
    default: {
      // Held until now, because a withdrawn attempt never shows it.
      const finish: LoopEvent[] = holdsFinish(run) && step.finish !== undefined ? [{ type: 'delta', runId, step: state.step, delta: step.finish }] : [];
      const { events, state: next } = commit(run, after, isLast && row.then !== 'output' ? withoutCalls(step) : step, { row, usage, excess, error, isLast, attempt, review });
      return { events: [...finish, ...events], state: next };
    }
  }
}

/** That the attempt is withdrawn; of one that had ended, also with what. */
function retracted({ runId }: Run, { step, attempt }: RunState, { blocks, callIds, finish }: Step, said: { reason: string; usage: Usage | undefined }): StepRetract {
  const { reason, usage = {} } = said;
  return { type: 'step-retract', runId, step, attempt, reason, blocks, callIds, usage, ...(finish !== undefined && { finish: finish.reason }) };
}

/** The state in which the next attempt of the step begins. */
function again(state: RunState, abandoned: Usage | undefined): RunState {
  const withdrawn = abandoned === undefined ? state.retracted : addUsage(state.retracted, abandoned);
  return { ...state, attempt: state.attempt + 1, spent: NOTHING_SPENT, abandoned: undefined, retracted: withdrawn, patch: undefined };
}

function outputEnd({ output }: Run, { repairs }: RunState, verdict: OutputVerdict): 'good' | 'repair' | 'spent' {
  if (verdict.ok) return 'good';
  return repairs < (output?.repairs ?? 0) ? 'repair' : 'spent';
}

/** The run fails with this error; what the broken step had said is closed, so that the messages stay valid. */
function fail(run: Run, state: RunState, step: Step, error: unknown, usage: Usage | undefined): Advance {
  const turn = turnOf(step, { finish: 'error', usage });
  const messages = closed(turn, unreported(step, 'Not executed: the response broke off.'));
  return { events: [], state: { ...append(run, state, messages), phase: { type: 'failed', error } } };
}

/** Not the model's fault: neither another try nor another model is an answer to it. */
function isOwn(error: unknown): boolean {
  return isLoopError(error) && (error.code === 'hook' || error.code === 'unknown-tool');
}

/** The calls of a reserved last step are ignored. */
function withoutCalls(step: Step): Step {
  return { ...step, calls: [], parts: step.parts.filter(({ type }) => type !== 'tool-call') };
}

/** The provider said when it wants to be asked again. */
function asksToWait(error: unknown): boolean {
  return isLoopError(error) && (error as Partial<ModelError>).retryAfterMs !== undefined;
}

/** The next model of the list that can serve the run. */
function nextModel(run: Run, state: RunState): number | undefined {
  const at = run.models.findIndex((one, index) => index > state.model && modelFault(one, state) === undefined);
  return at === -1 ? undefined : at;
}

/**
 * What one exchange used. Of one that did not end by itself the report is a lower bound; of one that said nothing
 * at all there is nothing to report.
 */
function usageOf(run: Run, state: RunState, step: Step): Usage | undefined {
  const ended = step.finish !== undefined;
  if (!ended && !step.shown && step.usage === undefined) return undefined;
  const counted = needsEstimates(run.budget) ? estimatedUsage(step, state.characters, run.budget) : step.usage;
  const usage = ended ? counted : { ...counted, partial: true as const };
  return usage && withCost(usage, modelOf(run, state).price);
}
