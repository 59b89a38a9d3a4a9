import { callContext, mayBeEager } from '../invoke/batch.ts';
import { EagerCalls } from '../invoke/eager.ts';
import type { LoopEvent } from '../event.ts';
import { batchContext } from './batch-context.ts';
import { isReserved, needsEstimates } from './budget.ts';
import { hasHook } from './hook-chain.ts';
import { outputMode } from './output.ts';
import { modelOf } from './run-state.ts';
import type { Run, RunState } from './run-state.ts';
import { AttemptScreen } from './screen.ts';

/** What goes on beside one attempt's deltas. */
export interface Attempt {
  readonly screen: AttemptScreen | undefined;
  readonly eager: EagerCalls | undefined;
}

export const PLAIN_ATTEMPT: Attempt = { screen: undefined, eager: undefined };

/** The attempt that a model call begins: its screen and its eager calls, where the run needs them. */
export function newAttempt(run: Run, state: RunState): Attempt {
  const screen = AttemptScreen.of(run, state);
  const eager = startsEarly(run, state) ? new EagerCalls({ ...callContext(batchContext(run, state)), schedule: run.schedule }, (events$) => run.aside.add(events$)) : undefined;
  return screen === undefined && eager === undefined ? PLAIN_ATTEMPT : { screen, eager };
}

/** Starts a call early that a delta has just completed. */
export function startEarly({ eager, screen }: Attempt, event: LoopEvent): void {
  if (eager === undefined || event.type !== 'delta' || event.delta.type !== 'tool-call-end') return;
  const { call, index } = event.delta;
  if (screen?.verdicts.has(call.id) !== true) eager.start(call, index);
}

/**
 * Not early: where a result could not be taken back (the policy), where a hook may ask a person about the call, where the
 * budgets may forbid the step's tools, and where calls are dropped.
 */
function startsEarly(run: Run, state: RunState): boolean {
  const { budget, policy, output } = run;
  if (![...state.tools.values()].some(({ eager }) => eager === true)) return false;
  const isOutputCalled = output !== undefined && outputMode(output, modelOf(run, state)) === 'tool';
  return mayBeEager(policy) && !needsEstimates(budget) && !isReserved(state.calls - 1, budget) && !isOutputCalled && !hasHook(run, 'beforeTool');
}
