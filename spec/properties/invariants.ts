import { historyOf, isLoopError, isShown, RunError } from '../../lib/index.ts';
import type { EventOf, EventType, LoopEvent, Message, Outcome, ToolResult, Usage } from '../../lib/index.ts';
import { callIdsOf, transcriptFaults } from '../support/valid-transcript.ts';
import { NOTIFIER } from './play-scenario.ts';
import type { Exchange, Open, Record } from './play-scenario.ts';
import type { Scenario } from './random-scenario.ts';

/** What is wrong with a run, in words that begin with the number of the invariant; empty when nothing is. */
export function invariantFaults(scenario: Scenario, played: Record): string[] {
  // What nested runs say is theirs: here they stand for events of the host, so that the places of the others stay.
  const record = { ...played, events: played.events.map((event): LoopEvent => (event.parent === undefined ? event : { type: 'custom', runId: 'run', name: 'nested', data: null })) };
  return [leaving, ending, results, texts, usages, ids, starts, stops, budgets, failures, words].flatMap((check) => check(scenario, record));
}

type Check = (scenario: Scenario, record: Record) => string[];

const every = <Type extends EventType>(events: readonly LoopEvent[], type: Type): EventOf<Type>[] =>
  events.filter((event): event is EventOf<Type> => event.type === type);
const isOpen = ({ models, tools, notifiers, timers, listeners }: Open): boolean => models + tools.length + notifiers + timers + listeners !== 0;
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What the run came to; undefined where the reader left. */
function cameTo({ events, ending, error }: Record): Pick<Outcome, 'messages' | 'steps' | 'usage' | 'completion' | 'answer'> | undefined {
  if (ending === 'complete') return (events.at(-1) as EventOf<'done'>).outcome;
  return ending === 'error' && error instanceof RunError ? error.run : undefined;
}

/** 1: nothing before the subscription, nothing after leaving. */
const leaving: Check = (_scenario, { before, after, hanging }) => {
  const faults: string[] = [];
  if (isOpen(before)) faults.push(`1: before it was subscribed ${JSON.stringify(before)}`);
  if (after === undefined || isOpen(after)) faults.push(`1: once it was over, open: ${JSON.stringify(after)}`);
  // A run may wait for ever for what never ends and has no limit, and for nothing else.
  if (hanging !== undefined && hanging.models + hanging.tools.length === 0) faults.push('2: it neither ended nor waits for anything');
  return faults;
};

/** 2: one ending, and nothing after it. */
const ending: Check = ({ steeringFails }, { events, ending, error, exchanges, bodies, atEnd, left }) => {
  const faults: string[] = [];
  const dones = every(events, 'done').length;
  if (ending === 'complete' && (dones !== 1 || events.at(-1)?.type !== 'done')) faults.push('2: it completed without a last `done`');
  if (ending !== 'complete' && dones !== 0 && !left) faults.push('2: it said `done` and did not complete');
  if (ending === 'error' && !(error instanceof RunError)) faults.push(`2: it ended in ${String(error)}, which is no RunError`);
  if (exchanges.length + bodies.length > atEnd) faults.push('2: something started after the ending');
  if (error instanceof RunError && error.cause === NOTIFIER && steeringFails === undefined) faults.push('2: an error from nowhere');
  return faults;
};

/** 3, 6: each call has one result, in events and transcript, in call order; 10 of the semantics: every request is valid. */
const results: Check = (_scenario, record) => {
  const { events, ending, exchanges } = record;
  const faults = exchanges.flatMap(({ messages }, n) => transcriptFaults(messages).map((fault) => `3: request ${n}: ${fault}`));
  const end = cameTo(record);
  if (end === undefined) return faults;
  const history = historyOf(end);
  faults.push(...transcriptFaults(history).map((fault) => `3: ${fault}`));
  const asked = every(events, 'tool-call').map(({ callId }) => callId);
  const given = every(events, 'tool-result');
  if (!same(asked, given.map(({ callId }) => callId))) faults.push(`6: the calls were ${asked.join()} and the results ${given.map(({ callId }) => callId).join()}`);
  const stored = callIdsOf(history);
  if (!same(ending === 'complete' ? stored : stored.slice(0, asked.length), asked)) faults.push(`3: told of ${asked.join()}, stored ${stored.join()}`);
  const kept = new Map(history.flatMap((one) => (one.role === 'tool' ? one.results.map((result): [string, ToolResult] => [result.callId, result]) : [])));
  for (const { callId, result } of given) if (!same(kept.get(callId), result)) faults.push(`3: the result of ${callId} is stored otherwise than it was told`);
  return faults;
};

