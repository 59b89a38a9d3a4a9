import type { Observable } from 'rxjs';
import type { LoopEvent } from '../event.ts';
import type { BatchContext } from '../invoke/batch.ts';
import { addUsage } from '../usage.ts';
import { halt, hasHook } from './hook-chain.ts';
import type { Run, RunState } from './run-state.ts';
import { surroundings } from './surroundings.ts';
import { afterTool, beforeTool } from './tool-hooks.ts';

/** What the calls of a step need to know of their run. */
export function batchContext(run: Run, state: RunState): BatchContext {
  const { runId, scratch, scheduler, policy, schedule, stops, timeouts, budget, aside, desk } = run;
  return {
    runId, step: state.step, scratch, tools: state.tools, scheduler, policy, schedule, graceMs: timeouts.graceMs, desk,
    stop$: stops?.stop$,
    hard$: stops?.hard$,
    isStopped: () => stops?.stopped !== undefined,
    mayNotStart: () => {
      if (run.started >= budget.maxToolCalls) return `Not executed: the run may call ${budget.maxToolCalls} tools, and has.`;
      run.started += 1;
      return undefined;
    },
    later: (_callId: string, dropped$: Observable<LoopEvent>) => aside.add(dropped$),
    stopRun: ({ call, index }, reason) => halt(run, reason === undefined ? {} : { reason }, { callId: call.id, index }),
    around: surroundings(run, state, (usage) => (run.nested = addUsage(run.nested, usage))),
    ...(hasHook(run, 'beforeTool') && { before: (call) => beforeTool(run, state, call) }),
    ...(hasHook(run, 'afterTool') && { after: (record, call, result) => afterTool(run, state, record, call, result) }),
  };
}
