import { describe, expect, it } from '@jest/globals';
import { of, Subject } from 'rxjs';
import { ModelError } from '../../lib/errors.ts';
import type { LoopEvent } from '../../lib/event.ts';
import { Step } from '../../lib/fold/step.ts';
import { advance } from '../../lib/loop/advance.ts';
import { PLAIN_ATTEMPT } from '../../lib/loop/attempt.ts';
import type { Review } from '../../lib/loop/review.ts';
import { readOptions } from '../../lib/loop/read-options.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { newRun, startState } from '../../lib/loop/run-state.ts';
import type { RunState } from '../../lib/loop/run-state.ts';
import { toolCall } from '../../lib/message.ts';
import type { AssistantPart } from '../../lib/message.ts';
import type { Model } from '../../lib/model.ts';
import { fakeTool, script } from '../../marbles/index.ts';
import { loopUnit } from '../support/loop-unit.ts';
import { ended, failed } from '../support/steps.ts';

const text: AssistantPart = { type: 'text', text: 'hi', block: 'b' };
const asked: AssistantPart = { type: 'tool-call', call: toolCall('c', 'add', '{}') };
const broken = new ModelError('model-transport', 'broke', { retryable: true });
const busy = (retryAfterMs: number): ModelError => new ModelError('model-http', 'busy', { retryable: true, retryAfterMs });
const named = (id: string): Model => ({ ...script(), id });

function after(step: Step, options: Partial<ToolLoopOptions> = {}, change: Partial<RunState> = {}) {
  const run = newRun(readOptions({ model: script(), prompt: 'go', runId: 'r', random: () => 0, ...options }));
  return advance(run, { ...startState(run), calls: 1, ...change }, step);
}

