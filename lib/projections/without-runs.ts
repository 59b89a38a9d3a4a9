import type { LoopState } from '../loop-state.ts';

/**
 * The state without what some calls have begun: the runs inside of them, and what these and the calls themselves asked.
 *
 * @internal
 */
export function withoutRuns(state: LoopState, callIds: ReadonlySet<string>): LoopState {
  const runs = Object.values(state.nested).filter(({ parent }) => parent !== undefined && callIds.has(parent.callId));
  const asked = new Set(runs.flatMap(({ requests }) => requests));
  const requests = state.requests.filter((one) => !asked.has(one) && (one.runId !== state.runId || !callIds.has(one.callId)));
  if (runs.length === 0 && requests.length === state.requests.length) return state;
  return {
    ...state,
    requests: requests.length === state.requests.length ? state.requests : requests,
    nested: runs.length === 0 ? state.nested : Object.fromEntries(Object.entries(state.nested).filter(([, run]) => !runs.includes(run))),
  };
}
