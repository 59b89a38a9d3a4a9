import type { LoopEvent, StepEnd } from '../event.ts';
import { BudgetError, EmptyAnswerError, isLoopError } from '../errors.ts';
import type { Completion } from '../event.ts';
import type { Step } from '../fold/step.ts';
import type { FinishReason } from '../message.ts';
import { addUsage } from '../usage.ts';
import type { Usage } from '../usage.ts';
import { estimatedUsage, tokensOver } from './budget.ts';
import { closed, saysSomething, turnOf, unreported } from './close.ts';
import { nextWait } from './retry.ts';
import { append, NOTHING_SPENT } from './run-state.ts';
import type { Run, RunState } from './run-state.ts';
import { settle } from './settle.ts';
import type { Row } from './settle.ts';

/** What a model call led to: events to emit now, and the state that follows. */
export interface Advance {
  readonly events: readonly LoopEvent[];
  readonly state: RunState;
}

/** Folds the end of a model call into the run: asks the table, and carries out the row that holds. */
export function advance(run: Run, state: RunState, step: Step): Advance {
  const usage = run.budget.maxTotalTokens === Infinity ? step.usage : estimatedUsage(step, state.characters);
  const spent = step.failure === undefined ? usage : step.usage;
  const total = spent === undefined ? state.usage : addUsage(state.usage, spent);
  const error = step.failure?.error;
  const wait = step.failure === undefined ? undefined : nextWait(error, state.spent, run.retry, run.random);
  const over = tokensOver(total, run.budget);
  const row = settle(
    {
      ...(step.finish !== undefined && { finish: step.finish.reason }),
      ...(step.failure !== undefined && { failed: isLoopError(error) && error.retryable ? 'transient' : 'fatal' }),
      shown: step.shown,
      calls: step.calls.length,
      said: saysSomething(step.parts),
      retryLeft: wait !== undefined,
      overBudget: over !== undefined,
    },
    run.policy,
  );
  const after: RunState = { ...state, usage: total };
  if (row.then === 'retry' && wait !== undefined) {
    const abandoned = step.usage === undefined ? state.abandoned : addUsage(state.abandoned, step.usage);
    return { events: [], state: { ...after, abandoned, phase: { type: 'wait', wait, error } } };
  }
  if (row.then === 'fail') return { events: [], state: fail(run, after, step, error, spent) };
  return commit(run, after, step, row, usage, over);
}

/** The step stands: its `step-end`, its record, and what its row says. */
function commit(run: Run, before: RunState, step: Step, row: Row, own: Usage | undefined, over: number | undefined): Advance {
  const { runId, model } = run;
  const { rawFinish, ids, reason = 'other' } = step.finish ?? {};
  const finish: FinishReason = row.stepEnd === 'tool-use' ? 'tool-use' : reason;
  const usage = own === undefined ? (before.abandoned ?? {}) : addUsage(before.abandoned, own);
  const record = { step: before.step, usage, finish, toolCalls: step.calls.length, ...(ids !== undefined && { ids }) };
  before.steps.push({ ...record, attempts: 1, model: step.finish?.model ?? model.id });
  const end: StepEnd = { type: 'step-end', runId, attempt: 1, ...record, ...(rawFinish !== undefined && { rawFinish }) };

  const turn = turnOf(step, { finish, usage: own });
  const state: RunState = { ...before, completion: completionOf(step, finish), abandoned: undefined, spent: NOTHING_SPENT };
  const to = (phase: RunState['phase'], next: RunState = state): Advance => ({ events: [end], state: { ...next, phase } });
  const calls = step.calls;

  switch (row.then) {
    case 'batch':
      return turn === undefined ? to({ type: 'done', reason: 'answer' }) : to({ type: 'batch', turn, calls });
    case 'step':
      return to({ type: 'call', fresh: true }, { ...append(run, state, closed(turn, [])), step: state.step + 1 });
    case 'empty':
      return to({ type: 'failed', error: new EmptyAnswerError(emptyText(finish)) });
    case 'spent': {
      const error = new BudgetError('max-tokens', run.budget.maxTotalTokens, over ?? 0);
      if (row.calls === 'none' || turn === undefined) {
        return to({ type: 'failed', error }, append(run, state, closed(turn, unreported(step, NOT_RUN.spent))));
      }
      return to({ type: 'batch', turn, calls, notRun: NOT_RUN.spent, reason: 'max-tokens' });
    }
    case 'cut': {
      const why = finish as 'length' | 'content-filter' | 'refusal';
      if (calls.length > 0 && turn !== undefined) return to({ type: 'batch', turn, calls, notRun: NOT_RUN[why], reason: why });
      return to({ type: 'done', reason: why }, { ...state, answer: turn });
    }
    default:
      return to({ type: 'done', reason: 'answer' }, { ...state, answer: turn });
  }
}

/** The run fails with this error; what the broken step had said is closed, so that the messages stay valid. */
function fail(run: Run, state: RunState, step: Step, error: unknown, usage: Usage | undefined): RunState {
  const turn = turnOf(step, { finish: 'error', usage });
  const messages = closed(turn, unreported(step, NOT_RUN.failed));
  return { ...append(run, state, messages), phase: { type: 'failed', error } };
}

const NOT_RUN = {
  spent: 'Not executed: the run has used up its token budget.',
  length: 'Not executed: the response was cut by its length limit.',
  'content-filter': 'Not executed: the response was stopped by a content filter.',
  refusal: 'Not executed: the model refused.',
  failed: 'Not executed: the response broke off.',
} as const;

function emptyText(finish: FinishReason): string {
  const remedy = finish === 'length' ? ' Allow more output tokens, or ask for less reasoning.' : '';
  return `The answer ended with "${finish}" before anything was said.${remedy}`;
}

function completionOf({ parts, calls, finish: said }: Step, finish: FinishReason): Completion {
  const text = (type: 'text' | 'refusal' | 'reasoning'): string =>
    parts.reduce((all, part) => (part.type === type ? all + part.text : all), '');
  const [reasoning, refusal] = [text('reasoning'), text('refusal')];
  return {
    text: text('text'),
    ...(reasoning !== '' && { reasoning }),
    ...(refusal !== '' && { refusal }),
    toolCalls: calls,
    finish,
    ...(said?.rawFinish !== undefined && { rawFinish: said.rawFinish }),
    ...(said?.model !== undefined && { model: said.model }),
  };
}
