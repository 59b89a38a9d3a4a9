import { describe, expect, it } from '@jest/globals';
import type { DeltaOf } from '../../lib/delta.ts';
import { BudgetError, EmptyAnswerError, ModelError } from '../../lib/errors.ts';
import { Step } from '../../lib/fold/step.ts';
import { advance } from '../../lib/loop/advance.ts';
import { readOptions } from '../../lib/loop/options.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { newRun, startState } from '../../lib/loop/run-state.ts';
import { toolCall } from '../../lib/message.ts';
import type { AssistantPart, FinishReason } from '../../lib/message.ts';
import type { Usage } from '../../lib/usage.ts';
import { script } from '../../marbles/index.ts';

const text: AssistantPart = { type: 'text', text: 'hi', block: 'b' };
const call = toolCall('c', 'add', '{}');
const asked: AssistantPart = { type: 'tool-call', call };
const broken = new ModelError('model-transport', 'broke', { retryable: true });

const ended = (reason: FinishReason, parts: AssistantPart[] = [text], usage?: Usage): Step => {
  const finish: DeltaOf<'finish'> = { type: 'finish', reason, rawFinish: `raw ${reason}`, model: 'm-1', ids: { response: 'x' } };
  return new Step({ parts, calls: parts.flatMap((part) => (part.type === 'tool-call' ? [part.call] : [])), shown: true, usage, finish, failure: undefined });
};
const failed = (error: unknown, parts: AssistantPart[] = [], usage?: Usage): Step =>
  new Step({ ...ended('stop', parts, usage), shown: parts.length > 0, finish: undefined, failure: { error } });

function after(step: Step, options: Partial<ToolLoopOptions> = {}) {
  const run = newRun(readOptions({ model: script(), prompt: 'go', runId: 'r', random: () => 0, ...options }));
  return advance(run, startState(run), step);
}

