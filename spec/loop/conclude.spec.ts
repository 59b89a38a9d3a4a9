import { describe, expect, it } from '@jest/globals';
import { BudgetError, EmptyAnswerError, ModelError } from '../../lib/errors.ts';
import { advance } from '../../lib/loop/advance.ts';
import { conclude } from '../../lib/loop/conclude.ts';
import { readOptions } from '../../lib/loop/read-options.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { newRun, startState } from '../../lib/loop/run-state.ts';
import type { After, Run, RunState } from '../../lib/loop/run-state.ts';
import { toolCall, userMessage } from '../../lib/message.ts';
import type { AssistantMessage, AssistantPart, ToolResult } from '../../lib/message.ts';
import type { Step } from '../../lib/fold/step.ts';
import { NEVER } from 'rxjs';
import { script } from '../../marbles/index.ts';
import { loopUnit } from '../support/loop-unit.ts';
import { ended, failed, stopped } from '../support/steps.ts';

const text: AssistantPart = { type: 'text', text: 'hi', block: 'b' };
const call = toolCall('c', 'add', '{}');
const asked: AssistantPart = { type: 'tool-call', call };
const turn: AssistantMessage = { role: 'assistant', content: [asked] };
const plain: AssistantMessage = { role: 'assistant', content: [text] };
const result: ToolResult = { callId: 'c', name: 'add', content: [{ type: 'text', text: '1' }], isError: false };
const broken = new ModelError('model-transport', 'It broke.', { retryable: true });

function at(options: Partial<ToolLoopOptions> = {}, change: Partial<RunState> = {}): { run: Run; state: RunState } {
  const run = newRun(readOptions({ model: script(), prompt: 'go', runId: 'r', random: () => 0, ...options }));
  return { run, state: { ...startState(run), calls: 1, ...change } };
}

function after(step: Step, options?: Partial<ToolLoopOptions>, change?: Partial<RunState>) {
  const { run, state } = at(options, change);
  return advance(run, state, step);
}

describe('conclude', () => {
  const concluded = (what: After, of: AssistantMessage | undefined, results: readonly ToolResult[], options?: Partial<ToolLoopOptions>, change?: Partial<RunState>) => {
    const { run, state } = at(options, change);
    return conclude(run, state, what, of, results);
  };

  it('appends the turn and its results together, then goes on', () => {
    const { events, state } = concluded({ type: 'step' }, turn, [result]);
    expect(events).toEqual([]);
    expect(state).toMatchObject({ step: 1, attempt: 1, phase: { type: 'boundary', afterAnswer: false } });
    expect(state.messages.slice(1)).toEqual([turn, { role: 'tool', results: [result] }]);
  });

  it('appends what the model is told of a broken turn, after it', () => {
    const message = userMessage('Your last response failed and was not completed: It broke. Please respond again.');
    const { events, state } = concluded({ type: 'correct', correction: { cause: 'stream', count: 2, max: 3, reason: 'It broke.', message } }, turn, [result]);
    expect(events).toEqual([{ type: 'correction', runId: 'r', step: 0, cause: 'stream', count: 2, max: 3, reason: 'It broke.', message }]);
    expect(state.messages.slice(1)).toEqual([turn, { role: 'tool', results: [result] }, message]);
    expect(state).toMatchObject({ step: 1, failures: 2, phase: { type: 'boundary', afterAnswer: false } });
  });

  it('stores no turn that said nothing, but still corrects it', () => {
    expect(concluded({ type: 'correct', correction: { cause: 'stream', count: 1, max: 3, reason: 'x', message: userMessage('x') } }, undefined, []).state.messages).toHaveLength(2);
  });

  it('is done with an answer', () => {
    const { events, state } = concluded({ type: 'answer', turn: plain }, plain, []);
    expect(events).toEqual([]);
    expect(state).toMatchObject({ answer: plain, phase: { type: 'done', reason: 'answer' } });
    expect(state.messages).toHaveLength(1);
  });

  it('is done with the turn as the answer, or with the results after it', () => {
    expect(concluded({ type: 'done', reason: 'length', turn: plain }, plain, []).state).toMatchObject({ answer: plain, phase: { type: 'done', reason: 'length' } });
    const closed = concluded({ type: 'done', reason: 'length' }, turn, [result]).state;
    expect(closed.answer).toBeUndefined();
    expect(closed.messages.at(-1)).toEqual({ role: 'tool', results: [result] });
  });

  it('counts equal steps only where a budget asks for it', () => {
    const completion = { text: 'hi', toolCalls: [] };
    const { state } = concluded({ type: 'step' }, turn, [result], { budget: { repetition: 3 } }, { completion });
    expect(state.repeats).toMatchObject({ text: { count: 1 }, calls: { count: 1 } });
    expect(concluded({ type: 'step' }, turn, [result], {}, { completion }).state.repeats).toMatchObject({ text: { count: 0 }, calls: { count: 0 } });
  });
});

describe('what runs inside have used', () => {
  it('is counted with the step whose calls they were', () => {
    const { run, state } = loopUnit({}, { usage: { inputTokens: 1 } });
    run.nested = { inputTokens: 10 };
    const { state: next } = conclude(run, state, { type: 'step' }, undefined, []);
    expect([next.usage, next.nestedUsage, run.nested]).toEqual([{ inputTokens: 11 }, { inputTokens: 10 }, undefined]);
  });
});

describe('a correction', () => {
  const corrected = (cause: 'stream' | 'output' | 'hook') => {
    const { run, state } = loopUnit({}, { failures: 5, repairs: 5, corrections: 5 });
    const { failures, repairs, corrections, phase } = conclude(run, state, { type: 'correct', correction: { cause, count: 6, max: 9, reason: 'x', message: userMessage('x') } }, undefined, []).state;
    return { failures, repairs, corrections, phase: phase.type };
  };

  it('counts by its cause', () => {
    expect(corrected('stream')).toEqual({ failures: 6, repairs: 5, corrections: 5, phase: 'boundary' });
    expect(corrected('output')).toEqual({ failures: 5, repairs: 6, corrections: 5, phase: 'boundary' });
    expect(corrected('hook')).toEqual({ failures: 5, repairs: 5, corrections: 6, phase: 'boundary' });
  });
});
