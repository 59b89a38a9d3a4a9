import type { LoopEvent } from '../event.ts';
import type { Completion, Reason, StepRecord } from '../outcome.ts';
import type { Claims } from '../fold/claim-ids.ts';
import { claimIds } from '../fold/claim-ids.ts';
import type { AssistantMessage, Message, ToolCall } from '../message.ts';
import type { Model, ModelRequest } from '../model.ts';
import type { Tool } from '../tool.ts';
import type { Usage } from '../usage.ts';
import { Aside } from './aside.ts';
import { characters, isReserved, needsEstimates, overheadCharacters } from './budget.ts';
import type { Used } from './budget.ts';
import { Inbox } from './inbox.ts';
import type { Settings } from './options.ts';
import { NO_REPEATS } from './repetition.ts';
import { NOTHING_SPENT } from './retry.ts';
import type { Spent, Wait } from './retry.ts';
import { StopSwitch } from './stop.ts';

/** What stays the same through one run, and what it hears from outside. */
export interface Run extends Settings {
  readonly runId: string;
  readonly claims: Claims;
  readonly inbox: Inbox;
  readonly aside: Aside<LoopEvent>;
  /** Absent where nothing can stop the run. */
  readonly stops: StopSwitch | undefined;
  /** Shared by all hooks and tools. */
  readonly scratch: Map<unknown, unknown>;
  /** Budgets that have been warned of. */
  readonly warned: Set<string>;
  /** Tool bodies started so far. */
  started: number;
}

/** What follows once a step and its calls are closed. */
export type After =
  | { readonly type: 'step' }
  | { readonly type: 'answer'; readonly turn: AssistantMessage | undefined }
  | { readonly type: 'done'; readonly reason: Reason; readonly turn?: AssistantMessage | undefined }
  | { readonly type: 'correct'; readonly reason: string };

/** What a phase begins with. */
export type Phase =
  | { readonly type: 'start' }
  /** Between steps: what the user said, the budgets, the reader. `afterAnswer`: no tool has run since the last turn. */
  | { readonly type: 'boundary'; readonly afterAnswer: boolean }
  /** `fresh`: a counted call, announced by `step-start`; otherwise the same attempt calls again. */
  | { readonly type: 'call'; readonly fresh: boolean }
  /** `fresh`: the attempt is new, and is announced first; `fallback`: then the model that it goes on with. */
  | { readonly type: 'wait'; readonly wait: Wait | undefined; readonly error: unknown; readonly fresh: boolean; readonly from?: Model }
  /** `notRun`: why none of the calls runs. */
  | { readonly type: 'batch'; readonly turn: AssistantMessage; readonly calls: readonly ToolCall[]; readonly notRun?: string; readonly after: After }
  | { readonly type: 'done'; readonly reason: Reason }
  | { readonly type: 'failed'; readonly error: unknown };

/**
 * Where a run stands. A new object for each phase; `messages` and `steps` are append-only arrays that all of them
 * share, so that a step costs the same however many came before.
 */
export interface RunState extends Used {
  readonly phase: Phase;
  /** 0-based. */
  readonly step: number;
  /** 1-based, of the current step. */
  readonly attempt: number;
  /** Which model of the list serves. */
  readonly model: number;
  /** Each able to check its arguments, once the preflight is over. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Of the current attempt. */
  readonly spent: Spent;
  /** What abandoned exchanges of the current attempt reported. */
  readonly abandoned: Usage | undefined;
  /** What withdrawn attempts of the current step came to. */
  readonly retracted: Usage | undefined;
  /** Broken streams in a row. */
  readonly failures: number;
  readonly messages: Message[];
  readonly steps: StepRecord[];
  readonly completion: Completion;
  readonly answer: AssistantMessage | undefined;
  /** Of `messages` and what every request repeats; counted only where a budget may need an estimate. */
  readonly characters: number;
}

export function newRun(settings: Settings): Run {
  const { ids, messages, runId = ids('run'), abort$, steering$, followUp$, budget } = settings;
  const canStop = abort$ !== undefined || steering$ !== undefined || followUp$ !== undefined || budget.maxDurationMs < Infinity;
  return {
    ...settings,
    runId,
    claims: claimIds(ids, callIds(messages)),
    inbox: new Inbox(),
    aside: new Aside(),
    stops: canStop ? new StopSwitch() : undefined,
    scratch: new Map(),
    warned: new Set(),
    started: 0,
  };
}

export function startState(run: Run): RunState {
  const start: RunState = {
    phase: { type: 'start' },
    step: 0,
    attempt: 1,
    model: 0,
    tools: run.tools,
    spent: NOTHING_SPENT,
    abandoned: undefined,
    retracted: undefined,
    failures: 0,
    calls: 0,
    context: undefined,
    repeats: NO_REPEATS,
    messages: [],
    steps: [],
    usage: undefined,
    completion: { text: '', toolCalls: [] },
    answer: undefined,
    characters: needsEstimates(run.budget) ? overheadCharacters({ system: run.system, tools: run.specs }) : 0,
  };
  return append(run, start, run.messages);
}

/** The model that serves the current call. */
export function modelOf(run: Run, state: RunState): Model {
  return run.models[state.model] as Model;
}

/** The state after its transcript has grown. */
export function append(run: Run, state: RunState, messages: readonly Message[]): RunState {
  for (const message of messages) state.messages.push(message);
  if (!needsEstimates(run.budget)) return state;
  return { ...state, characters: messages.reduce((count, one) => count + characters(one), state.characters) };
}

const ANSWER_NOW = 'This is the last step: answer now with what you have. No tool can be called any more.';

/** What the next model call is asked. The transcript is copied only when a model reads it. */
export function requestOf(run: Run, { messages, step, calls }: RunState, demand = run.demand): ModelRequest {
  const { system, specs, toolChoice, modelOptions, scheduler, ids, budget } = run;
  const { length } = messages;
  // The call itself has been counted by now.
  const isLast = isReserved(calls - 1, budget);
  let copy: readonly Message[] | undefined;
  return {
    system: isLast ? (system === undefined ? ANSWER_NOW : `${system}\n\n${ANSWER_NOW}`) : system,
    get messages() {
      return (copy ??= messages.slice(0, length));
    },
    tools: specs,
    toolChoice: isLast ? 'none' : step === 0 || toolChoice === 'none' ? toolChoice : 'auto',
    options: modelOptions,
    demand,
    scheduler,
    ids,
  };
}

function* callIds(messages: readonly Message[]): Iterable<string> {
  for (const message of messages) {
    if (message.role === 'tool') for (const { callId } of message.results) yield callId;
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') yield part.call.id;
  }
}
