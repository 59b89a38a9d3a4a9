import type { Correction, LoopEvent } from '../event.ts';
import type { Completion, Reason, StepRecord } from '../outcome.ts';
import type { Checkpoint } from '../checkpoint.ts';
import type { Claims } from '../fold/claim-ids.ts';
import { claimIds } from '../fold/claim-ids.ts';
import type { Hooks, RequestView } from '../hooks.ts';
import type { CallRecord } from '../invoke/call-record.ts';
import type { Desk } from '../invoke/desk.ts';
import { Latch } from '../latch.ts';
import type { AssistantMessage, Message, ToolCall } from '../message.ts';
import type { Model, ToolSpec } from '../model.ts';
import type { Surroundings } from '../nesting.ts';
import type { Tool } from '../tool.ts';
import type { Usage } from '../usage.ts';
import { Aside } from './aside.ts';
import { characters, needsEstimates, overheadCharacters } from './budget.ts';
import type { Used } from './budget.ts';
import { Inbox } from './inbox.ts';
import type { Settings } from './options.ts';
import { NO_REPEATS } from './repetition.ts';
import { NOTHING_SPENT } from './retry.ts';
import type { Spent, Wait } from './retry.ts';
import type { Resumption } from './resumption.ts';
import { StopSwitch } from './stop.ts';
import { Next } from './unfold.ts';

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
  /** Observing hooks whose fault has been told. */
  readonly faulty: Set<Hooks>;
  readonly desk: Desk;
  /** The last set of tools that came, where they come. */
  readonly toolSet: { latest?: readonly Tool[]; readonly first: Latch<void> };
  /** What nested runs have used and no step has counted yet. */
  nested: Usage | undefined;
  /** Scheduler time of its `run-start`, less the time that it ran before it was resumed. */
  startedAt: number;
  /** 0, or how many runs it stands in. */
  readonly depth: number;
  /** What it goes on from. */
  readonly resumed: Checkpoint | undefined;
  /** Tool bodies started so far. */
  started: number;
}

/** What follows once a step and its calls are closed. */
export type After =
  | { readonly type: 'step' }
  | { readonly type: 'answer'; readonly turn: AssistantMessage | undefined }
  | { readonly type: 'done'; readonly reason: Reason; readonly turn?: AssistantMessage | undefined }
  | { readonly type: 'correct'; readonly correction: Omit<Correction, 'type' | 'runId' | 'step'> };

/**
 * - `call`: `fresh` is a counted call, announced by `step-start`; otherwise the same attempt calls again
 * - `wait`: `fresh` announces a new attempt first, then, with `from` (a place in the list), the model that it goes on with
 */
export type AttemptPhase =
  | { readonly type: 'call'; readonly fresh: boolean }
  | { readonly type: 'wait'; readonly wait: Wait | undefined; readonly reason: string; readonly fresh: boolean; readonly from?: number };

/** The calls of a step that stands. */
export interface BatchPhase {
  readonly type: 'batch';
  readonly turn: AssistantMessage;
  readonly calls: readonly ToolCall[];
  /** How far each has come, where one has begun or is decided already. */
  readonly records?: readonly CallRecord[];
  readonly announced?: boolean;
  /** Why none of the calls runs. */
  readonly notRun?: string;
  readonly after: After;
}

/** What a phase begins with. */
export type Phase =
  | { readonly type: 'start' }
  /** Between steps: what the user said, the budgets, the reader. `afterAnswer`: no tool has run since the last turn. */
  | { readonly type: 'boundary'; readonly afterAnswer: boolean; readonly isSaved?: true }
  /** Before an attempt that no boundary precedes: what is asked before each counted call. */
  | { readonly type: 'prepare'; readonly then: AttemptPhase; readonly isSaved?: true }
  | AttemptPhase
  | BatchPhase
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
  readonly specs: readonly ToolSpec[];
  /** The set that they come from, where tools come. */
  readonly toolSet: readonly Tool[] | undefined;
  /** Able to check the output that was asked for. */
  readonly checker: Tool | undefined;
  /** What the hooks made of the call that comes next. */
  readonly patch: RequestView | undefined;
  /** Of the current attempt. */
  readonly spent: Spent;
  /** What abandoned exchanges of the current attempt reported. */
  readonly abandoned: Usage | undefined;
  /** What withdrawn attempts of the current step came to. */
  readonly retracted: Usage | undefined;
  /** Broken streams in a row. */
  readonly failures: number;
  /** Repairs of the output in a row. */
  readonly repairs: number;
  /** Invalid calls that were sent back. */
  readonly invalidCalls: number;
  /** Corrections of hooks. */
  readonly corrections: number;
  /** So many messages at the start are those that the run was given. */
  readonly input: number;
  readonly nestedUsage: Usage | undefined;
  readonly messages: Message[];
  readonly steps: StepRecord[];
  readonly completion: Completion;
  readonly answer: AssistantMessage | undefined;
  /** Of `messages` and what every request repeats; counted only where a budget may need an estimate. */
  readonly characters: number;
}

