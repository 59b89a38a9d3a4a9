import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import type { EventOf, LoopEvent, Reason } from '../lib/index.ts';

/** What a run's calls know of the nested runs below them. */
export interface NestedGrammar {
  /** An event of a nested run, which its own grammar has let pass. */
  saw(event: LoopEvent): void;
  /** A call gets its result: its nested runs are over, or an error closes them. */
  answered(event: EventOf<'tool-result'>): Fault | undefined;
  /** Whether a nested run of one of these calls is suspended. */
  isSuspended(isWaiting: (callId: string) => boolean): boolean;
}

interface NestedRun {
  callId: string;
  last: string;
  ended?: Reason;
}

/** @internal */
export function nestedGrammar(): NestedGrammar {
  const runs = new Map<string, NestedRun>();
  return {
    saw(event) {
      if (event.parent === undefined) return;
      const run = runs.get(event.runId) ?? { callId: event.parent.callId, last: '' };
      runs.set(event.runId, run);
      run.last = eventName(event);
      if (event.type === 'done') run.ended = event.outcome.reason;
    },
    answered(event) {
      if (event.result.isError) return undefined;
      for (const [id, { callId, last, ended }] of runs) {
        if (callId !== event.callId) continue;
        if (ended === undefined) return { rule: 'only an error result closes a nested run that has not ended', before: `${last} of run ${id}` };
        if (ended === 'suspended') return { rule: 'a call whose nested run is suspended waits for the next run', before: `${last} of run ${id}` };
      }
      return undefined;
    },
    isSuspended: (isWaiting) => [...runs.values()].some(({ callId, ended }) => ended === 'suspended' && isWaiting(callId)),
  };
}
