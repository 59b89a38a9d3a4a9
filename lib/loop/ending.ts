import type { Done } from '../event.ts';
import type { Outcome, Reason } from '../outcome.ts';
import { BudgetError, RunError } from '../errors.ts';
import type { Checkpoint } from '../checkpoint.ts';
import type { CallRecord } from '../invoke/call-record.ts';
import { addUsage } from '../usage.ts';
import type { Usage } from '../usage.ts';
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
  const { nested } = run;
  if (nested === undefined) return state;
  run.nested = undefined;
  return withInside(state, nested);
}

/** The state with what runs inside have used that are suspended: nothing has counted it yet. */
export function withOpen(state: RunState, records: readonly CallRecord[]): RunState {
  return records.reduce((all, { nested }) => (nested === undefined ? all : withInside(all, usageOf(nested))), state);
}

/** The state with what runs inside have used. */
export function withInside(state: RunState, used: Usage): RunState {
  return { ...state, usage: addUsage(state.usage, used), nestedUsage: addUsage(state.nestedUsage, used) };
}

/** Of a suspended run, those that are suspended inside it included. */
export function usageOf({ usage = {}, batch }: Checkpoint): Usage {
  return (batch?.calls ?? []).reduce((all, { nested }) => (nested === undefined ? all : addUsage(all, usageOf(nested))), usage);
}

function stopOf({ stops }: Run): NonNullable<Outcome['stopped']> {
  const stop = stops?.stopped;
  if (stop === undefined || !('text' in stop)) return { reason: '' };
  return { reason: stop.text, ...(stop.callId !== undefined && { callId: stop.callId }) };
}

function transcript(run: Run, { messages, input }: RunState): Outcome['messages'] {
  return handOut([...messages], input, run.policy.keepReasoning);
}