/** 4: for each step, what its committed attempt said is what its turn says; nothing else is in the transcript. */
const texts: Check = (_scenario, record) => {
  const end = cameTo(record);
  if (end === undefined) return [];
  const said: { text: string; isTurn: boolean }[] = [];
  let open: { text: string; refusal: string; calls: number; others: number } | undefined;
  const isTurn = ({ text, refusal, calls, others }: NonNullable<typeof open>, counted = calls): boolean => text + refusal !== '' || counted + others > 0;
  for (const event of record.events) {
    if (event.type === 'step-start') open = { text: '', refusal: '', calls: 0, others: 0 };
    if (event.type === 'step-retract') open = undefined;
    if (event.type === 'step-end' && open !== undefined) {
      said.push({ text: open.text, isTurn: isTurn(open, event.toolCalls) });
      open = undefined;
    }
    if (event.type !== 'delta' || open === undefined) continue;
    const { delta } = event;
    if (delta.type === 'text') open.text += delta.text;
    if (delta.type === 'refusal') open.refusal += delta.text;
    if (delta.type === 'tool-call-end') open.calls += 1;
    if (delta.type === 'server-tool' || delta.type === 'file') open.others += 1;
  }
  const expected = said.filter((one) => one.isTurn).map(({ text }) => text);
  // The attempt at which the run failed has no step-end, but what it said is kept.
  if (record.ending === 'error' && open !== undefined && isTurn(open)) expected.push(open.text);
  const turns = historyOf(end).flatMap((one) => (one.role === 'assistant' ? [textOf(one)] : []));
  return same(turns, expected) ? [] : [`4: the turns say ${JSON.stringify(turns)}, and the attempts said ${JSON.stringify(expected)}`];
};

function textOf(message: Extract<Message, { role: 'assistant' }>): string {
  return message.content.reduce((all, part) => (part.type === 'text' ? all + part.text : all), '');
}

const COUNTS = ['inputTokens', 'outputTokens', 'totalTokens'] as const;

function sum(usages: readonly (Usage | undefined)[]): Usage {
  const of = (count: (typeof COUNTS)[number]): number | undefined => {
    const known = usages.flatMap((usage) => usage?.[count] ?? []);
    return known.length === 0 ? undefined : known.reduce((a, b) => a + b);
  };
  return JSON.parse(JSON.stringify(Object.fromEntries(COUNTS.map((count) => [count, of(count)])))) as Usage;
}

/** 5: the run's usage is the sum over its attempts, failed and aborted ones included. */
const usages: Check = ({ budget, control }, record) => {
  const end = cameTo(record);
  if (end === undefined) return [];
  const { events, exchanges, ending } = record;
  const faults: string[] = [];
  const total = sum([end.usage]);
  // Under a budget of tokens or money, what was not reported is estimated.
  // What waits behind a hook that decides later, and stops the run, has not been read.
  const isUnread = control !== undefined && control.lateMs > 0;
  // Under such a budget a nested run is estimated too; its own usage stands in the run's and in no step's.
  const isEstimated = budget.maxTotalTokens !== undefined || budget.maxCostUsd !== undefined;
  const hasNested = isEstimated && control !== undefined && control.nested.length > 0;
  const isExact = budget.maxTotalTokens === undefined && budget.maxCostUsd === undefined && !isUnread;
  const reported = sum(exchanges.map(({ usage }) => usage));
  if (isExact && !same(total, reported)) faults.push(`5: the run used ${JSON.stringify(total)}, and its exchanges reported ${JSON.stringify(reported)}`);
  const steps = sum(end.steps.map(({ usage }) => usage));
  // A withdrawn attempt that no budget lets be followed is in no step.
  const isWithdrawn = events.at(-2)?.type === 'step-retract';
  if (ending === 'complete' && !isWithdrawn && !hasNested && !same(total, steps)) faults.push(`5: the run used ${JSON.stringify(total)}, and its steps ${JSON.stringify(steps)}`);
  for (const { step, usage } of end.steps) {
    const attempts = events.flatMap((event) => ((event.type === 'step-retract' || event.type === 'step-end') && event.step === step ? [event.usage] : []));
    if (!same(sum([usage]), sum(attempts))) faults.push(`5: step ${step} used ${JSON.stringify(usage)}, and its attempts ${JSON.stringify(attempts)}`);
  }
  const isShownIn = (n: number): boolean => every(events.slice(exchanges[n]?.after, exchanges[n + 1]?.after), 'delta').some(({ delta }) => isShown(delta));
  const isLess = exchanges.some(({ left, failure, usage }, n) => (left || failure !== undefined) && (isShownIn(n) || usage !== undefined));
  if (isLess && !isUnread && end.usage.partial !== true) faults.push('5: an exchange broke off, and the usage does not say that it is partial');
  return faults;
};

