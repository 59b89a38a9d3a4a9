import type { Taken } from './attempt-grammar.ts';
import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import { requestGrammar } from './request-grammar.ts';
import type { EventOf } from '../lib/index.ts';

export type BatchEvent = EventOf<
  'tool-call' | 'approval-request' | 'approval-answer' | 'tool-start' | 'tool-progress' | 'tool-commit' | 'tool-result'
>;

/** The order of one batch: all `tool-call`s, then each call's own events, results in call order. */
export interface BatchGrammar {
  next(event: BatchEvent): Fault | undefined;
  /** The name of the earliest event that still waits for a result; undefined if every call was answered. */
  unanswered(): string | undefined;
  /** The name of its first tool-start; undefined if no body ran. */
  ran(): string | undefined;
  /** The name of the event that shows that the batch was cut short. */
  cut(): string | undefined;
  /** Why the call does not run now; undefined if it does. */
  running(callId: string): Fault | undefined;
  /** Whether the call had started before the run was resumed. */
  isEarlier(callId: string): boolean;
  /** Whether the call waits for its result. */
  isWaiting(callId: string): boolean;
  /** A crash has cut the call: it may start again. */
  restart(callId: string): void;
  /** Why the run cannot be suspended here; undefined if it can. */
  suspend(isNestedSuspended: boolean): Fault | undefined;
}

/** The step whose batch it is. */
export interface BatchStep {
  /** Absent where the step was committed before the run was resumed: then its calls are learned from their events. */
  readonly end?: EventOf<'step-end'>;
  /** The ids of its complete calls that were shown, in call order. */
  readonly shown: readonly string[];
  /** Calls that have started while the model spoke, and the names of their starts. */
  readonly started: ReadonlyMap<string, string>;
}

interface BatchCall {
  readonly called: string;
  /** Rejected at its name: no delta of it was shown. */
  readonly isUnshown: boolean;
  isEarlier?: boolean;
  started?: string | undefined;
  committed?: string;
  answered?: string;
}

