import { describe, expect, it } from '@jest/globals';
import { ended } from '../../lib/loop/step-end.ts';
import { toolCall } from '../../lib/message.ts';
import { script } from '../../marbles/index.ts';
import { loopUnit } from '../support/loop-unit.ts';
import { ended as step } from '../support/steps.ts';

describe('ended', () => {
  it('says the step with all that it used, its record with what its withdrawn attempts used', () => {
    const { run, state } = loopUnit({}, { attempt: 2, abandoned: { inputTokens: 1 }, retracted: { inputTokens: 10 } });
    const { end, state: after } = ended(run, state, step('stop'), 'stop', { inputTokens: 100 }, undefined);
    expect(end).toEqual({ type: 'step-end', runId: 'r', step: 0, attempt: 2, usage: { inputTokens: 101 }, finish: 'stop', toolCalls: 0, ids: { response: 'x' }, rawFinish: 'raw stop' });
    expect(after.steps).toEqual([{ step: 0, attempts: 2, usage: { inputTokens: 111 }, finish: 'stop', toolCalls: 0, ids: { response: 'x' }, model: 'm-1' }]);
    expect(after).toMatchObject({ abandoned: undefined, retracted: undefined, spent: { count: 0 } });
  });

  it('says how full the window is, and what the run has cost, where that is known', () => {
    const { run, state } = loopUnit({ model: { ...script(), contextWindow: 100 } }, { usage: { costUsd: 0.5 } });
    const { end, state: after } = ended(run, state, step('stop'), 'stop', { totalTokens: 25 }, undefined);
    expect([end.context, end.costUsd, after.context]).toEqual([{ used: 25, window: 100 }, 0.5, 0.25]);
    expect(ended(run, { ...state, context: 0.5 }, step('stop'), 'stop', undefined, undefined).state.context).toBe(0.5);
  });

  it('completes with the output, where it is one', () => {
    const { run, state } = loopUnit();
    expect(ended(run, state, step('stop'), 'stop', undefined, { json: { a: 1 } }).state.completion).toMatchObject({ text: 'hi', json: { a: 1 } });
    expect(ended(run, state, step('stop'), 'stop', undefined, undefined).state.completion).not.toHaveProperty('json');
  });

  it('keeps the count of failures for a step that broke, and begins it anew after one that did not', () => {
    const { run, state } = loopUnit({}, { failures: 2 });
    const call = toolCall('c', 'add', '{}');
    expect(ended(run, state, step('error'), 'error', undefined, undefined).state.failures).toBe(2);
    expect(ended(run, state, step('tool-use', [{ type: 'tool-call', call }]), 'tool-use', undefined, undefined)).toMatchObject({ end: { toolCalls: 1 }, state: { failures: 0, completion: { toolCalls: [call] } } });
  });
});
