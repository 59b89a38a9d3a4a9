import type { SchedulerLike } from 'rxjs';
import type { Completion, Reason, StepRecord } from '../event.ts';
import type { Claims } from '../fold/claim-ids.ts';
import { claimIds } from '../fold/claim-ids.ts';
import type { Ids } from '../ids.ts';
import type { AssistantMessage, Message, ToolCall } from '../message.ts';
import type { ModelRequest } from '../model.ts';
import type { Tool } from '../tool.ts';
import type { Usage } from '../usage.ts';
import { characters, overheadCharacters } from './budget.ts';
import type { Settings } from './options.ts';
import type { Spent, Wait } from './retry.ts';

/** What stays the same through one run. */
export interface Run extends Settings {
  readonly runId: string;
  readonly claims: Claims;
  readonly scheduler: SchedulerLike;
  readonly ids: Ids;
}

/** What a phase begins with. */
export type Phase =
  | { readonly type: 'start' }
  /** `fresh`: a counted call, announced by `step-start`; otherwise the same attempt calls again. */
  | { readonly type: 'call'; readonly fresh: boolean }
  | { readonly type: 'wait'; readonly wait: Wait; readonly error: unknown }
  /** `notRun`: why none of the calls runs; `reason`: the run is done after it. */
  | { readonly type: 'batch'; readonly turn: AssistantMessage; readonly calls: readonly ToolCall[]; readonly notRun?: string; readonly reason?: Reason }
  | { readonly type: 'done'; readonly reason: Reason }
  | { readonly type: 'failed'; readonly error: unknown };

/**
 * Where a run stands. A new object for each phase; `messages` and `steps` are append-only arrays that all of them
 * share, so that a step costs the same however many came before.
 */
export interface RunState {
  readonly phase: Phase;
  /** 0-based. */
  readonly step: number;
  /** Each able to check its arguments, once the preflight is over. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Of the current attempt. */
  readonly spent: Spent;
  /** What abandoned exchanges of the current attempt reported. */
  readonly abandoned: Usage | undefined;
  readonly messages: Message[];
  readonly steps: StepRecord[];
  readonly usage: Usage | undefined;
  readonly completion: Completion;
  readonly answer: AssistantMessage | undefined;
  /** Of `messages` and what every request repeats; counted only where a token budget may need an estimate. */
  readonly characters: number;
}

export const NOTHING_SPENT: Spent = { count: 0, waitedMs: 0 };

export function newRun(settings: Settings): Run {
  const { ids, messages, runId = ids('run') } = settings;
  return { ...settings, runId, claims: claimIds(ids, callIds(messages)) };
}

export function startState(run: Run): RunState {
  const start: RunState = {
    phase: { type: 'start' },
    step: 0,
    tools: run.tools,
    spent: NOTHING_SPENT,
    abandoned: undefined,
    messages: [],
    steps: [],
    usage: undefined,
    completion: { text: '', toolCalls: [] },
    answer: undefined,
    characters: run.budget.maxTotalTokens === Infinity ? 0 : overheadCharacters({ system: run.system, tools: run.specs }),
  };
  return append(run, start, run.messages);
}

/** The state after its transcript has grown. */
export function append(run: Run, state: RunState, messages: readonly Message[]): RunState {
  for (const message of messages) state.messages.push(message);
  if (run.budget.maxTotalTokens === Infinity) return state;
  return { ...state, characters: messages.reduce((count, one) => count + characters(one), state.characters) };
}

/** What the next model call is asked. The transcript is copied only when a model reads it. */
export function requestOf(run: Run, { messages, step }: RunState): ModelRequest {
  const { system, specs, toolChoice, modelOptions, demand, scheduler, ids } = run;
  const { length } = messages;
  let copy: readonly Message[] | undefined;
  return {
    system,
    get messages() {
      return (copy ??= messages.slice(0, length));
    },
    tools: specs,
    toolChoice: step === 0 || toolChoice === 'none' ? toolChoice : 'auto',
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