describe('advance', () => {
  it('ends a step that succeeded', () => {
    const { events, state } = after(ended('stop'));
    expect(events.map(({ type }) => type)).toEqual(['step-end']);
    expect(state.phase).toEqual({ type: 'done', reason: 'answer' });
  });

  it('waits for a retry while nothing was shown, and remembers what the exchange reported', () => {
    const { events, state } = after(failed(broken, [], { inputTokens: 4 }));
    expect(events).toEqual([]);
    expect(state).toMatchObject({
      phase: { type: 'wait', wait: { delayMs: 500 }, reason: 'broke', fresh: false },
      abandoned: { inputTokens: 4, partial: true },
      usage: { inputTokens: 4, partial: true },
      attempt: 1,
    });
  });

  it('has nothing to count for an exchange that said nothing at all', () => {
    expect(after(failed(broken)).state).toMatchObject({ abandoned: undefined, usage: undefined });
  });

  it('adds what abandoned exchanges reported to the step', () => {
    const { events, state } = after(ended('stop', [text], { inputTokens: 2 }), {}, { abandoned: { inputTokens: 4 }, usage: { inputTokens: 4 } });
    expect(events[0]).toMatchObject({ usage: { inputTokens: 6 } });
    expect(state).toMatchObject({ usage: { inputTokens: 6 }, abandoned: undefined });
  });

  it('fails with the error itself, and closes what was said', () => {
    const { events, state } = after(failed(broken, [text, asked]), { preset: 'strict' });
    expect(events).toEqual([]);
    expect(state.phase).toEqual({ type: 'failed', error: broken });
    expect(state.messages.slice(1)).toEqual([
      { role: 'assistant', content: [text, asked], finish: 'error', usage: { partial: true } },
      { role: 'tool', results: [expect.objectContaining({ callId: 'c', isError: true })] },
    ]);
  });

  it('never repeats what is fatal, or not from here, unless the port says so', () => {
    expect(after(failed(new ModelError('model-http', 'no'))).state.phase.type).toBe('failed');
    expect(after(failed(new Error('foreign'))).state.phase.type).toBe('failed');
    expect(after(failed(new Error('foreign')), { retry: { classify: () => 'transient' } }).state.phase.type).toBe('wait');
    expect(after(failed(broken), { retry: { classify: () => 'fatal' } }).state.phase.type).toBe('failed');
    expect(after(failed(broken), { retry: { classify: () => undefined } }).state.phase.type).toBe('wait');
  });

  it('goes to the next model, with retries of its own, and counts what the first one reported', () => {
    const model = [named('small'), named('big')];
    const { events, state } = after(failed(new ModelError('model-http', 'no'), [], { inputTokens: 4 }), { model }, { spent: { count: 2, waitedMs: 9 } });
    expect(events).toEqual([{ type: 'fallback', runId: 'r', step: 0, from: 'small', to: 'big', reason: 'no' }]);
    expect(state).toMatchObject({ model: 1, spent: { count: 0, waitedMs: 0 }, abandoned: { inputTokens: 4 }, phase: { type: 'call', fresh: false }, attempt: 1 });
  });

  it('passes over a model that cannot serve the run, and stays with the last', () => {
    const [bare, able] = [{ ...named('bare'), capabilities: [] }, named('able')];
    const tools = [fakeTool(of(1))];
    const fatal = failed(new ModelError('model-http', 'no'));
    expect(after(fatal, { model: [named('first'), bare, able], tools }).events[0]).toMatchObject({ to: 'able' });
    expect(after(fatal, { model: [named('first'), bare], tools }).state.phase.type).toBe('failed');
    expect(after(fatal, { model: [named('first'), able] }, { model: 1 }).state.phase.type).toBe('failed');
  });

  it('withdraws what was shown, by name, and begins the next attempt with a wait', () => {
    const step = new Step({ ...failed(broken, [text, asked], { outputTokens: 3 }), blocks: ['b'], callIds: ['c', 'd'] });
    const { events, state } = after(step, { policy: { streamFailure: { retract: 2 } } }, { abandoned: { outputTokens: 1 }, retracted: { outputTokens: 5 } });
    expect(events).toEqual([{ type: 'step-retract', runId: 'r', step: 0, attempt: 1, reason: 'broke', blocks: ['b'], callIds: ['c', 'd'], usage: { outputTokens: 4, partial: true } }]);
    expect(state).toMatchObject({
      attempt: 2, failures: 1, abandoned: undefined, retracted: { outputTokens: 9 }, usage: { outputTokens: 3 }, steps: [],
      phase: { type: 'wait', wait: { delayMs: 500 }, reason: 'broke', fresh: true },
    });
    expect(state.messages).toHaveLength(1);
  });

  it('waits for the next attempt by its own count, not by that of the one that was withdrawn', () => {
    const step = failed(broken, [text]);
    const { state } = after(step, { policy: { streamFailure: { retract: 2 } }, retry: { count: 1 } }, { spent: { count: 1, waitedMs: 500 } });
    expect(state.phase).toMatchObject({ type: 'wait', wait: { delayMs: 500 }, fresh: true });
  });

  it('begins the next attempt at once without retries, and with the next model where there is one', () => {
    const policy = { streamFailure: { retract: 2 } };
    expect(after(failed(broken, [text]), { policy, retry: { count: 0 } }).state.phase).toMatchObject({ type: 'wait', wait: undefined, fresh: true });
    const { events, state } = after(failed(broken, [text]), { policy, model: [named('small'), named('big')] });
    expect(events.map(({ type }) => type)).toEqual(['step-retract']);
    expect(state).toMatchObject({ model: 1, attempt: 2, phase: { type: 'wait', wait: undefined, fresh: true, from: 0 } });
  });

  it.each([{ retract: 2 }, { feedback: 2 }])('calls nobody again who asks for more time than there is, with %j', (streamFailure) => {
    for (const retry of [{}, { count: 0 }]) {
      const { events, state } = after(failed(busy(99_000), [text]), { policy: { streamFailure }, retry });
      expect([events, state.phase.type]).toEqual([[], 'failed']);
    }
    expect(after(failed(busy(99_000), [text]), { policy: { streamFailure }, retry: { retryAfter: 'clamp' } }).state.phase.type).not.toBe('failed');
  });

  it('keeps the time that a provider asks for before the next attempt', () => {
    const { state } = after(failed(busy(900), [text]), { policy: { streamFailure: { retract: 2 } } });
    expect(state.phase).toMatchObject({ type: 'wait', wait: { delayMs: 900, retryAfter: true }, fresh: true });
  });

  it('tells the model of what broke, and counts it', () => {
    const { events, state } = after(failed(broken, [text]), { policy: { streamFailure: { feedback: 2 } } }, { failures: 1 });
    expect(events.map((event) => ('finish' in event ? event.finish : event.type))).toEqual(['error', 'correction']);
    expect(state).toMatchObject({ failures: 2, step: 1, phase: { type: 'boundary' } });
  });

  it('fails at the failure over the limit, and where no call is left', () => {
    const policy = { streamFailure: { feedback: 2 } };
    expect(after(failed(broken, [text]), { policy }, { failures: 2 }).state.phase).toEqual({ type: 'failed', error: broken });
    expect(after(failed(broken, [text]), { policy, budget: { maxSteps: 1 } }).state.phase).toEqual({ type: 'failed', error: broken });
  });

  it('estimates a usage that nobody reported only where a budget asks for it', () => {
    expect(after(ended('stop')).events[0]).toMatchObject({ usage: {} });
    expect(after(ended('stop'), { budget: { maxTotalTokens: 100 } }).events[0]).toMatchObject({ usage: { inputTokens: 1, outputTokens: 1, partial: true } });
  });

  it('counts what the model costs, of broken exchanges too', () => {
    const model = { ...script(), price: { input: 1, output: 2 } };
    expect(after(ended('stop', [text], { inputTokens: 10, outputTokens: 5 }), { model }).state.usage).toMatchObject({ costUsd: 0.00002 });
    expect(after(failed(broken, [], { inputTokens: 10, outputTokens: 5 }), { model }).state.usage).toMatchObject({ costUsd: 0.00002, partial: true });
  });

  it('ignores the calls of a step that was reserved for an answer', () => {
    const { events, state } = after(ended('tool-use', [text, asked]), { budget: { maxSteps: 1, lastStep: 'answer' } });
    expect(events).toMatchObject([{ type: 'step-end', toolCalls: 0 }]);
    expect(state).toMatchObject({ phase: { type: 'done', reason: 'max-steps' }, answer: { content: [text] }, completion: { toolCalls: [] } });
  });
});

