import { describe, expect, it } from '@jest/globals';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { surroundings } from '../../lib/loop/surroundings.ts';
import type { RunState } from '../../lib/loop/run-state.ts';
import { loopUnit } from '../support/loop-unit.ts';

const model = { ...scripted([]), price: { input: 1, output: 1 } };

function around(budget: ToolLoopOptions['budget'], change: Partial<RunState> = {}) {
  const { run, state } = loopUnit({ model, ...(budget && { budget }), approvals: () => undefined }, change);
  return { run, around: surroundings(run, state, () => undefined) };
}

describe('surroundings', () => {
  it('are what a run inside takes from the run around it', () => {
    const { run, around: told } = around(undefined);
    expect(told).toMatchObject({ runId: 'r', depth: 0, scheduler: run.scheduler, ids: run.ids, random: run.random, approvals: run.approvals, given: run.desk.given });
  });

  it('leave nothing out where nothing binds', () => {
    expect(around(undefined).around.left()).toEqual({});
  });

  it('leave what the run has not used, what runs inside it have used included', () => {
    const usage = { inputTokens: 10, outputTokens: 5, costUsd: 0.25 };
    const { run, around: told } = around({ maxTotalTokens: 100, maxCostUsd: 1, maxDurationMs: 50 }, { usage });
    expect(told.left()).toEqual({ tokens: 85, costUsd: 0.75, durationMs: 50 });
    run.nested = { totalTokens: 90, costUsd: 2 };
    run.startedAt -= 60;
    expect(told.left()).toEqual({ tokens: 0, costUsd: 0, durationMs: 0 });
  });
});
