import { BudgetError, EmptyAnswerError, errorText } from '../errors.ts';
import type { Correction, LoopEvent, StepEnd } from '../event.ts';
import type { Completion, Reason } from '../outcome.ts';
import type { Step } from '../fold/step.ts';
import { userMessage } from '../message.ts';
import type { AssistantMessage, FinishReason, ToolResult } from '../message.ts';
import { addUsage, totalTokens } from '../usage.ts';
import type { Usage } from '../usage.ts';
import type { Excess } from './budget.ts';
import { closed, turnOf, unreported } from './close.ts';
import { repeated } from './repetition.ts';
import { NOTHING_SPENT } from './retry.ts';
import { append, modelOf } from './run-state.ts';
import type { After, Run, RunState } from './run-state.ts';
import { failureLimit } from './settle.ts';
import type { Row } from './settle.ts';

/** What a model call led to: events to emit now, and the state that follows. */
export interface Advance {
  readonly events: readonly LoopEvent[];
  readonly state: RunState;
}

/** What the decision about a step rests on. */
export interface Verdict {
  readonly row: Row;
  /** Of this exchange. */
  readonly usage: Usage | undefined;
  readonly excess: Excess | undefined;
  readonly error: unknown;
  /** The step was reserved for an answer. */
  readonly isLast: boolean;
}

/** The step stands: its `step-end`, its record, and what its row says. */
export function commit(run: Run, before: RunState, step: Step, verdict: Verdict): Advance {
  const { row, excess, isLast } = verdict;
  const finish: FinishReason = row.stepEnd === 'reported' ? (step.finish?.reason ?? 'other') : (row.stepEnd as FinishReason);
  const { end, state } = ended(run, before, step, finish, verdict.usage);
  const turn = turnOf(step, { finish, usage: verdict.usage });
  const { calls } = step;
  const closeWith = (notRun: string, after: After): Advance => {
    if (calls.length > 0 && turn !== undefined) return { events: [end], state: { ...state, phase: { type: 'batch', turn, calls, notRun, after } } };
    const { events, state: next } = conclude(run, state, { ...after, ...(after.type === 'done' && { turn }) }, turn, []);
    return { events: [end, ...events], state: next };
  };
  const failed = (error: unknown, to = state): Advance => ({ events: [end], state: { ...to, phase: { type: 'failed', error } } });

  switch (row.then) {
    case 'batch':
      // A step with calls says something, so it has a turn.
      return { events: [end], state: { ...state, phase: { type: 'batch', turn: turn as AssistantMessage, calls, after: { type: 'step' } } } };
    case 'step': {
      const { events, state: next } = conclude(run, state, { type: 'step' }, turn, []);
      return { events: [end, ...events], state: next };
    }
    case 'empty':
      return failed(new EmptyAnswerError(emptyText(finish)));
    case 'spent': {
      const { budget, limit, used } = excess as Excess;
      if (row.calls === 'closed') return closeWith(NOT_RUN.spent, { type: 'done', reason: budget });
      return failed(new BudgetError(budget, limit, used), append(run, state, closed(turn, unreported(step, NOT_RUN.spent))));
    }
    case 'stopped': {
      const stop = run.stops?.stopped;
      return closeWith(NOT_RUN.stopped, { type: 'done', reason: stop !== undefined && 'reason' in stop ? stop.reason : 'aborted' });
    }
    case 'correct':
      return closeWith(NOT_RUN.failed, { type: 'correct', reason: errorText(verdict.error) });
    case 'cut':
      return closeWith(NOT_RUN[finish as 'length'], { type: 'done', reason: isLast ? 'max-steps' : (finish as Reason) });
    default: {
      const after: After = isLast ? { type: 'done', reason: 'max-steps', turn } : { type: 'answer', turn };
      const { events, state: next } = conclude(run, state, after, turn, []);
      return { events: [end, ...events], state: next };
    }
  }
}

/** Once a step and its calls are closed: the transcript grows by both, and what follows begins. */
export function conclude(run: Run, state: RunState, after: After, turn: RunState['answer'], results: readonly ToolResult[]): Advance {
  const calls = turn?.content.flatMap((part) => (part.type === 'tool-call' ? [part.call] : [])) ?? [];
  const watched = run.budget.repetition < Infinity;
  const repeats = watched ? repeated(state.repeats, state.completion.text, calls, results) : state.repeats;
  const next: RunState = { ...state, repeats };
  const goOn = (to: RunState): RunState => ({ ...to, step: to.step + 1, attempt: 1, phase: { type: 'boundary', afterAnswer: false } });

  switch (after.type) {
    case 'step':
      return { events: [], state: goOn(append(run, next, closed(turn, results))) };
    case 'correct': {
      const { runId, policy } = run;
      const max = failureLimit(policy, 'feedback');
      const count = state.failures + 1;
      const message = userMessage(`Your last response failed and was not completed: ${after.reason} Please respond again.`);
      const event: Correction = { type: 'correction', runId, step: state.step, cause: 'stream', count, max, reason: after.reason, message };
      const corrected = append(run, next, [...closed(turn, results), message]);
      return { events: [event], state: goOn({ ...corrected, failures: count }) };
    }
    case 'answer':
      return finished(next, 'answer', after.turn);
    case 'done': {
      if (results.length === 0) return finished(next, after.reason, after.turn);
      return finished(append(run, next, closed(turn, results)), after.reason, undefined);
    }
  }
}

function finished(state: RunState, reason: Reason, answer: RunState['answer']): Advance {
  return { events: [], state: { ...state, answer, phase: { type: 'done', reason } } };
}

function ended(run: Run, before: RunState, step: Step, finish: FinishReason, own: Usage | undefined): { end: StepEnd; state: RunState } {
  const { runId } = run;
  const { rawFinish, ids } = step.finish ?? {};
  const model = modelOf(run, before);
  const usage = own === undefined ? (before.abandoned ?? {}) : addUsage(before.abandoned, own);
  const { step: number, attempt } = before;
  const told = { finish, toolCalls: step.calls.length, ...(ids !== undefined && { ids }) };
  before.steps.push({
    step: number, attempts: attempt, usage: before.retracted === undefined ? usage : addUsage(before.retracted, usage), ...told, model: step.finish?.model ?? model.id,
  });
  const window = model.contextWindow;
  const used = own && totalTokens(own);
  const context = used === undefined || window === undefined ? undefined : { used, window };
  const costUsd = before.usage?.costUsd;
  return {
    end: {
      type: 'step-end', runId, step: number, attempt, usage, ...told,
      ...(rawFinish !== undefined && { rawFinish }),
      ...(context !== undefined && { context }),
      ...(costUsd !== undefined && { costUsd }),
    },
    state: {
      ...before,
      completion: completionOf(step, finish),
      context: context === undefined ? before.context : context.used / context.window,
      abandoned: undefined,
      retracted: undefined,
      spent: NOTHING_SPENT,
      failures: finish === 'error' ? before.failures : 0,
    },
  };
}

const NOT_RUN = {
  spent: 'Not executed: the run has used up its budget.',
  length: 'Not executed: the response was cut by its length limit.',
  'content-filter': 'Not executed: the response was stopped by a content filter.',
  refusal: 'Not executed: the model refused.',
  failed: 'Not executed: the response broke off.',
  stopped: 'Not executed: the run was stopped.',
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