describe('what somebody says of a step that ended well', () => {
  const advanced = (review: Review, options: Partial<ToolLoopOptions> = {}, change: Partial<RunState> = {}) => {
    const { run, state } = loopUnit({ hooks: { afterStep: () => undefined }, ...options }, { calls: 1, ...change });
    return { run, ...advance(run, state, ended('stop', undefined, { inputTokens: 1 }), PLAIN_ATTEMPT, review) };
  };
  const types = ({ events }: { events: readonly LoopEvent[] }): string[] => events.map((event) => (event.type === 'delta' ? event.delta.type : event.type));

  it('shows the finish that was held, before the end of the step', () => {
    expect(types(advanced({}))).toEqual(['finish', 'step-end']);
  });

  it('10: withdraws the attempt, which never shows its finish', () => {
    const { events, state } = advanced({ verdict: { type: 'retract', reason: 'Rude.' } });
    expect(events).toEqual([{ type: 'step-retract', runId: 'r', step: 0, attempt: 1, reason: 'Rude.', blocks: [], callIds: [], usage: { inputTokens: 1 }, finish: 'stop' }]);
    expect(state).toMatchObject({ step: 0, attempt: 2, retracted: { inputTokens: 1 }, usage: { inputTokens: 1 }, phase: { type: 'call', fresh: true } });
  });

  it('10: ends by the budget where no call is left', () => {
    expect(advanced({ verdict: { type: 'retract' } }, { budget: { maxSteps: 1 } }).state.phase).toEqual({ type: 'done', reason: 'max-steps' });
  });

  it('11: tells the model, and counts it', () => {
    const said = advanced({ verdict: { type: 'correct', message: 'Shorter.' } });
    expect(types(said)).toEqual(['finish', 'step-end', 'correction']);
    expect(said.state).toMatchObject({ step: 1, corrections: 1, phase: { type: 'boundary' } });
  });

  it('12: stops the run', () => {
    const { run, state } = advanced({ verdict: { type: 'stop', reason: 'Enough.' } });
    expect([state.phase, run.stops?.stopped]).toEqual([{ type: 'done', reason: 'stopped' }, { reason: 'stopped', text: 'Enough.' }]);
  });

  it('fails with whoever was asked; what was said is closed', () => {
    const error = new Error('boom');
    const { events, state } = advanced({ failed: { error } });
    expect([events, state.phase, state.messages.length]).toEqual([[], { type: 'failed', error }, 2]);
  });

  it('ends with the output, repairs it, or does without it', () => {
    const output = { schema: { type: 'object' }, repairs: 1 };
    const wrong = { output: { ok: false, path: '', reason: 'No.', text: 'hi' } } as const;
    expect(advanced({ output: { ok: true, json: { a: 1 }, text: 'hi' } }, { output }).state).toMatchObject({ phase: { type: 'done', reason: 'output' }, completion: { json: { a: 1 } } });
    expect(advanced(wrong, { output }).state).toMatchObject({ phase: { type: 'boundary' }, repairs: 1 });
    expect(advanced(wrong, { output }, { repairs: 1 }).state.phase).toMatchObject({ type: 'failed', error: { code: 'output' } });
    expect(advanced(wrong, { output, policy: { outputFailure: 'accept' } }, { repairs: 1 }).state.phase).toEqual({ type: 'done', reason: 'answer' });
  });
});

describe('the next model', () => {
  const failing = failed(new ModelError('model-http', 'No.', { status: 400, retryable: false }));

  it('is called with what hooks made of the call, but for the model that failed', () => {
    const [first, second] = [named('first'), named('second')];
    const patch = { model: first, system: 'x', messages: [], tools: [], toolChoice: 'none', options: {} } as const;
    const { run, state } = loopUnit({ model: [first, second] }, { calls: 1, patch });
    expect(advance(run, state, failing).state.patch).toEqual({ ...patch, model: second });
  });

  it('can serve the tools that came, and the messages as they are now', () => {
    const { run, state } = loopUnit({ model: [named('first'), { ...named('none'), capabilities: [] }, named('last')], tools: new Subject<never>() }, { calls: 1 });
    expect(advance(run, { ...state, tools: new Map([['add', fakeTool(of(1))]]) }, failing).state.model).toBe(2);
    expect(advance(run, state, failing).state.model).toBe(1);
  });
});