export function newRun(settings: Settings, resumed?: Resumption, around?: Surroundings): Run {
  const {
    models, system, tools, specs, tools$, hooks, approvals, onCheckpoint, output, compact, title, validator, toolChoice, modelOptions,
    demand, policy, schedule, abort$, steering$, followUp$, budget, retry, timeouts, scheduler, ids, random, threadId,
  } = settings;
  const { checkpoint } = resumed ?? {};
  const messages = checkpoint?.messages ?? settings.messages;
  const runId = checkpoint?.runId ?? settings.runId ?? ids('run');
  const isHeard = [title, abort$, steering$, followUp$, approvals, onCheckpoint, tools$].some((port) => port !== undefined);
  // An answer that a resumed run was given may stop it.
  const canStop = isHeard || resumed !== undefined || hooks.length > 0 || budget.maxDurationMs < Infinity;
  // One by one: V8 takes some 60 µs for an object with fields after the spread of so many, and 1 for this.
  return {
    models, system, tools, specs, tools$, hooks, approvals, onCheckpoint, output, compact, title, validator, toolChoice, modelOptions,
    demand, policy, schedule, abort$, steering$, followUp$, budget, retry, timeouts, scheduler, ids, random, threadId,
    messages: settings.messages,
    runId,
    claims: claimIds(ids, [...callIds(messages), ...(checkpoint?.ids.calls ?? [])], checkpoint?.ids.blocks),
    inbox: new Inbox(checkpoint?.unread),
    aside: new Aside(),
    stops: canStop ? new StopSwitch() : undefined,
    scratch: new Map(),
    warned: new Set(checkpoint?.counters.warned),
    faulty: new Set(),
    desk: { port: approvals, given: around?.given ?? new Map(Object.entries(resumed?.answers ?? {})), ids },
    depth: around === undefined ? 0 : around.depth + 1,
    toolSet: { first: new Latch() },
    nested: undefined,
    startedAt: scheduler.now() - (checkpoint?.counters.elapsedMs ?? 0),
    resumed: checkpoint,
    started: checkpoint?.counters.toolCalls ?? 0,
  };
}

export function startState(run: Run): RunState {
  const start: RunState = {
    phase: { type: 'start' },
    step: 0,
    attempt: 1,
    model: 0,
    tools: run.tools,
    specs: run.specs,
    toolSet: undefined,
    checker: run.output?.checker,
    patch: undefined,
    spent: NOTHING_SPENT,
    abandoned: undefined,
    retracted: undefined,
    failures: 0,
    repairs: 0,
    invalidCalls: 0,
    corrections: 0,
    input: run.messages.length,
    nestedUsage: undefined,
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

/** The end of a phase: the run goes on from this state with this one. */
export function go(state: RunState, phase: Phase): Next<RunState> {
  return new Next({ ...state, phase });
}

/** The model that serves the current call. */
export function modelOf(run: Run, state: RunState): Model {
  return state.patch?.model ?? (run.models[state.model] as Model);
}

/** The state after its transcript has grown. */
export function append(run: Run, state: RunState, messages: readonly Message[]): RunState {
  for (const message of messages) state.messages.push(message);
  if (!needsEstimates(run.budget)) return state;
  return { ...state, characters: messages.reduce((count, one) => count + characters(one), state.characters) };
}

function* callIds(messages: readonly Message[]): Iterable<string> {
  for (const message of messages) {
    if (message.role === 'tool') for (const { callId } of message.results) yield callId;
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') yield part.call.id;
  }
}
