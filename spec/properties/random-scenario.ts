import fc from 'fast-check';
import { concurrent, ModelError, parallelSafe, sequential } from '../../lib/index.ts';
import type { Budget, Delta, Policy, RetryPolicy, Schedule, Timeouts, Usage } from '../../lib/index.ts';
import { call, finish } from '../../marbles/index.ts';
import type { Control } from './random-control.ts';
import { randomScript } from '../support/random-run.ts';
import type { RandomTurn } from '../support/random-run.ts';

/** How an exchange ends once all was said: `never` stays open, `throws` does not even begin, an error breaks it off. */
export type TurnEnd = 'complete' | 'never' | 'throws' | Error;

export interface TimedTurn {
  /** Each delta with the pause before it; 0 is none at all. */
  readonly said: readonly (readonly [gapMs: number, delta: Delta])[];
  readonly end: TurnEnd;
}

export interface RandomTool {
  /** `heeds`: it never ends by itself, but `delayMs` after its signal fired. `cycle`: its value is nothing for JSON. */
  readonly answer: 'value' | 'throws' | 'error' | 'progress' | 'empty' | 'never' | 'cycle' | 'heeds';
  /** 0: at once. */
  readonly delayMs: number;
  readonly parallelSafe: boolean;
  readonly timeoutMs?: number | undefined;
}

/** When and how somebody ends the run: by unsubscribing (`hard`) or through `abort$`. */
export type Leave =
  | { readonly how: 'none' }
  | { readonly how: 'hard'; readonly at: 'frame' | 'event'; readonly n: number }
  | { readonly how: 'soft'; readonly via: 'observable' | 'signal'; readonly at: 'before' | 'frame' | 'event'; readonly n: number };

export interface Scenario {
  readonly turns: readonly TimedTurn[];
  /** After the last turn comes the first again. */
  readonly endless?: true;
  /** Exchange n says turn n whichever model of the list serves; past the last turn each gives a plain answer. */
  readonly models: number;
  readonly tools: Readonly<Record<ToolName, RandomTool>>;
  readonly policy: Partial<Policy>;
  readonly retry: Partial<RetryPolicy>;
  readonly timeouts: Timeouts;
  readonly budget: Budget;
  readonly schedule: readonly ['sequential' | 'concurrent' | 'parallelSafe', bound: number];
  readonly steering: readonly number[];
  readonly followUp: readonly number[];
  /** `steering$` fails then. */
  readonly steeringFails?: number | undefined;
  readonly random: number;
  readonly leave: Leave;
  /** Hooks and people that decide something. */
  readonly control?: Control;
}

export const TOOL_NAMES = ['add', 'mul', 'bad'] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

export function scheduleOf([kind, bound]: Scenario['schedule']): Schedule {
  if (kind === 'sequential') return sequential;
  return kind === 'concurrent' ? concurrent(bound) : parallelSafe(bound);
}

const busy = (retryAfterMs?: number): ModelError =>
  new ModelError('model-http', 'Busy.', { status: 503, retryable: true, ...(retryAfterMs !== undefined && { retryAfterMs }) });

/** What no well-behaved model says, or not there, and what it says beside its answer. */
const stray = fc.constantFrom<Delta>(
  { type: 'tool-call-arguments', index: 7, chunk: '{}' },
  { type: 'tool-call-end', index: 7, call: { id: 'x', name: 'add', arguments: {} } },
  { type: 'tool-call-start', index: 0, id: 'x', name: 'add' },
  { type: 'tool-call-start', index: 1, id: 'half', name: 'add' },
  { type: 'error', error: busy() },
  { type: 'error', error: new ModelError('model-http', 'No credit.', { status: 429, type: 'insufficient_quota' }) },
  { type: 'finish', reason: 'aborted' },
  { type: 'warning', text: 'Not so hot.' },
  { type: 'opaque', block: 'o', data: 'sealed' },
  { type: 'server-tool', block: 's', id: 'srv', name: 'web', phase: 'call' },
  { type: 'source', block: 'a', url: 'https://example.test' },
  { type: 'file', block: 'f', mediaType: 'text/plain', data: 'aGk=' },
  { type: 'alive' },
);
const usage = fc.constantFrom<Usage>({ inputTokens: 5, outputTokens: 1 }, { inputTokens: 2 }, { inputTokens: 0, outputTokens: 0 }, { totalTokens: 9 });
const other = fc.oneof({ weight: 3, arbitrary: stray }, { weight: 1, arbitrary: usage.map((one): Delta => ({ type: 'usage', usage: one })) });

const gap = fc.constantFrom(0, 0, 0, 1, 1, 2, 5, 26, 40);
const ending = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<number | undefined>(undefined, 0, 4, 9, 30, 500).map((ms) => busy(ms)) },
  { weight: 1, arbitrary: fc.constantFrom<TurnEnd>('never', 'throws', new Error('Not from here.'), new ModelError('model-http', 'No.', { status: 400 })) },
);
const place = fc.record({ turn: fc.nat(4), at: fc.nat(8) });
const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const few = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant<T[]>([]) }, { weight: 2, arbitrary: fc.array(value, { minLength: 1, maxLength: 2 }) });

/** A turn that asks for several tools at once and is right in everything. */
export const asking: fc.Arbitrary<readonly Delta[]> = fc
  .array(fc.constantFrom<ToolName>('add', 'mul', 'bad'), { minLength: 1, maxLength: 4 })
  .map((names) => [...names.flatMap((name, index) => call(name, { index }, { id: 'same', index })), finish('tool-use')]);

