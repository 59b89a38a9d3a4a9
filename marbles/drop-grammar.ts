import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import type { EventOf } from '../lib/index.ts';

/** The order of the bodies whose outcome is not shown: each is dropped once, for the reason that holds. */
export interface DropGrammar {
  /** Keeps what a later `tool-dropped` is judged by. */
  saw(event: EventOf<'tool-start' | 'tool-result'>): void;
  /** The attempt in which these calls had started was withdrawn. */
  withdraw(callIds: Iterable<string>, retract: string): void;
  /** @param inAttempt - the call started in the attempt that is open */
  next(event: EventOf<'tool-dropped'>, last: string, inAttempt: boolean): Fault | undefined;
  /** A body of a withdrawn attempt that nobody has dropped yet. */
  owing(): Fault | undefined;
}

interface Body {
  readonly step: number;
  readonly started: string;
  answered?: string;
  dropped?: string;
  withdrawn?: string;
}

/**
 * @param isResumed - calls may have started before the run was resumed
 * @internal
 */
export function dropGrammar(isResumed: () => boolean): DropGrammar {
  const bodies = new Map<string, Body>();
  const withdrawn: Body[] = [];

  const ruleOf = (event: EventOf<'tool-dropped'>, body: Body, inAttempt: boolean): string | undefined => {
    switch (event.reason) {
      case 'late':
        if (body.answered === undefined) return 'a call that is late has been answered without it';
        return event.isError === undefined ? 'a call that is late says how it settled' : undefined;
      case 'retracted':
        return inAttempt || body.withdrawn !== undefined ? undefined : 'no attempt was withdrawn in which the call had started';
      case 'restarted':
        return body.answered === undefined ? undefined : 'a call that was answered does not start again';
    }
  };

  return {
    saw(event) {
      const body = bodies.get(event.callId);
      if (event.type === 'tool-start') bodies.set(event.callId, { step: event.step, started: eventName(event) });
      else if (body !== undefined) body.answered = eventName(event);
    },
    withdraw(callIds, retract) {
      for (const id of callIds) {
        const body = bodies.get(id);
        if (body === undefined || body.dropped !== undefined) continue;
        body.withdrawn = retract;
        withdrawn.push(body);
      }
    },
    next(event, last, inAttempt) {
      const body = bodies.get(event.callId);
      if (body === undefined) {
        if (event.reason !== 'late' && isResumed()) return undefined;
        return { rule: event.reason === 'late' ? 'a call that never started cannot be late' : 'a call that never started is not dropped', before: last };
      }
      if (event.step !== body.step) return { rule: `the call is of step ${body.step}`, before: body.started };
      if (body.dropped !== undefined) return { rule: 'a call is dropped once', before: body.dropped };
      const rule = ruleOf(event, body, inAttempt);
      if (rule !== undefined) return { rule, before: body.answered ?? body.started };
      body.dropped = eventName(event);
      return undefined;
    },
    owing() {
      const body = withdrawn.find(({ dropped }) => dropped === undefined);
      return body?.withdrawn === undefined ? undefined : { rule: `the call of "${body.started}" is dropped together with its attempt`, before: body.withdrawn };
    },
  };
}
