import { describe, expect, it } from '@jest/globals';
import { BudgetError, EmptyAnswerError, ModelError } from '../../lib/errors.ts';
import { advance } from '../../lib/loop/advance.ts';
import { readOptions } from '../../lib/loop/read-options.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { newRun, startState } from '../../lib/loop/run-state.ts';
import type { Run, RunState } from '../../lib/loop/run-state.ts';
import { toolCall, userMessage } from '../../lib/message.ts';
import type { AssistantMessage, AssistantPart, ToolResult } from '../../lib/message.ts';
import type { Step } from '../../lib/fold/step.ts';
import { NEVER } from 'rxjs';
import { script } from '../../marbles/index.ts';
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

describe('a step that stands', () => {
  it('ends once, with its own words and the record of it', () => {
    const { events, state } = after(ended('stop', [text], { inputTokens: 2 }));
    expect(events).toEqual([
      { type: 'step-end', runId: 'r', step: 0, attempt: 1, usage: { inputTokens: 2 }, finish: 'stop', rawFinish: 'raw stop', toolCalls: 0, ids: { response: 'x' } },
    ]);
    expect(state.steps).toEqual([{ step: 0, attempts: 1, usage: { inputTokens: 2 }, finish: 'stop', toolCalls: 0, model: 'm-1', ids: { response: 'x' } }]);
    expect(state).toMatchObject({ phase: { type: 'done', reason: 'answer' }, usage: { inputTokens: 2 }, answer: { content: [text], finish: 'stop' } });
  });

  it('completes with its text, reasoning, refusal and calls', () => {
    const parts: AssistantPart[] = [{ type: 'reasoning', text: 'hm' }, text, { type: 'refusal', text: 'no' }, text, asked];
    expect(after(ended('stop', parts)).state.completion).toEqual({
      text: 'hihi', reasoning: 'hm', refusal: 'no', toolCalls: [call], finish: 'tool-use', rawFinish: 'raw stop', model: 'm-1',
    });
  });

  it('counts its attempts, and what the withdrawn ones used', () => {
    const { events, state } = after(ended('stop', [text], { inputTokens: 2 }), {}, { attempt: 3, retracted: { inputTokens: 10 }, abandoned: { inputTokens: 5 } });
    expect(events[0]).toMatchObject({ attempt: 3, usage: { inputTokens: 7 } });
    expect(state.steps).toMatchObject([{ attempts: 3, usage: { inputTokens: 17 } }]);
    expect(state).toMatchObject({ retracted: undefined, abandoned: undefined, spent: { count: 0 } });
  });

  it('says how full the window is, and what the run has cost', () => {
    const model = { ...script(), contextWindow: 200, price: { input: 1_000_000, output: 0 } };
    const { events, state } = after(ended('stop', [text], { inputTokens: 20, outputTokens: 30 }), { model }, { usage: { costUsd: 5, inputTokens: 5, outputTokens: 0 } });
    expect(events[0]).toMatchObject({ context: { used: 50, window: 200 }, costUsd: 25 });
    expect(state.context).toBe(0.25);
    expect(after(ended('stop'), { model }).events[0]).not.toHaveProperty('context');
    expect(after(ended('stop', [text], { totalTokens: 5 })).events[0]).not.toHaveProperty('costUsd');
  });

  it('keeps the last share of the window that was known', () => {
    expect(after(ended('pause'), {}, { context: 0.5 }).state.context).toBe(0.5);
  });

  it('makes failures in a row begin anew', () => {
    expect(after(ended('pause'), {}, { failures: 2 }).state.failures).toBe(0);
  });

  it('runs its calls and is called tool-use, whatever the wire said', () => {
    const { events, state } = after(ended('stop', [asked]));
    expect(events[0]).toMatchObject({ finish: 'tool-use', rawFinish: 'raw stop', toolCalls: 1 });
    expect(state.phase).toEqual({ type: 'batch', turn: expect.objectContaining({ content: [asked] }), calls: [call], after: { type: 'step' } });
  });

  it('is stored and followed by the next where it pauses', () => {
    const { state } = after(ended('pause'));
    expect(state).toMatchObject({ step: 1, attempt: 1, phase: { type: 'boundary', afterAnswer: false } });
    expect(state.messages.at(-1)).toMatchObject({ role: 'assistant', finish: 'pause' });
  });

  it('closes its calls where it was cut, or keeps its text as the answer', () => {
    expect(after(ended('length', [asked])).state.phase).toMatchObject({
      type: 'batch', notRun: 'Not executed: the response was cut by its length limit.', after: { type: 'done', reason: 'length' },
    });
    expect(after(ended('length')).state).toMatchObject({ phase: { type: 'done', reason: 'length' }, answer: { finish: 'length' } });
  });

  it.each(['content-filter', 'refusal'] as const)('says in the results of its calls that it ended with %s', (reason) => {
    expect(after(ended(reason, [asked])).state.phase).toMatchObject({ notRun: expect.stringMatching(/^Not executed: the (response was stopped by a content filter|model refused)\.$/) });
  });

  it('has no answer where nothing was said', () => {
    expect(after(ended('stop', [])).state.answer).toBeUndefined();
    expect(after(ended('length', []), { policy: { emptyTruncated: 'accept' } }).state.answer).toBeUndefined();
  });

  it('fails the run where it was cut before a word, naming the remedy', () => {
    const { events, state } = after(ended('length', []));
    expect(events).toHaveLength(1);
    expect(state.phase).toMatchObject({ type: 'failed', error: expect.any(EmptyAnswerError) });
    expect((state.phase as { error: Error }).error.message).toContain('Allow more output tokens');
    expect((after(ended('refusal', [])).state.phase as { error: Error }).error.message).toBe('The answer ended with "refusal" before anything was said.');
  });

  it('does not run its calls over the budget of tokens, which ends the run', () => {
    const over = ended('tool-use', [asked], { totalTokens: 26 });
    const error = after(over, { budget: { maxTotalTokens: 25 }, policy: { budgetEnd: 'error' } });
    expect(error.state.phase).toMatchObject({ type: 'failed', error: expect.any(BudgetError) });
    expect((error.state.phase as { error: BudgetError }).error).toMatchObject({ budget: 'max-tokens', limit: 25, used: 26 });
    expect(error.state.messages.at(-1)).toMatchObject({ role: 'tool', results: [{ callId: 'c', isError: true }] });
    expect(after(over, { budget: { maxTotalTokens: 25 } }).state.phase).toMatchObject({
      type: 'batch', notRun: 'Not executed: the run has used up its budget.', after: { type: 'done', reason: 'max-tokens' },
    });
    expect(after(over, { budget: { maxTotalTokens: 26 } }).state.phase).toMatchObject({ type: 'batch', calls: [call], after: { type: 'step' } });
  });

  it('does not run its calls over the budget of money', () => {
    const model = { ...script(), price: { input: 1_000_000, output: 0 } };
    const over = ended('tool-use', [asked], { inputTokens: 3, outputTokens: 0 });
    expect(after(over, { model, budget: { maxCostUsd: 2 } }).state.phase).toMatchObject({ type: 'batch', notRun: expect.any(String), after: { type: 'done', reason: 'max-cost' } });
    const { state } = after(over, { model, budget: { maxCostUsd: 2 }, policy: { budgetEnd: 'error' } });
    expect((state.phase as { error: BudgetError }).error).toMatchObject({ budget: 'max-cost', limit: 2, used: 3 });
  });

  it('is aborted where the run was told to stop, for the reason that was given', () => {
    const { run, state } = at({ abort$: NEVER });
    run.stops?.set({ reason: 'max-duration' });
    const { events, state: next } = advance(run, state, stopped([text, asked]));
    expect(events).toMatchObject([{ type: 'step-end', finish: 'aborted', toolCalls: 1 }]);
    expect(next.phase).toMatchObject({ type: 'batch', notRun: 'Not executed: the run was stopped.', after: { type: 'done', reason: 'max-duration' } });
    const empty = advance(run, state, stopped());
    expect(empty.state).toMatchObject({ phase: { type: 'done', reason: 'max-duration' }, answer: undefined });
    expect(empty.state.messages).toHaveLength(1);
  });

  it('keeps the aborted text as the answer', () => {
    const { run, state } = at({ abort$: NEVER });
    run.stops?.set({ reason: 'aborted' });
    expect(advance(run, state, stopped([text])).state.answer).toMatchObject({ content: [text], finish: 'aborted' });
  });

  it('fails where what stopped the run was an error', () => {
    const { run, state } = at({ abort$: NEVER });
    const error = new Error('a notifier broke');
    run.stops?.set({ error });
    const { events, state: next } = advance(run, state, stopped([text, asked]));
    expect([events, next.phase]).toEqual([[], { type: 'failed', error }]);
    expect(next.messages.at(-1)).toMatchObject({ role: 'tool', results: [{ callId: 'c', isError: true }] });
  });

  it('closes the calls of a broken one before the model is told', () => {
    const { events, state } = after(failed(broken, [text, asked]));
    expect(events).toMatchObject([{ type: 'step-end', finish: 'error', toolCalls: 1 }]);
    expect(state.phase).toMatchObject({ type: 'batch', notRun: 'Not executed: the response broke off.', after: { type: 'correct', correction: { cause: 'stream', reason: 'It broke.' } } });
  });
});
