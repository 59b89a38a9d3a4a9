import type { Correction, LoopEvent } from '../event.ts';
import type { ToolResult } from '../message.ts';
import type { Reason } from '../outcome.ts';
import { closed } from './close.ts';
import { withNested } from './ending.ts';
import { repeated } from './repetition.ts';
import { append } from './run-state.ts';
import type { After, Run, RunState } from './run-state.ts';

/** What a model call led to: events to emit now, and the state that follows. */
export interface Advance {
  readonly events: readonly LoopEvent[];
  readonly state: RunState;
}

/** Once a step and its calls are closed: the transcript grows by both, and what follows begins. */
export function conclude(run: Run, before: RunState, after: After, turn: RunState['answer'], results: readonly ToolResult[]): Advance {
  const state = withNested(run, before);
  const calls = turn?.content.flatMap((part) => (part.type === 'tool-call' ? [part.call] : [])) ?? [];
  const watched = run.budget.repetition < Infinity;
  const repeats = watched ? repeated(state.repeats, state.completion.text, calls, results) : state.repeats;
  const next: RunState = { ...state, repeats };
  const goOn = (to: RunState): RunState => ({ ...to, step: to.step + 1, attempt: 1, patch: undefined, phase: { type: 'boundary', afterAnswer: false } });

  switch (after.type) {
    case 'step':
      return { events: [], state: goOn(append(run, { ...next, repairs: results.length > 0 ? 0 : next.repairs }, closed(turn, results))) };
    case 'correct': {
      const { correction } = after;
      const { cause, count, message } = correction;
      const event: Correction = { type: 'correction', runId: run.runId, step: state.step, ...correction };
      const corrected = append(run, next, [...closed(turn, results), message]);
      const counted = cause === 'stream' ? { failures: count } : cause === 'output' ? { repairs: count } : { corrections: count };
      return { events: [event], state: goOn({ ...corrected, ...counted }) };
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
