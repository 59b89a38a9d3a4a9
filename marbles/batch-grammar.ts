import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import type { EventOf } from '../lib/index.ts';

export type BatchEvent = EventOf<'tool-call' | 'tool-start' | 'tool-progress' | 'tool-commit' | 'tool-result'>;

/** The order of one batch: all `tool-call`s, then each call's own events, results in call order. */
export interface BatchGrammar {
  next(event: BatchEvent): Fault | undefined;
  /** The name of the earliest event that still waits for a result; undefined if every call was answered. */
  unanswered(): string | undefined;
  /** The name of its first tool-start; undefined if no body ran. */
  ran(): string | undefined;
}

interface BatchCall {
  readonly called: string;
  started?: string;
  committed?: string;
  answered?: string;
}

/** @internal */
export function batchGrammar(end: EventOf<'step-end'>, ids: readonly string[]): BatchGrammar {
  const calls = new Map<string, BatchCall>();
  let last = eventName(end);
  let begun: string | undefined;
  let ran: string | undefined;
  let results = 0;
  let owed: { readonly id: string; readonly name: string } | undefined;

  const because = (rule: string, before = last): Fault => ({ rule, before });

  const announce = (event: EventOf<'tool-call'>): Fault | undefined => {
    const expected = ids[calls.size];
    if (begun !== undefined) return because('all tool-calls of a batch come first', begun);
    if (expected === undefined) return because(`the step had ${ids.length} complete calls`, eventName(end));
    if (event.callId !== expected) return because(`the next call of the step is ${JSON.stringify(expected)}`);
    if (event.call.id !== event.callId) return because(`its call has the id ${JSON.stringify(event.call.id)}`);
    calls.set(event.callId, { called: eventName(event) });
    return undefined;
  };

  const answer = (event: EventOf<'tool-result'>, call: BatchCall): Fault | undefined => {
    if (call.started !== undefined && call.committed === undefined) {
      return because('a body that ran is committed right before its result', call.started);
    }
    const expected = ids[results];
    if (event.callId !== expected) {
      const waiting = calls.get(expected ?? '');
      return because('results come in call order', waiting?.started ?? waiting?.called);
    }
    if (event.result.callId !== event.callId) return because(`its result is of ${JSON.stringify(event.result.callId)}`);
    call.answered = eventName(event);
    results += 1;
    return undefined;
  };

  const advance = (event: Exclude<BatchEvent, EventOf<'tool-call'>>): Fault | undefined => {
    if (calls.size < ids.length) return because(`the tool-call of ${JSON.stringify(ids[calls.size])} comes first`);
    const call = calls.get(event.callId);
    if (call === undefined) return because(`the batch has no call ${JSON.stringify(event.callId)}`);
    if (call.answered !== undefined) return because('a call is over with its one result', call.answered);
    const name = eventName(event);
    switch (event.type) {
      case 'tool-start':
        if (call.started !== undefined) return because('a call starts once', call.started);
        if (end.finish !== 'tool-use') return because(`no call of a step that ended with ${JSON.stringify(end.finish)} runs`, eventName(end));
        call.started = name;
        ran ??= name;
        return undefined;
      case 'tool-progress':
        if (call.started === undefined) return because('a call starts before it makes progress', call.called);
        return undefined;
      case 'tool-commit':
        if (call.started === undefined) return because('a call that never started has nothing to commit', call.called);
        call.committed = name;
        owed = { id: event.callId, name };
        return undefined;
      case 'tool-result':
        owed = undefined;
        return answer(event, call);
    }
  };

  return {
    next(event) {
      if (event.step !== end.step) return because(`the batch is of step ${end.step}`, eventName(end));
      if (owed !== undefined && (event.type !== 'tool-result' || event.callId !== owed.id)) {
        return because('a tool-commit is followed by its own tool-result', owed.name);
      }
      const fault = event.type === 'tool-call' ? announce(event) : advance(event);
      last = eventName(event);
      if (event.type !== 'tool-call') begun ??= last;
      return fault;
    },
    unanswered() {
      if (results === ids.length) return undefined;
      const waiting = calls.get(ids[results] ?? '');
      return waiting?.committed ?? waiting?.started ?? waiting?.called ?? eventName(end);
    },
    ran: () => ran,
  };
}
