import { OutputError } from '../control-errors.ts';
import { BudgetError, EmptyAnswerError, errorText } from '../errors.ts';
import { Step } from '../fold/step.ts';
import type { StepAnswer, StopAnswer } from '../hooks.ts';
import { CallRecord } from '../invoke/call-record.ts';
import type { AssistantMessage, FinishReason, ToolCall } from '../message.ts';
import type { Reason } from '../outcome.ts';
import type { Usage } from '../usage.ts';
import type { Attempt } from './attempt.ts';
import type { Excess } from './budget.ts';
import { closed, turnOf, unreported } from './close.ts';
import { conclude } from './conclude.ts';
import type { Advance } from './conclude.ts';
import { NOT_RUN, ofHook, ofOutput, ofStream, refusal } from './correction.ts';
import { halt } from './hook-chain.ts';
import type { OutputVerdict } from './output.ts';
import type { Review } from './review.ts';
import { append } from './run-state.ts';
import type { After, Run, RunState } from './run-state.ts';
import type { CallVerdict } from './screen.ts';
import type { Row } from './settle.ts';
import { ended } from './step-end.ts';

/** What the decision about a step rests on. */
export interface Verdict {
  readonly row: Row;
  /** Of this exchange. */
  readonly usage: Usage | undefined;
  readonly excess: Excess | undefined;
  readonly error: unknown;
  /** The step was reserved for an answer. */
  readonly isLast: boolean;
  readonly attempt: Attempt;
  readonly review: Review;
}

/** The step stands: its `step-end`, its record, and what its row says. */
export function commit(run: Run, before: RunState, step: Step, verdict: Verdict): Advance {
  const { row, excess, isLast, attempt, review } = verdict;
  const output = review.output?.ok === true ? review.output : undefined;
  const isAnswer = row.then === 'output' || row.then === 'accept';
  const said = isAnswer && review.output !== undefined ? asText(step, review.output.text) : step;
  const finish = finishOf(said, row);
  const { end, state } = ended(run, before, said, finish, verdict.usage, output);
  const turn = turnOf(said, { finish, usage: verdict.usage });
  const { calls } = said;
  const follow = (after: After): Advance => {
    const { events, state: next } = conclude(run, state, after, turn, []);
    return { events: [end, ...events], state: next };
  };
  const closeWith = (notRun: string, after: After, verdicts = new Map<string, CallVerdict>()): Advance => {
    if (calls.length > 0 && turn !== undefined) {
      attempt.eager?.stop();
      const records = recordsOf(calls, attempt, verdicts);
      return { events: [end], state: { ...state, phase: { type: 'batch', turn, calls, notRun, after, ...(records && { records }) } } };
    }
    return follow({ ...after, ...(after.type === 'done' && { turn }) });
  };
  const failed = (error: unknown, to = state): Advance => ({ events: [end], state: { ...to, phase: { type: 'failed', error } } });

  switch (row.then) {
    case 'batch': {
      const records = recordsOf(calls, attempt);
      const spoiled = attempt.screen?.spoiled === true ? { notRun: NOT_RUN.spoiled } : {};
      // A step with calls says something, so it has a turn.
      return { events: [end], state: { ...state, phase: { type: 'batch', turn: turn as AssistantMessage, calls, ...spoiled, ...(records && { records }), after: { type: 'step' } } } };
    }
    case 'step':
      return follow({ type: 'step' });
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
    case 'halted':
      halt(run, review.verdict as StopAnswer);
      return closeWith(NOT_RUN.stopped, { type: 'done', reason: 'stopped' });
    case 'correct':
      return closeWith(NOT_RUN.failed, { type: 'correct', correction: ofStream(run, state, errorText(verdict.error)) });
    case 'amend':
      return closeWith(NOT_RUN.corrected, { type: 'correct', correction: ofHook(run, state, review.verdict as Extract<StepAnswer, { type: 'correct' }>) });
    case 'repair':
    case 'unmet': {
      const wrong = review.output as Extract<OutputVerdict, { ok: false }>;
      const verdicts = new Map(wrong.callId === undefined ? [] : [[wrong.callId, refusal(wrong)]]);
      if (row.then === 'repair') return closeWith(NOT_RUN.unmet, { type: 'correct', correction: ofOutput(run, state, wrong) }, verdicts);
      return failed(new OutputError(wrong.path, wrong.reason), append(run, state, closed(turn, unreported(step, NOT_RUN.unmet))));
    }
    case 'output':
      return follow({ type: 'done', reason: 'output', turn });
    case 'cut':
      return closeWith(NOT_RUN[finish as 'length'], { type: 'done', reason: isLast ? 'max-steps' : (finish as Reason) });
    // `answer`, and `accept`
    default:
      return follow(isLast ? { type: 'done', reason: 'max-steps', turn } : { type: 'answer', turn });
  }
}

function emptyText(finish: FinishReason): string {
  const remedy = finish === 'length' ? ' Allow more output tokens, or ask for less reasoning.' : '';
  return `The answer ended with "${finish}" before anything was said.${remedy}`;
}

/** What a step is reported to have ended with. The calls of one that became the answer are dropped. */
function finishOf(step: Step, row: Row): FinishReason {
  if (row.stepEnd !== 'reported') return row.stepEnd as FinishReason;
  const reason = step.finish?.reason ?? 'other';
  return (row.then === 'output' || row.then === 'accept') && reason === 'tool-use' ? 'stop' : reason;
}

/** The output, good or not, as the turn's text, in place of the call that carried it: providers take no call without its result. */
function asText(step: Step, text: string): Step {
  if (step.calls.length === 0) return step;
  const parts = step.parts.filter(({ type }) => type !== 'tool-call');
  return new Step({ ...step, calls: [], parts: [...parts, { type: 'text', text }] });
}

/** How far the calls have come before their batch begins; undefined where none has. */
function recordsOf(calls: readonly ToolCall[], { eager, screen }: Attempt, verdicts: ReadonlyMap<string, CallVerdict> = new Map()): CallRecord[] | undefined {
  const known = (eager?.records.size ?? 0) + (screen?.verdicts.size ?? 0) + verdicts.size;
  if (known === 0) return undefined;
  return calls.map((call, index) => {
    const record = eager?.records.get(call.id) ?? new CallRecord(call);
    record.index = index;
    record.verdict = verdicts.get(call.id) ?? screen?.verdicts.get(call.id);
    return record;
  });
}