/** 7: ids are unique in the run, whatever the provider sends. */
const ids: Check = (_scenario, { events }) => {
  const taken = new Map<string, string>();
  const faults: string[] = [];
  let attempt = 0;
  for (const event of events) {
    if (event.type === 'step-start') attempt += 1;
    if (event.type !== 'delta') continue;
    const { delta } = event;
    const isCall = delta.type === 'tool-call-start';
    const id = isCall ? `call ${delta.id}` : 'block' in delta && delta.block !== undefined ? `block ${delta.block}` : undefined;
    if (id === undefined) continue;
    const owner = isCall ? `${attempt}.${delta.index}` : String(attempt);
    if (/ $/.test(id) || (taken.get(id) ?? owner) !== owner) faults.push(`7: ${id} stands for two, or for nothing`);
    taken.set(id, owner);
  }
  return faults;
};

/** 8: no body without a committed step that asked for tools, unless it starts early, its own tool-start, and complete arguments. */
const starts: Check = (_scenario, { events, bodies }) =>
  bodies.flatMap(({ callId, args, after }) => {
    const before = events.slice(0, after);
    const started = every(before, 'tool-start').find((event) => event.callId === callId);
    const end = every(before, 'step-end').find(({ step }) => step === started?.step);
    const isRight = started !== undefined && (end?.finish === 'tool-use' || started.speculative === true) && isArguments(args) && same(started.call.arguments, args);
    return isRight ? [] : [`8: the body of ${callId} ran with ${JSON.stringify(args)} in a step that ended with ${end?.finish ?? 'nothing'}`];
  });

