import fc from 'fast-check';
import { concurrent, dependencyTiers, parallelSafe, sequential } from '../../lib/index.ts';
import type { Schedule } from '../../lib/index.ts';

/** What a tool's call may meet; `a` and `b` of its arguments decide the rest, so that a run that goes on decides the same. */
export const RESUMABLE = ['plain', 'ask', 'some', 'client', 'early', 'fails', 'input', 'inner', 'deep', 'nobody'] as const;
export type Resumable = (typeof RESUMABLE)[number];

export interface AskedCall {
  readonly name: Resumable;
  readonly a: number;
  /** What the `beforeTool` hook does with it, see {@link HOOKED}. */
  readonly b: number;
  /** The call of its turn that it names, for `dependencyTiers`. */
  readonly needs?: number | undefined;
}

export const HOOKED = ['run', 'run', 'run', 'rewrite', 'ask', 'rewrite and ask', 'skip', 'block'] as const;

export interface ResumeTurn {
  readonly calls: readonly AskedCall[];
  /** Attempts that break off after a word. */
  readonly breaks: number;
  /** The `afterStep` hook withdraws the first attempt, where it has no calls. */
  readonly withdrawn: boolean;
  /** The `afterStep` hook has it said otherwise. */
  readonly corrected: boolean;
}

/** How a person or a client answers; at most one of `now` and a later round. */
export interface Reply {
  readonly how: 'yes' | 'other arguments' | 'no';
  /** At once: nothing is suspended. */
  readonly now: boolean;
}

export interface ResumeScenario {
  readonly turns: readonly ResumeTurn[];
  /** Of the runs inside `inner`; `deep` has an `inner` in it. */
  readonly inside: readonly ResumeTurn[];
  readonly delays: Readonly<Record<Resumable, number>>;
  readonly safe: boolean;
  readonly late: boolean;
  readonly hooks: boolean;
  readonly after: boolean;
  readonly schedule: readonly ['sequential' | 'concurrent' | 'parallelSafe' | 'dependencyTiers', bound: number];
  readonly toolCommit: 'each' | 'batch';
  readonly maxToolCalls: number;
  readonly replies: readonly Reply[];
  /** Which of the open requests is answered in each round. */
  readonly order: readonly number[];
}

export function resumableSchedule([kind, bound]: ResumeScenario['schedule']): Schedule {
  return { sequential, concurrent: concurrent(bound), parallelSafe: parallelSafe(bound), dependencyTiers: dependencyTiers(bound) }[kind];
}

const turn = (names: readonly Resumable[]): fc.Arbitrary<ResumeTurn> =>
  fc.record({
    calls: fc.array(fc.record({ name: fc.constantFrom(...names), a: fc.nat(4), b: fc.nat(HOOKED.length - 1), needs: fc.option(fc.nat(2), { nil: undefined, freq: 2 }) }), { maxLength: 4 }),
    breaks: fc.constantFrom(0, 0, 0, 1),
    withdrawn: fc.constantFrom(false, false, true),
    corrected: fc.constantFrom(false, false, false, true),
  });

const weighted: readonly Resumable[] = ['plain', 'ask', 'ask', 'some', 'client', 'early', 'fails', 'input', 'inner', 'deep', 'nobody'];
const reply: fc.Arbitrary<Reply> = fc.record({ how: fc.constantFrom('yes', 'yes', 'other arguments', 'no'), now: fc.constantFrom(false, false, true) });

/** A run that has much to ask. */
export const resumeScenario: fc.Arbitrary<ResumeScenario> = fc.record({
  turns: fc.array(turn(weighted), { minLength: 1, maxLength: 3 }),
  inside: fc.array(turn(weighted.filter((name) => name !== 'inner' && name !== 'deep')), { minLength: 1, maxLength: 2 }),
  delays: fc.record(Object.fromEntries(RESUMABLE.map((name) => [name, fc.constantFrom(0, 0, 1, 3)])) as { [Name in Resumable]: fc.Arbitrary<number> }),
  safe: fc.boolean(),
  late: fc.boolean(),
  hooks: fc.boolean(),
  after: fc.boolean(),
  schedule: fc.tuple(fc.constantFrom('sequential', 'concurrent', 'parallelSafe', 'dependencyTiers'), fc.constantFrom(1, 2, 8)),
  toolCommit: fc.constantFrom('each', 'each', 'batch'),
  maxToolCalls: fc.constantFrom(100, 100, 4),
  replies: fc.array(reply, { minLength: 1, maxLength: 5 }),
  order: fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }),
});
