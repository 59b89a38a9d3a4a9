import { describe, expect, it } from '@jest/globals';
import { ModelError, RunError } from '../../lib/errors.ts';
import { done, failure } from '../../lib/loop/ending.ts';
import { readOptions } from '../../lib/loop/read-options.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { append, newRun, startState } from '../../lib/loop/run-state.ts';
import type { RunState } from '../../lib/loop/run-state.ts';
import { userMessage } from '../../lib/message.ts';
import type { AssistantMessage } from '../../lib/message.ts';
import { script } from '../../marbles/index.ts';

const turn: AssistantMessage = { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'hi' }] };
const plain: AssistantMessage = { role: 'assistant', content: [{ type: 'text', text: 'hi' }] };
const record = { step: 0, attempts: 1, usage: {}, finish: 'stop', toolCalls: 0, model: 'm' } as const;

function at(change: Partial<RunState>, options: Partial<ToolLoopOptions> = {}) {
  const run = newRun(readOptions({ model: script(), messages: [turn], prompt: 'go', runId: 'r', ...options }));
  return { run, state: { ...startState(run), ...change } };
}

describe('done', () => {
  it('holds all that the run came to', () => {
    const { run, state } = at({ usage: { inputTokens: 1 }, answer: plain, completion: { text: 'hi', toolCalls: [], finish: 'stop' } });
    state.steps.push(record);
    expect(done(run, state, 'answer')).toEqual({
      type: 'done',
      runId: 'r',
      outcome: {
        reason: 'answer',
        completion: { text: 'hi', toolCalls: [], finish: 'stop' },
        messages: [turn, userMessage('go')],
        answer: plain,
        steps: [record],
        usage: { inputTokens: 1 },
      },
    });
  });

  it('has no answer and no usage where there was none', () => {
    const { run, state } = at({});
    const { outcome } = done(run, state, 'max-steps');
    expect(outcome).not.toHaveProperty('answer');
    expect(outcome.usage).toEqual({});
  });

  it("leaves reasoning out of the run's own turns alone, unless the policy keeps it", () => {
    const own = (policy: ToolLoopOptions['policy'] & object) => {
      const { run, state } = at({ answer: turn }, { policy });
      return done(run, append(run, state, [turn]), 'answer').outcome;
    };
    expect(own({ keepReasoning: false })).toMatchObject({ messages: [turn, userMessage('go'), plain], answer: plain });
    expect(own({ keepReasoning: true })).toMatchObject({ messages: [turn, userMessage('go'), turn], answer: turn });
  });

  it('has a stored turn as its answer where the run was to go on, and did not', () => {
    const { run, state } = at({});
    const { outcome } = done(run, append(run, state, [plain]), 'aborted');
    expect(outcome).toMatchObject({ messages: [turn, userMessage('go')], answer: plain });
  });

  it('takes no turn that it was given for its answer', () => {
    const { run, state } = at({}, { messages: [userMessage('go')], prompt: plain as never });
    const { outcome } = done(run, state, 'max-steps');
    expect(outcome.messages).toEqual([userMessage('go'), plain]);
    expect(outcome).not.toHaveProperty('answer');
  });

  it('hands back what nobody has read', () => {
    const { run, state } = at({});
    expect(done(run, state, 'answer').outcome).not.toHaveProperty('unread');
    run.inbox.follow('later');
    expect(done(run, state, 'answer').outcome.unread).toEqual({ steering: [], followUp: [userMessage('later')] });
  });

  it('does not grow with the run that goes on', () => {
    const { run, state } = at({});
    const { outcome } = done(run, state, 'answer');
    append(run, state, [userMessage('later')]);
    state.steps.push(record);
    expect([outcome.messages.length, outcome.steps.length]).toEqual([2, 0]);
  });
});

describe('failure', () => {
  it('is a RunError with its cause, untouched, and what the run had come to', () => {
    const cause = new ModelError('model-http', 'no', { status: 401 });
    const { run, state } = at({ completion: { text: 'hi', toolCalls: [] } });
    const error = failure(run, state, cause);
    expect(error).toBeInstanceOf(RunError);
    expect(error.cause).toBe(cause);
    expect(error).toMatchObject({ code: 'model-http', retryable: false, message: 'no' });
    expect(error.run).toEqual({ runId: 'r', steps: [], usage: {}, messages: [turn, userMessage('go')], completion: { text: 'hi', toolCalls: [] } });
  });
});