function isArguments(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** 11: after a stop nothing starts, no wait goes on, and the run ends within the time that a tool is given. */
const stops: Check = ({ timeouts: { graceMs }, budget, control }, { stopped, exchanges, bodies, events, endedAt, left, hanging }) => {
  const faults: string[] = [];
  // The hooks that look at results have the time of a body, all of them together.
  const hookMs = control === undefined ? 0 : graceMs;
  if (exchanges.some(({ afterStop }) => afterStop)) faults.push('11: a model was called after the stop');
  if (bodies.some(({ afterStop }) => afterStop)) faults.push('11: a body started after the stop');
  if (stopped !== undefined && !left) {
    const limit = stopped.at + (stopped.tools === 0 ? 0 : graceMs) + hookMs;
    if (hanging !== undefined || endedAt > limit) faults.push(`11: told to stop at ${stopped.at}, it ended at ${endedAt}`);
    // A withdrawn attempt is followed by another, which then is the one that was aborted.
    const last = events[stopped.events - 1]?.type ?? 'nothing';
    if (last !== 'step-retract' && every(events.slice(stopped.events), 'step-start').length > 0) faults.push(`11: a step starts after the stop, which came after ${last}`);
  }
  const { maxDurationMs } = budget;
  if (maxDurationMs !== undefined && !left) {
    if (hanging !== undefined || endedAt > maxDurationMs + graceMs + hookMs) faults.push(`11: it may take ${maxDurationMs} ms, and ended at ${endedAt}`);
    if (exchanges.some(({ startedAt }) => startedAt > maxDurationMs)) faults.push('11: a model was called after the deadline');
  }
  return faults;
};

/** 12: no budget is passed. */
const budgets: Check = ({ budget, schedule: [kind, bound], tools }, { events, bodies, together, exchanges }) => {
  const faults: string[] = [];
  const { maxSteps = 10, maxToolCalls = Infinity, maxTotalTokens = Infinity, lastStep } = budget;
  const calls = every(events, 'step-start').length;
  if (calls > maxSteps) faults.push(`12: ${calls} calls, and ${maxSteps} are allowed`);
  if (bodies.length > maxToolCalls) faults.push(`12: ${bodies.length} bodies, and ${maxToolCalls} are allowed`);
  if (lastStep === 'answer' && maxSteps > 0) {
    const reserved = every(events, 'step-start')[maxSteps - 1];
    const last = exchanges.filter(({ after }) => reserved !== undefined && after > events.indexOf(reserved));
    if (last.some(({ toolChoice }) => toolChoice !== 'none')) faults.push('12: the reserved call may call tools');
    if (reserved !== undefined && every(events, 'tool-start').some(({ step }) => step > reserved.step)) faults.push('12: a tool ran after the reserved call');
  }
  for (const end of every(events, 'step-end')) {
    const used = every(events.slice(0, events.indexOf(end) + 1), 'step-end').reduce((total, { usage }) => total + (usage.totalTokens ?? (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)), 0);
    const ran = every(events, 'tool-start').some(({ step }) => step === end.step);
    if (ran && used > maxTotalTokens && end.usage.totalTokens === undefined) faults.push(`12: a tool ran at ${used} tokens, and ${maxTotalTokens} are allowed`);
  }
  const allowed = kind === 'sequential' ? 1 : Math.max(1, bound);
  for (const open of together) {
    if (open.length > allowed) faults.push(`12: ${open.length} bodies at once, and ${allowed} are allowed`);
    if (kind === 'parallelSafe' && open.length > 1 && open.some((name) => !tools[name].parallelSafe)) faults.push('12: a tool that must run alone did not');
  }
  return faults;
};

/** 13: fatal errors are final for their model; transient ones are repeated as often as allowed, never too soon. */
const failures: Check = ({ retry, policy }, { events, exchanges }) => {
  const faults: string[] = [];
  const attemptOf = ({ after }: Exchange): number => every(events.slice(0, after), 'step-start').length;
  for (const [n, next] of exchanges.entries()) {
    const before = exchanges[n - 1];
    const tries = exchanges.slice(0, n + 1).filter((one) => one.model === next.model && attemptOf(one) === attemptOf(next)).length;
    if (tries > 1 + (retry.count ?? 0)) faults.push(`13: exchange ${n} is try ${tries} of its attempt`);
    if (before?.failure === undefined || before.model !== next.model) continue;
    if (!isLoopError(before.failure) || !before.failure.retryable) faults.push(`13: exchange ${n} follows a fatal failure of its model`);
    const between = events.slice(before.after, next.after);
    const asked = (before.failure as { retryAfterMs?: number }).retryAfterMs;
    if (asked === undefined || (retry.retryAfter === 'clamp' && !between.some(({ type }) => type === 'retry'))) continue;
    const due = retry.retryAfter === 'clamp' ? Math.min(asked, retry.maxDelayMs ?? 0) : asked;
    if (next.startedAt < (before.endedAt ?? 0) + due) faults.push(`13: exchange ${n} came after ${next.startedAt - (before.endedAt ?? 0)} ms, and ${due} were asked for`);
  }
  const { streamFailure } = policy;
  const kind = streamFailure === 'fail' ? undefined : 'feedback' in (streamFailure ?? {}) ? 'correction' : 'step-retract';
  // Those of hooks are no matter of policy.
  const corrections = every(events, 'correction').filter(({ cause }) => cause === 'stream').length;
  const retracts = every(events, 'step-retract').filter(({ finish }) => finish === undefined).length;
  if (kind !== 'correction' && corrections > 0) faults.push('13: a correction against the policy');
  if (kind !== 'step-retract' && retracts > 0) faults.push('13: a step-retract against the policy');
  return faults;
};

/** What the user said is in the transcript or handed back, once. */
const words: Check = (_scenario, record) => {
  if (record.ending !== 'complete') return [];
  const { outcome } = record.events.at(-1) as EventOf<'done'>;
  const heard = every(record.events, 'steering').flatMap(({ messages }) => messages);
  const unread = [...(outcome.unread?.steering ?? []), ...(outcome.unread?.followUp ?? [])];
  const all = [...heard, ...unread].map((message) => JSON.stringify(message));
  const faults = new Set(all).size === all.length ? [] : ['words: something was heard twice'];
  const stored = outcome.messages.map((message) => JSON.stringify(message));
  for (const message of heard) if (!stored.includes(JSON.stringify(message))) faults.push('words: something was heard and is not in the transcript');
  return faults;
};