/** The turns of a script, paced, with some words in the wrong place and some exchanges that end otherwise. */
export const turns: fc.Arbitrary<readonly TimedTurn[]> = fc
  .record({
    script: randomScript,
    asking: fc.array(fc.tuple(fc.nat(2), asking), { maxLength: 2 }),
    gaps: fc.array(gap, { maxLength: 6 }),
    strays: few(fc.tuple(place, other)),
    endings: few(fc.tuple(place, ending)),
  })
  .map(({ script, asking, gaps, strays, endings }) => {
    let n = 0;
    const gapNow = (): number => gaps[n++ % gaps.length] ?? 0;
    const all: RandomTurn[] = [...script.turns];
    for (const [at, deltas] of asking) all.splice(at, 0, { deltas });
    return all.map(({ deltas, error }, index): TimedTurn => {
      const said = [...deltas];
      for (const [{ turn, at }, delta] of strays) if (turn === index) said.splice(at, 0, delta);
      const broken = endings.find(([{ turn }]) => turn === index);
      if (broken === undefined) return { said: said.map((delta) => [gapNow(), delta]), end: error ?? 'complete' };
      const [{ at }, end] = broken;
      return { said: said.slice(0, at).map((delta) => [gapNow(), delta]), end };
    });
  });

export const tool: fc.Arbitrary<RandomTool> = fc.record({
  answer: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom<RandomTool['answer']>('value', 'progress', 'error') },
    { weight: 3, arbitrary: fc.constantFrom<RandomTool['answer']>('throws', 'empty', 'never', 'cycle', 'heeds') },
  ),
  delayMs: fc.constantFrom(0, 0, 1, 3, 12),
  parallelSafe: fc.boolean(),
  timeoutMs: rarely(fc.constantFrom(2, 8, 60)),
});

const policy: fc.Arbitrary<Partial<Policy>> = fc.record(
  {
    budgetEnd: fc.constantFrom('error', 'stop'),
    emptyTruncated: fc.constantFrom('error', 'accept'),
    keepReasoning: fc.boolean(),
    streamFailure: fc.constantFrom<Policy['streamFailure']>('fail', { feedback: 1 }, { feedback: 3 }, { retract: 1 }, { retract: 3 }),
    toolErrorText: fc.constantFrom('whole', 'redacted'),
  },
  { requiredKeys: ['budgetEnd', 'emptyTruncated', 'keepReasoning', 'streamFailure'] },
);

export const limit = fc.oneof<fc.Arbitrary<Budget>[]>(
  fc.record({ maxSteps: fc.constantFrom(1, 2, 2, 4, 0) }),
  fc.record({ maxSteps: fc.constantFrom(1, 2, 3), lastStep: fc.constant('answer' as const) }),
  fc.record({ maxTotalTokens: fc.constantFrom(9, 40, 0) }),
  fc.record({ maxCostUsd: fc.constantFrom(0.00001, 1, 0) }),
  fc.record({ contextLimit: fc.constantFrom(0.04, 0.5) }),
  fc.record({ repetition: fc.constantFrom(2, 3, 1) }),
  fc.record({ maxDurationMs: fc.constantFrom(400, 45, 7, 1, 0) }),
  fc.record({ maxToolCalls: fc.constantFrom(1, 3, 0) }),
  fc.record({ warnAt: fc.constantFrom(0.5, 0, 1), maxSteps: fc.constantFrom(3, 1) }),
);
const budget: fc.Arbitrary<Budget> = few(limit).map((limits) => Object.assign({}, ...limits) as Budget);

const moment = fc.constantFrom(0, 1, 2, 3, 5, 8, 13, 21, 34, 55);
const leave: fc.Arbitrary<Leave> = fc.oneof(
  fc.record({ how: fc.constant('none' as const) }),
  fc.record({ how: fc.constant('hard' as const), at: fc.constantFrom('frame', 'event'), n: fc.oneof(moment, fc.nat(30)) }),
  fc.record({
    how: fc.constant('soft' as const), via: fc.constantFrom('observable', 'signal'),
    at: fc.constantFrom('before', 'frame', 'frame', 'event', 'event', 'event'), n: fc.oneof(moment, fc.nat(30)),
  }),
);

/** A whole run with everything around it: mostly bad luck. */
export const randomScenario: fc.Arbitrary<Scenario> = fc.record({
  turns,
  models: fc.constantFrom(1, 1, 2, 3),
  tools: fc.record({ add: tool, mul: tool, bad: tool }),
  policy,
  retry: fc.record({
    count: fc.constantFrom(0, 1, 2), initialDelayMs: fc.constant(5), maxDelayMs: fc.constant(12), maxTotalMs: fc.constantFrom(8, 40),
    jitter: fc.constantFrom(0, 0.5), retryAfter: fc.constantFrom('respect', 'clamp'),
  }),
  timeouts: fc.record({ firstDeltaMs: fc.constantFrom(0, 30), idleMs: fc.constantFrom(0, 25), stallMs: fc.constantFrom(0, 60), graceMs: fc.constantFrom(0, 10) }),
  budget,
  schedule: fc.tuple(fc.constantFrom('sequential', 'concurrent', 'parallelSafe'), fc.constantFrom(0, 1, 2, 8)),
  steering: few(moment),
  followUp: few(moment),
  steeringFails: rarely(rarely(moment)),
  random: fc.constantFrom(0, 0.5, 0.99),
  leave,
});
