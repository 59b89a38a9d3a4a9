import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import type { EventOf } from '../lib/index.ts';

/** The order of the bodies that outlive their batch: a call is dropped once, after its body ran and was answered. */
export interface LateGrammar {
  /** Keeps what a later `tool-dropped` is judged by. */
  saw(event: EventOf<'tool-start' | 'tool-result'>): void;
  next(event: EventOf<'tool-dropped'>, last: string): Fault | undefined;
}

interface Body {
  readonly step: number;
  readonly started: string;
  answered?: string;
  dropped?: string;
}

/** @internal */
export function lateGrammar(): LateGrammar {
  const bodies = new Map<string, Body>();
  return {
    saw(event) {
      const body = bodies.get(event.callId);
      if (event.type === 'tool-start') bodies.set(event.callId, { step: event.step, started: eventName(event) });
      else if (body !== undefined) body.answered = eventName(event);
    },
    next(event, last) {
      const body = bodies.get(event.callId);
      if (body === undefined) return { rule: 'a call that never started cannot be late', before: last };
      if (event.step !== body.step) return { rule: `the call is of step ${body.step}`, before: body.started };
      if (body.answered === undefined) return { rule: 'a call that is late has been answered without it', before: body.started };
      if (body.dropped !== undefined) return { rule: 'a call is dropped once', before: body.dropped };
      body.dropped = eventName(event);
      return undefined;
    },
  };
}
