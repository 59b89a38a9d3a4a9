import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import type { ApprovalAnswer, ApprovalKind, EventOf } from '../lib/index.ts';

/** The order of the requests of one batch: each is answered at most once, and until then it holds its call. */
export interface RequestGrammar {
  /**
   * @param started - the name of the call's tool-start, if it runs
   * @param last - the name of the event before
   */
  ask(event: EventOf<'approval-request'>, started: string | undefined, last: string): Fault | undefined;
  answer(event: EventOf<'approval-answer'>, last: string): Fault | undefined;
  /** Why the call cannot start; undefined if it can. */
  hold(callId: string): Fault | undefined;
  /** The name of the call's open request, unless that is one for input. */
  open(callId: string): string | undefined;
  /** Whether the call has an open request of any kind. */
  waits(callId: string): boolean;
  /** The name of the answer that declined or stopped the call. */
  refused(callId: string): string | undefined;
  /** The name of the first answer that stopped the run. */
  stopped(): string | undefined;
}

interface Request {
  readonly callId: string;
  readonly kind: ApprovalKind;
  readonly asked: string;
  answered?: string;
}

const FITS: Readonly<Record<ApprovalKind, ReadonlySet<ApprovalAnswer['type']>>> = {
  approval: new Set(['approve', 'decline', 'stop']),
  result: new Set(['result', 'decline', 'stop']),
  input: new Set(['input', 'decline', 'stop']),
};

/**
 * @param taken - the ids of all requests of the run and its nested runs
 * @param isResumed - requests may have been made before the run was resumed
 * @internal
 */
export function requestGrammar(taken: Set<string>, isResumed: boolean): RequestGrammar {
  const requests = new Map<string, Request>();
  /** The answers after which a call does not start, by call. */
  const decided = new Map<string, { readonly type: ApprovalAnswer['type']; readonly name: string }>();
  let stopped: string | undefined;

  const openOf = (callId: string, isHeld: boolean): Request | undefined =>
    [...requests.values()].find((one) => one.callId === callId && one.answered === undefined && (!isHeld || one.kind !== 'input'));

  const holdOf = (callId: string): Fault | undefined => {
    const open = openOf(callId, true);
    if (open !== undefined) return { rule: 'an open request holds its call', before: open.asked };
    const decision = decided.get(callId);
    if (decision === undefined) return undefined;
    const rule = decision.type === 'result' ? 'a call that a client has run does not start here' : 'a call that was declined does not start';
    return { rule, before: decision.name };
  };

  return {
    ask(event, started, last) {
      const { id, kind, callId } = event;
      const name = eventName(event);
      if (id === '' || taken.has(id)) return { rule: `a request has an id of its own, and ${JSON.stringify(id)} is taken`, before: requests.get(id)?.asked ?? last };
      if (event.call.id !== callId) return { rule: `its call has the id ${JSON.stringify(event.call.id)}`, before: last };
      if (kind !== 'input') {
        if (started !== undefined) return { rule: 'a call is asked about before it starts', before: started };
        const hold = holdOf(callId);
        if (hold !== undefined) return hold;
      } else if (started === undefined) return { rule: 'a tool asks for input while it runs', before: last };
      taken.add(id);
      requests.set(id, { callId, kind, asked: name });
      return undefined;
    },
    answer(event, last) {
      const { id, kind, callId, answer } = event;
      const name = eventName(event);
      const known = requests.get(id);
      if (known === undefined && (!isResumed || taken.has(id))) return { rule: `no request ${JSON.stringify(id)} is open`, before: last };
      const request = known ?? { callId, kind, asked: last };
      if (request.answered !== undefined) return { rule: 'a request is answered once', before: request.answered };
      if (request.callId !== callId) return { rule: `the request is of the call ${JSON.stringify(request.callId)}`, before: request.asked };
      if (request.kind !== kind) return { rule: `the request is of the kind ${JSON.stringify(request.kind)}`, before: request.asked };
      if (!FITS[kind].has(answer.type)) return { rule: `${JSON.stringify(answer.type)} answers no request of the kind ${JSON.stringify(kind)}`, before: request.asked };
      taken.add(id);
      requests.set(id, { ...request, answered: name });
      if (answer.type === 'stop') stopped ??= name;
      if (kind !== 'input' && answer.type !== 'approve') decided.set(callId, { type: answer.type, name });
      return undefined;
    },
    hold: holdOf,
    open: (callId) => openOf(callId, true)?.asked,
    waits: (callId) => openOf(callId, false) !== undefined,
    refused(callId) {
      const decision = decided.get(callId);
      return decision?.type === 'result' ? undefined : decision?.name;
    },
    stopped: () => stopped,
  };
}