describe('advance', () => {
  it('ends a step once, with its own words and the record of it', () => {
    const { events, state } = after(ended('stop', [text], { inputTokens: 2 }));
    expect(events).toEqual([
      { type: 'step-end', runId: 'r', step: 0, attempt: 1, usage: { inputTokens: 2 }, finish: 'stop', rawFinish: 'raw stop', toolCalls: 0, ids: { response: 'x' } },
    ]);
    expect(state.steps).toEqual([{ step: 0, attempts: 1, usage: { inputTokens: 2 }, finish: 'stop', toolCalls: 0, model: 'm-1', ids: { response: 'x' } }]);
    expect(state).toMatchObject({ phase: { type: 'done', reason: 'answer' }, usage: { inputTokens: 2 }, answer: { content: [text], finish: 'stop' } });
  });

  it('completes with the text, reasoning, refusal and calls of the step', () => {
    const parts: AssistantPart[] = [{ type: 'reasoning', text: 'hm' }, text, { type: 'refusal', text: 'no' }, text, asked];
    expect(after(ended('stop', parts)).state.completion).toEqual({
      text: 'hihi', reasoning: 'hm', refusal: 'no', toolCalls: [call], finish: 'tool-use', rawFinish: 'raw stop', model: 'm-1',
    });
  });

  it('runs the calls of a step and calls it tool-use, whatever the wire said', () => {
    const { events, state } = after(ended('stop', [asked]));
    expect(events[0]).toMatchObject({ finish: 'tool-use', rawFinish: 'raw stop', toolCalls: 1 });
    expect(state.phase).toEqual({ type: 'batch', turn: expect.objectContaining({ content: [asked] }), calls: [call] });
  });

  it('stores a paused turn and goes on with the next step', () => {
    const { state } = after(ended('pause'));
    expect(state).toMatchObject({ step: 1, phase: { type: 'call', fresh: true } });
    expect(state.messages.at(-1)).toMatchObject({ role: 'assistant', finish: 'pause' });
  });

  it('closes the calls of a cut step, or keeps its text as the answer', () => {
    expect(after(ended('length', [asked])).state.phase).toMatchObject({ type: 'batch', notRun: 'Not executed: the response was cut by its length limit.', reason: 'length' });
    expect(after(ended('length')).state).toMatchObject({ phase: { type: 'done', reason: 'length' }, answer: { finish: 'length' } });
  });

  it('has no answer where nothing was said', () => {
    expect(after(ended('stop', [])).state.answer).toBeUndefined();
    expect(after(ended('length', [])).state.answer).toBeUndefined();
  });

  it('fails for a cut answer without a word where the policy says so, naming the remedy', () => {
    const { events, state } = after(ended('length', []), { policy: { emptyTruncated: 'error' } });
    expect(events).toHaveLength(1);
    expect(state.phase).toMatchObject({ type: 'failed', error: expect.any(EmptyAnswerError) });
    expect((state.phase as { error: Error }).error.message).toContain('Allow more output tokens');
  });

  it('waits for a retry while nothing was shown, and remembers what the exchange reported', () => {
    const { events, state } = after(failed(broken, [], { inputTokens: 4 }));
    expect(events).toEqual([]);
    expect(state).toMatchObject({ phase: { type: 'wait', wait: { delayMs: 500 }, error: broken }, abandoned: { inputTokens: 4 }, usage: { inputTokens: 4 } });
  });

  it('adds what abandoned exchanges reported to the step', () => {
    const run = newRun(readOptions({ model: script(), prompt: 'go' }));
    const state = { ...startState(run), abandoned: { inputTokens: 4 }, usage: { inputTokens: 4 } };
    const { events, state: next } = advance(run, state, ended('stop', [text], { inputTokens: 2 }));
    expect(events[0]).toMatchObject({ usage: { inputTokens: 6 } });
    expect(next).toMatchObject({ usage: { inputTokens: 6 }, abandoned: undefined });
  });

  it('fails with the error itself, and closes what was said', () => {
    const { events, state } = after(failed(broken, [text, asked]));
    expect(events).toEqual([]);
    expect(state.phase).toEqual({ type: 'failed', error: broken });
    expect(state.messages.slice(1)).toEqual([
      { role: 'assistant', content: [text, asked], finish: 'error' },
      { role: 'tool', results: [expect.objectContaining({ callId: 'c', isError: true })] },
    ]);
  });

  it('never repeats what is fatal, or not from here', () => {
    expect(after(failed(new ModelError('model-http', 'no'))).state.phase.type).toBe('failed');
    expect(after(failed(new Error('foreign'))).state.phase.type).toBe('failed');
  });

  it('stops before the tools of a step that is over the token budget', () => {
    const over = ended('tool-use', [asked], { totalTokens: 26 });
    const error = after(over, { budget: { maxTotalTokens: 25 } });
    expect(error.state.phase).toMatchObject({ type: 'failed', error: expect.any(BudgetError) });
    expect((error.state.phase as { error: BudgetError }).error).toMatchObject({ budget: 'max-tokens', limit: 25, used: 26 });
    expect(error.state.messages.at(-1)).toMatchObject({ role: 'tool', results: [{ callId: 'c', isError: true }] });
    expect(after(over, { budget: { maxTotalTokens: 25 }, policy: { budgetEnd: 'stop' } }).state.phase).toMatchObject({ type: 'batch', reason: 'max-tokens', notRun: expect.any(String) });
    expect(after(over, { budget: { maxTotalTokens: 26 } }).state.phase).toMatchObject({ type: 'batch', calls: [call] });
  });

  it('estimates a usage that nobody reported only where a token budget asks for it', () => {
    expect(after(ended('stop')).events[0]).toMatchObject({ usage: {} });
    expect(after(ended('stop'), { budget: { maxTotalTokens: 100 } }).events[0]).toMatchObject({ usage: { inputTokens: 1, outputTokens: 1, partial: true } });
  });
});