/** @internal */
export function batchGrammar({ end, shown, started }: BatchStep, taken: Taken): BatchGrammar {
  const opened = end === undefined ? 'run-start' : eventName(end);
  const calls = new Map<string, BatchCall>();
  /** The calls that were announced, in call order. */
  const order: string[] = [];
  const requests = requestGrammar(taken.requests, end === undefined);
  let step = end?.step;
  let last = opened;
  let begun: string | undefined;
  let ran: string | undefined;
  let cut: string | undefined;
  let failed = end === undefined;
  let owed: { readonly id: string; readonly name: string } | undefined;

  const because = (rule: string, before = last): Fault => ({ rule, before });
  const count = (): number => end?.toolCalls ?? order.length;
  /** The next call that was shown and not announced. */
  const expected = (): string | undefined => shown.find((id) => !calls.has(id));

  const announce = (event: EventOf<'tool-call'>): Fault | undefined => {
    const { callId } = event;
    if (begun !== undefined) return because('all tool-calls of a batch come first', begun);
    if (end !== undefined && order.length === end.toolCalls) return because(`the step had ${end.toolCalls} complete calls`, opened);
    const isUnshown = end !== undefined && callId !== expected();
    if (isUnshown) {
      const toShow = shown.filter((id) => !calls.has(id)).length;
      if (shown.includes(callId) || order.length + toShow === end.toolCalls) return because(`the next call of the step is ${JSON.stringify(expected())}`);
      if (callId === '' || taken.callIds.has(callId)) return because(`a call has an id of its own, and ${JSON.stringify(callId)} is taken in this run`);
    }
    if (calls.has(callId)) return because('a call is announced once', calls.get(callId)?.called);
    if (event.call.id !== callId) return because(`its call has the id ${JSON.stringify(event.call.id)}`);
    taken.callIds.add(callId);
    calls.set(callId, { called: eventName(event), isUnshown, started: started.get(callId) });
    order.push(callId);
    return undefined;
  };

  /** The first mention of a call that an earlier run has announced. What it says of the call has happened there. */
  const learn = (event: Exclude<BatchEvent, EventOf<'tool-call'>>): BatchCall => {
    const isRunning = event.type === 'tool-progress' || event.type === 'tool-commit' || ('kind' in event && event.kind === 'input');
    const call: BatchCall = { called: eventName(event), isUnshown: false, isEarlier: isRunning, started: isRunning ? eventName(event) : undefined };
    calls.set(event.callId, call);
    taken.callIds.add(event.callId);
    return call;
  };

  const start = (event: EventOf<'tool-start'>, call: BatchCall): Fault | undefined => {
    if (call.started !== undefined) return because('a call starts once', call.started);
    if (event.speculative) return because('an eager tool starts while the model speaks, not after its step', opened);
    if (end !== undefined && end.finish !== 'tool-use') return because(`no call of a step that ended with ${JSON.stringify(end.finish)} runs`, opened);
    if (call.isUnshown) return because('a call that was rejected at its name does not run', call.called);
    const hold = requests.hold(event.callId);
    if (hold !== undefined) return hold;
    const stop = requests.stopped() ?? cut;
    if (stop !== undefined) return because('no call starts in a batch that was cut short', stop);
    call.started = eventName(event);
    ran ??= call.started;
    return undefined;
  };

  const answer = (event: EventOf<'tool-result'>, call: BatchCall): Fault | undefined => {
    const { isError } = event.result;
    const open = requests.open(event.callId);
    const uncommitted = call.committed === undefined ? call.started : undefined;
    if (!isError) {
      if (uncommitted !== undefined) return because('a body that ran is committed right before its result', uncommitted);
      if (open !== undefined) return because('an open request holds its call', open);
      const refused = requests.refused(event.callId);
      if (refused !== undefined) return because('a call that was declined has an error result', refused);
    }
    const next = order.find((id) => calls.get(id)?.answered === undefined);
    if (order.includes(event.callId) && event.callId !== next) {
      const waiting = calls.get(next ?? '');
      return because('results come in call order', waiting?.started ?? waiting?.called);
    }
    if (event.result.callId !== event.callId) return because(`its result is of ${JSON.stringify(event.result.callId)}`);
    call.answered = eventName(event);
    // Whoever closes a call that runs uncommitted, or that waits for its answer, cuts the batch short.
    // A call may need one that failed: then its answer is not waited for.
    if (uncommitted !== undefined || (open !== undefined && !failed)) cut ??= call.answered;
    failed ||= isError;
    return undefined;
  };

  /** It runs since the model spoke, and a stop, say, lets it speak again before its call is announced. */
  const isEarly = (callId: string): boolean => started.has(callId) && !calls.has(callId);

  const advance = (event: Exclude<BatchEvent, EventOf<'tool-call'>>): Fault | undefined => {
    if (event.type === 'tool-progress' && isEarly(event.callId)) return undefined;
    if (order.length < count()) {
      const next = expected();
      return because(next === undefined ? `all ${count()} tool-calls of the batch come first` : `the tool-call of ${JSON.stringify(next)} comes first`);
    }
    const call = calls.get(event.callId) ?? (end === undefined ? learn(event) : undefined);
    if (call === undefined) return because(`the batch has no call ${JSON.stringify(event.callId)}`);
    if (call.answered !== undefined) return because('a call is over with its one result', call.answered);
    switch (event.type) {
      case 'approval-request':
        return requests.ask(event, call.started, last);
      case 'approval-answer':
        return requests.answer(event, last);
      case 'tool-start':
        return start(event, call);
      case 'tool-progress':
        return call.started === undefined ? because('a call starts before it makes progress', call.called) : undefined;
      case 'tool-commit':
        // Its body may have run early, before the run was resumed.
        if (end === undefined) call.started ??= call.called;
        if (call.started === undefined) return because('a call that never started has nothing to commit', call.called);
        call.committed = eventName(event);
        owed = { id: event.callId, name: call.committed };
        return undefined;
      case 'tool-result':
        owed = undefined;
        return answer(event, call);
    }
  };

  const unanswered = (): string | undefined => {
    const waiting = [...calls.values()].find(({ answered }) => answered === undefined);
    if (waiting !== undefined) return waiting.committed ?? waiting.started ?? waiting.called;
    return order.length < count() ? opened : undefined;
  };

  return {
    next(event) {
      step ??= event.step;
      if (event.step !== step) return because(`the batch is of step ${step}`, opened);
      if (owed !== undefined && (event.type !== 'tool-result' || event.callId !== owed.id)) {
        return because('a tool-commit is followed by its own tool-result', owed.name);
      }
      const fault = event.type === 'tool-call' ? announce(event) : advance(event);
      last = eventName(event);
      if (event.type !== 'tool-call' && order.length === count()) begun ??= last;
      return fault;
    },
    unanswered,
    ran: () => ran,
    cut: () => requests.stopped() ?? cut,
    running(callId) {
      if (isEarly(callId)) return undefined;
      const isKnown = calls.has(callId) || end !== undefined;
      if (!isKnown) calls.set(callId, { called: opened, isUnshown: false, isEarlier: true, started: opened });
      const call = calls.get(callId);
      if (call?.answered !== undefined) return because('a call is over with its one result', call.answered);
      return call?.started === undefined ? because(`the call ${JSON.stringify(callId)} has not started`, call?.called) : undefined;
    },
    isEarlier: (callId) => calls.get(callId)?.isEarlier ?? false,
    isWaiting: (callId) => calls.has(callId) && calls.get(callId)?.answered === undefined,
    restart(callId) {
      const call = calls.get(callId);
      if (call === undefined) return;
      call.started = undefined;
      call.isEarlier = false;
    },
    suspend(isNestedSuspended) {
      if (owed !== undefined) return because('a tool-commit is followed by its own tool-result', owed.name);
      const isOpen = [...calls].some(([id, { answered }]) => answered === undefined && requests.waits(id));
      // Of a batch that an earlier run has begun, this one need not have shown the request.
      if (isOpen || isNestedSuspended || end === undefined) return undefined;
      return because('a run is suspended where a call waits for an answer', unanswered());
    },
  };
}
