import type { Surroundings } from '../nesting.ts';
import { totalTokens } from '../usage.ts';
import type { Usage } from '../usage.ts';
import type { Run, RunState } from './run-state.ts';

/** What the runs inside a run's tools are told of it. */
export function surroundings(run: Run, state: RunState, count: (usage: Usage) => void): Surroundings {
  const { runId, scheduler, ids, random, approvals, desk, budget, depth } = run;
  return {
    runId, scheduler, ids, random, approvals, depth, count, given: desk.given,
    left: () => {
      const used = [state.usage, run.nested];
      const sum = (of: (usage: Usage) => number | undefined): number => used.reduce((all, usage) => all + ((usage && of(usage)) ?? 0), 0);
      return {
        ...(budget.maxTotalTokens < Infinity && { tokens: Math.max(0, budget.maxTotalTokens - sum(totalTokens)) }),
        ...(budget.maxCostUsd < Infinity && { costUsd: Math.max(0, budget.maxCostUsd - sum(({ costUsd }) => costUsd)) }),
        ...(budget.maxDurationMs < Infinity && { durationMs: Math.max(0, budget.maxDurationMs - (scheduler.now() - run.startedAt)) }),
      };
    },
  };
}
