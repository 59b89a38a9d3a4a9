import type { Done, LoopEvent, Parent, RunStart, StateEvent } from '../event.ts';
import type { CallState, LoopState } from '../loop-state.ts';
import type { ToolResult } from '../message.ts';
import { addUsage } from '../usage.ts';
import { foldCall } from './fold-call.ts';
import { foldSaid, openMessage } from './fold-said.ts';
import { addMessages, closeMessage, compact, endStep, retractStep, withoutMessages } from './fold-step.ts';
import { initialState, settled } from './initial-state.ts';
import { applyJsonPatch } from './json-patch.ts';

/**
 * The state after one more event. Pure: the state that goes in is not changed, and what the event does not concern is the
 * same object in the one that comes out; an event that changes nothing gives the state itself.
 *
 * A delta costs a shallow copy of the lists that hold its block, whatever the length of the text.
 *
 * @param state - from {@link initialState}, from an earlier fold, or from JSON
 * @see {@link toState} - the operator
 * @public
 */
export function foldState(state: LoopState, event: LoopEvent<any>): LoopState {
  if (event.parent !== undefined && event.runId !== state.runId) return foldNested(state, event, event.parent);
  const next = fold(state, event);
  return next === state ? state : held(next);
}

function fold(state: LoopState, event: LoopEvent): LoopState {
  switch (event.type) {
    case 'run-start':
      return start(state, event);
    case 'step-start':
      return { ...calm(state), messages: [...state.messages, openMessage(event.runId, event.step, event.attempt)] };
    case 'delta':
      return foldSaid(calm(state), event);
    case 'retry':
      return { ...state, retry: event };
    case 'fallback':
      return calm(state);
    case 'step-retract':
      return retractStep(calm(state), event);
    case 'step-end':
      return endStep(calm(state), event);
    case 'tool-call':
    case 'approval-request':
    case 'approval-answer':
    case 'tool-start':
    case 'tool-progress':
    case 'tool-result':
    case 'tool-dropped':
      return foldCall(state, event);
    case 'correction':
      return addMessages(state, event.runId, [event.message], event.step);
    case 'steering':
      return addMessages(state, event.runId, event.messages);
    case 'compaction':
      return compact(state, event);
    case 'status':
      return event.text === '' ? silent(state) : { ...state, line: { text: event.text, ...(event.data !== undefined && { data: event.data }) } };
    case 'plan':
      return { ...state, plan: event.entries };
    case 'title':
      return { ...state, title: event.title };
    case 'state':
      return share(state, event);
    case 'done':
      return finish(silent(calm(state)), event);
    default:
      return state;
  }
}

/** Whoever is asked holds the run, until it has ended. */
function held(state: LoopState): LoopState {
  if (state.status !== 'running' && state.status !== 'waiting') return state;
  const status = state.requests.length > 0 ? 'waiting' : 'running';
  return status === state.status ? state : { ...state, status };
}

/** A resumed run goes on where the state stands; a new one behind another keeps what was said and shared. */
function start(state: LoopState, { runId, threadId, parent, resumed }: RunStart): LoopState {
  const own = { runId, status: 'running', ...(threadId !== undefined && { threadId }), ...(parent !== undefined && { parent }) } as const;
  if (resumed === true) {
    const { reason, error, retry, line, output, ...rest } = state;
    return { ...rest, ...own };
  }
  if (state.status === 'idle') return { ...state, ...own };
  const { messages, calls, title, shared } = withoutMessages(state, state.messages.filter((one) => one.state === 'provisional'));
  return { ...initialState(), ...own, messages, calls, shared, ...(title !== undefined && { title }) };
}

function calm(state: LoopState): LoopState {
  if (state.retry === undefined) return state;
  const { retry, ...rest } = state;
  return rest;
}

function silent(state: LoopState): LoopState {
  if (state.line === undefined) return state;
  const { line, ...rest } = state;
  return rest;
}

/** A patch that cannot be applied is a tool's fault: it is told of, and ends nobody's screen. */
function share(state: LoopState, { patch }: StateEvent): LoopState {
  const applied = applyJsonPatch(state.shared, patch);
  if ('fault' in applied) return { ...state, sharedFault: applied.fault };
  const { sharedFault, ...rest } = state;
  return { ...rest, shared: applied.document };
}

function finish(state: LoopState, { outcome }: Done): LoopState {
  const { reason, error, usage, completion, messages } = outcome;
  const closed = closeMessage(state, { state: 'broken' });
  // The results that close the calls of a run that failed are in its messages alone.
  const results = reason === 'error' ? new Map(messages.flatMap((one) => (one.role === 'tool' ? one.results.map((result) => [result.callId, result] as const) : []))) : undefined;
  return {
    ...closed,
    status: reason === 'error' ? 'error' : 'done',
    reason,
    ...(error !== undefined && { error }),
    ...(completion.json !== undefined && { output: completion.json }),
    usage,
    calls: results === undefined ? closed.calls : closeCalls(closed.calls, results),
    // Of a suspended run they wait for who resumes it.
    requests: reason === 'suspended' || closed.requests.length === 0 ? closed.requests : [],
  };
}

function closeCalls(calls: readonly CallState[], results: ReadonlyMap<string, ToolResult>): readonly CallState[] {
  return calls.some(({ result }) => result === undefined) ? calls.map((call) => (call.result === undefined ? settled(call, results.get(call.callId)) : call)) : calls;
}

/** Folds an event of a nested run at its place: below the run that its `parent` names. */
function foldNested(state: LoopState, event: LoopEvent, parent: Parent): LoopState {
  const { nested } = state;
  const between = parent.runId === state.runId || Object.hasOwn(nested, event.runId) ? undefined : Object.keys(nested).find((key) => holds(nested[key], parent.runId));
  const key = between ?? event.runId;
  const before = Object.hasOwn(nested, key) ? nested[key] : undefined;
  const run = before ?? { ...initialState(), runId: event.runId, parent };
  const after = between === undefined ? foldState(run, event) : foldNested(run, event, parent);
  if (after === before) return state;
  const next = { ...state, nested: { ...nested, [key]: after } };
  const isUsed = event.type === 'step-end' || event.type === 'step-retract';
  return held({
    ...next,
    ...(isUsed && { usage: addUsage(state.usage, event.usage) }),
    ...(after.requests !== before?.requests && after.requests.length + (before?.requests.length ?? 0) > 0 && { requests: passed(state, before, after) }),
  });
}

function holds(run: LoopState | undefined, runId: string): boolean {
  return run !== undefined && (run.runId === runId || Object.values(run.nested).some((one) => holds(one, runId)));
}

/** A run's requests with those of a run below it. */
function passed({ requests }: LoopState, before: LoopState | undefined, after: LoopState): LoopState['requests'] {
  const known = new Set(before?.requests);
  return [...requests.filter((one) => !known.has(one)), ...after.requests];
}
