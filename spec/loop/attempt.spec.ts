import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { newAttempt, PLAIN_ATTEMPT, startEarly } from '../../lib/loop/attempt.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { toolCall } from '../../lib/message.ts';
import type { LoopEvent } from '../../lib/event.ts';
import { fakeTool } from '../../marbles/index.ts';
import { loopUnit } from '../support/loop-unit.ts';

const eager = { ...fakeTool(of(1)), eager: true } as const;
const ended = (name: string): LoopEvent => ({ type: 'delta', runId: 'r', step: 0, delta: { type: 'tool-call-end', index: 0, call: toolCall('c', name, '{}') } });

function attempt(options: Partial<ToolLoopOptions> = {}, calls = 1) {
  const { run, state } = loopUnit({ tools: [eager], ...options }, { calls });
  run.aside.events$.subscribe();
  return newAttempt(run, state);
}

describe('newAttempt', () => {
  it('is plain where nothing is screened and no tool may start early', () => {
    expect(attempt({ tools: [fakeTool(of(1))] })).toBe(PLAIN_ATTEMPT);
    expect(attempt({ tools: [fakeTool(of(1))], hooks: { invalidCall: () => undefined } })).toMatchObject({ eager: undefined, screen: {} });
  });

  it('starts calls early, but not where their results could not be taken back or a person may be asked', () => {
    const isEarly = (options: Partial<ToolLoopOptions> = {}, calls?: number): boolean => attempt(options, calls).eager !== undefined;
    expect(isEarly()).toBe(true);
    expect(isEarly({ hooks: { afterTool: () => undefined } })).toBe(true);
    expect(isEarly({ hooks: { beforeTool: () => undefined } })).toBe(false);
    expect(isEarly({ policy: { toolCommit: 'batch' } })).toBe(false);
    expect(isEarly({ policy: { invalidScope: 'turn' } })).toBe(false);
    expect(isEarly({ budget: { maxTotalTokens: 10 } })).toBe(false);
    expect(isEarly({ budget: { maxSteps: 1, lastStep: 'answer' } })).toBe(false);
    expect(isEarly({ budget: { maxSteps: 2, lastStep: 'answer' } })).toBe(true);
    const output = { schema: { type: 'object' } };
    expect([isEarly({ output }), isEarly({ output: { ...output, mode: 'prompt' } })]).toEqual([false, true]);
  });

  it('screens by the tools of the step, the output among them', () => {
    const { screen } = attempt({ policy: { unknownTool: 'fail' }, output: { schema: { type: 'object' } } });
    const start = (name: string) => ({ type: 'tool-call-start', index: 0, id: 'c', name }) as const;
    expect([screen?.pass(start('add')), screen?.pass(start('final_result'))]).toMatchObject([{ delta: {} }, { delta: {} }]);
    expect(() => screen?.pass(start('x'))).toThrow('the step has add, final_result');
  });
});

describe('startEarly', () => {
  it('starts a call that a delta has just completed, unless it is decided already', () => {
    const one = attempt();
    startEarly(one, { type: 'status', runId: 'r', text: 'x' });
    startEarly(one, { type: 'delta', runId: 'r', step: 0, delta: { type: 'text', block: 'b', text: 'x' } });
    expect(one.eager?.records.size).toBe(0);
    startEarly(one, ended('add'));
    expect([...(one.eager?.records.keys() ?? [])]).toEqual(['c']);

    const decided = attempt({ hooks: { invalidCall: () => undefined } });
    decided.screen?.verdicts.set('c', { content: [], isError: false });
    startEarly(decided, ended('add'));
    expect(decided.eager?.records.size).toBe(0);
    startEarly(PLAIN_ATTEMPT, ended('add'));
  });
});
