import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import type { EventOf, LoopEvent, Reason } from '../lib/index.ts';

/** What a run's calls know of the nested runs below them. */
export interface NestedGrammar {
  /**
   * An event of a nested run, which its own grammar has let pass.
   *
   * @param callId - the call of this run that it is below
   * @param isDirect - no other run is between them
   */
  saw(event: LoopEvent, callId: string, isDirect: boolean): void;
  /** A call gets its result: its nested runs are over, or an error closes them. */
  answered(event: EventOf<'tool-result'>): Fault | undefined;
  /** A call is withdrawn, or begins again after a crash: whatever is below it is over. */
  dropped(callId: string): void;
  /** Whether something below one of these calls waits for an answer. */
  isSuspended(isWaiting: (callId: string) => boolean): boolean;
}

interface NestedRun {
  readonly callId: string;
  last: string;
  ended?: Reason;
}

interface Request {
  /** Of this run. */
  readonly above: string;
  readonly runId: string;
  readonly callId: string;
}

/** @internal */
export function nestedGrammar(): NestedGrammar {
  /** Those directly below. */
  const runs = new Map<string, NestedRun>();
  /** Open ones, at any depth. */
  const requests = new Map<string, Request>();

  const sawRequest = (event: LoopEvent, above: string): void => {
    const { runId } = event;
    if (event.type === 'approval-request') requests.set(event.id, { above, runId, callId: event.callId });
    else if (event.type === 'approval-answer') requests.delete(event.id);
    else if (event.type === 'tool-result') {
      for (const [id, request] of requests) if (request.runId === runId && request.callId === event.callId) requests.delete(id);
    }
  };

  return {
    saw(event, callId, isDirect) {
      sawRequest(event, callId);
      if (!isDirect) return;
      const run = runs.get(event.runId) ?? { callId, last: '' };
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
    dropped(callId) {
      for (const [id, run] of runs) if (run.callId === callId) runs.delete(id);
      for (const [id, { above }] of requests) if (above === callId) requests.delete(id);
    },
    isSuspended: (isWaiting) =>
      [...requests.values()].some(({ above }) => isWaiting(above)) ||
      [...runs.values()].some(({ callId, ended }) => ended === 'suspended' && isWaiting(callId)),
  };
}
