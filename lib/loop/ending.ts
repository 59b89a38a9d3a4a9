import type { Done } from '../event.ts';
import type { Outcome, Reason } from '../outcome.ts';
import { BudgetError, RunError } from '../errors.ts';
import type { Checkpoint } from '../checkpoint.ts';
import { addUsage } from '../usage.ts';
import { handOut, withoutReasoning } from './close.ts';
import type { Excess } from './budget.ts';
import type { Phase, Run, RunState } from './run-state.ts';

/** The last event of a run that ended well. */
export function done(run: Run, state: RunState, reason: Reason, checkpoint?: Checkpoint): Done {
  const { completion, steps, usage = {}, nestedUsage } = withNested(run, state);
  const { unread } = run.inbox;
  const messages = transcript(run, state);
  const last = messages.at(-1);
  // A turn that was stored because the run was to go on, and did not: nothing follows it, so it is the answer.
  const stored = state.answer === undefined && messages.length > state.input && last?.role === 'assistant' ? last : undefined;
  const answer = stored ?? (state.answer && (run.policy.keepReasoning ? state.answer : withoutReasoning(state.answer)));
  const outcome: Outcome = {
    reason,
    completion,
    messages: stored === undefined ? messages : messages.slice(0, -1),
    ...(answer !== undefined && { answer }),
    steps: [...steps],
    usage,
    ...(nestedUsage !== undefined && { nestedUsage }),
    ...(unread !== undefined && { unread }),
    ...(reason === 'stopped' && { stopped: stopOf(run) }),
    ...(checkpoint !== undefined && { checkpoint }),
  };
  return { type: 'done', runId: run.runId, outcome };
}

/** How a run ends for which no budget is left. */
export function spent({ policy }: Run, { budget, limit, used }: Excess): Phase {
  if (policy.budgetEnd === 'stop') return { type: 'done', reason: budget };
  return { type: 'failed', error: new BudgetError(budget, limit, used) };
}

/** The error notification of a run that failed: its cause, and what the run had come to. */
export function failure(run: Run, state: RunState, error: unknown): RunError {
  const { steps, usage = {}, completion } = withNested(run, state);
  return new RunError(error, { runId: run.runId, steps: [...steps], usage, messages: transcript(run, state), completion });
}

/** The state with what nested runs have used since the last step. */
export function withNested(run: Run, state: RunState): RunState {
  const next = counted(run, state);
  run.nested = undefined;
  return next;
}

/** The same, for who only looks. */
export function counted({ nested }: Run, state: RunState): RunState {
  if (nested === undefined) return state;
  return { ...state, usage: addUsage(state.usage, nested), nestedUsage: addUsage(state.nestedUsage, nested) };
}

function stopOf({ stops }: Run): NonNullable<Outcome['stopped']> {
  const stop = stops?.stopped;
  if (stop === undefined || !('text' in stop)) return { reason: '' };
  return { reason: stop.text, ...(stop.callId !== undefined && { callId: stop.callId }) };
}

function transcript(run: Run, { messages, input }: RunState): Outcome['messages'] {
  return handOut([...messages], input, run.policy.keepReasoning);
}
