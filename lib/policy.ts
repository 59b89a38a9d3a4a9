import { dependencyTiers, parallelSafe, sequential } from './schedule.ts';
import type { Schedule } from './schedule.ts';

/**
 * The choices on which engines differ, as one object of data. A preset is one literal here; no code tests a preset's
 * name. Values are read in `loop/settle.ts`, `loop/ending.ts` and `invoke/batch.ts` only.
 */
export interface Policy {
  /** Whether a spent budget ends the run with a {@link BudgetError} or with `done`. */
  readonly budgetEnd: 'error' | 'stop';
  /** What becomes of an answer that was cut or withheld before anything was said. */
  readonly emptyTruncated: 'accept' | 'error';
  /**
   * Whether readable reasoning stays in the transcript once its tool round is over. Inside the round it always stays,
   * and reasoning with `meta` always stays, because providers refuse the next request otherwise.
   */
  readonly keepReasoning: boolean;
  /**
   * What follows a failure of the stream that no retry may repeat: the end of the run, a corrective turn that tells the
   * model (at most so many in a row), or another attempt in place of the withdrawn one (at most so many in a row).
   */
  readonly streamFailure: 'fail' | { readonly feedback: number } | { readonly retract: number };
  /** What the model is told of a tool's failure: the error's whole text, or its kind alone. */
  readonly toolErrorText: 'whole' | 'redacted';
  /**
   * `each`: a result is shown as soon as every call before it has one. `batch`: all results of a step together, when its
   * last call has settled; none of them counts if the batch is cut short.
   */
  readonly toolCommit: 'each' | 'batch';
  /** A call of a tool that does not exist: an error result that names what there is, or the end of the run. */
  readonly unknownTool: 'feedback' | 'fail';
  /** What an unknown tool spoils: its own call, or every call of its turn. */
  readonly invalidScope: 'call' | 'turn';
  /** What becomes of an answer that is still not the output asked for when all repairs are spent. */
  readonly outputFailure: 'error' | 'accept';
  /** What a hook's stop does to calls that run: lets them end, or fires their signal. */
  readonly onStop: 'abort' | 'drain';
}

/** How a failed model call is repeated while nothing of it has been shown. Times in milliseconds. */
export interface RetryPolicy {
  /** Repeats within one attempt. Default 3; 0 never repeats. */
  readonly count: number;
  /** The wait before repeat n is `min(initialDelayMs * factor^(n-1), maxDelayMs) * (1 - jitter * random())`. Default 500. */
  readonly initialDelayMs: number;
  /** Default 2. */
  readonly factor: number;
  /** Default 8,000. */
  readonly maxDelayMs: number;
  /** Bound on the waits of one attempt together. Default 15,000. */
  readonly maxTotalMs: number;
  /** 0 to 1. Default 0.25. */
  readonly jitter: number;
  /**
   * What becomes of a wait that the provider asked for: `respect` never undercuts it, and gives up where it is longer than
   * what is left of `maxTotalMs`; `clamp` waits `maxDelayMs` at most. Default `respect`.
   */
  readonly retryAfter: 'respect' | 'clamp';
  /** Whether trying again may help. An empty answer means no opinion: then the error itself says it. Default: no opinion. */
  readonly classify?: (error: unknown) => 'fatal' | 'transient' | undefined;
}

/** How long a model may be silent, milliseconds; 0 switches a limit off. */
export interface Timeouts {
  /** Until the first sign of life. Default 60,000. */
  readonly firstDeltaMs: number;
  /** Between signs of life: any delta, pings included. Default 120,000. */
  readonly idleMs: number;
  /** Between deltas that a user sees. Default 600,000. */
  readonly stallMs: number;
  /** How long a tool may take to end after its signal fired; 0 gives it no time. Default 1,000. */
  readonly graceMs: number;
}

/** Limits of one run. An absent limit does not bind, except `maxSteps`. */
export interface Budget {
  /**
   * Model calls, counted at `step-start`: exactly this many at most. Withdrawn attempts and corrective steps count,
   * retries and fallbacks inside an attempt do not. Default 10; 0 makes none.
   */
  readonly maxSteps?: number;
  /** Tokens of the whole run, strictly greater; checked after a step that asks for tools, which then do not run. */
  readonly maxTotalTokens?: number;
  /** US dollars of the whole run, by the same rule. The model needs a `price`. */
  readonly maxCostUsd?: number;
  /** Share of the context window (0 to 1) that the last call used; checked before each step. Needs a `contextWindow`. */
  readonly contextLimit?: number;
  /** So many steps in a row with equal calls and results, or equal text, ids ignored; checked before each step. */
  readonly repetition?: number;
  /** Scheduler time since `run-start`, milliseconds; ends the run at once, as `abort$` does. */
  readonly maxDurationMs?: number;
  /** Tool bodies started in the run: a call over it gets an error result, and the run goes on. */
  readonly maxToolCalls?: number;
  /**
   * `answer` reserves the last permitted model call for an answer: it may not call tools, and is told so in one added
   * system line. Default: the last call is like any other.
   */
  readonly lastStep?: 'answer';
  /** A share (0 to 1) of any budget; passing it emits one `status` for that budget. Default: none. */
  readonly warnAt?: number;
}

export interface Preset {
  readonly policy: Policy;
  readonly schedule: Schedule;
  readonly retry: RetryPolicy;
  readonly timeouts: Timeouts;
}

const repeat = (count: number, classify?: RetryPolicy['classify']): RetryPolicy => ({
  count,
  initialDelayMs: 500,
  factor: 2,
  maxDelayMs: 8_000,
  maxTotalMs: 15_000,
  jitter: 0.25,
  retryAfter: 'respect',
  ...(classify && { classify }),
});

const COMMON = { toolCommit: 'each', unknownTool: 'feedback', invalidScope: 'call', outputFailure: 'error', onStop: 'abort' } as const;
const callByCall = (policy: Omit<Policy, keyof typeof COMMON>): Policy => ({ ...policy, ...COMMON });
const OFF: Timeouts = { firstDeltaMs: 0, idleMs: 0, stallMs: 0, graceMs: 1_000 };

const strict: Preset = {
  policy: /* @__PURE__ */ callByCall({ budgetEnd: 'error', emptyTruncated: 'accept', keepReasoning: false, streamFailure: 'fail', toolErrorText: 'whole' }),
  schedule: sequential,
  retry: /* @__PURE__ */ repeat(0),
  timeouts: OFF,
};

const resilient: Preset = {
  policy: /* @__PURE__ */ callByCall({ budgetEnd: 'stop', emptyTruncated: 'error', keepReasoning: true, streamFailure: { feedback: 3 }, toolErrorText: 'whole' }),
  schedule: /* @__PURE__ */ parallelSafe(8),
  retry: /* @__PURE__ */ repeat(3),
  timeouts: { firstDeltaMs: 60_000, idleMs: 120_000, stallMs: 600_000, graceMs: 1_000 },
};

const atomic: Preset = {
  policy: {
    budgetEnd: 'error', emptyTruncated: 'error', keepReasoning: true, streamFailure: 'fail', toolErrorText: 'redacted',
    toolCommit: 'batch', unknownTool: 'fail', invalidScope: 'turn', outputFailure: 'accept', onStop: 'drain',
  },
  schedule: sequential,
  retry: /* @__PURE__ */ repeat(0),
  timeouts: OFF,
};

const hosted: Preset = {
  policy: /* @__PURE__ */ callByCall({ budgetEnd: 'stop', emptyTruncated: 'accept', keepReasoning: true, streamFailure: 'fail', toolErrorText: 'whole' }),
  schedule: /* @__PURE__ */ dependencyTiers(8),
  // Other failures are for the host to see.
  retry: /* @__PURE__ */ repeat(3, (error) => (isBusy(error) ? undefined : 'fatal')),
  timeouts: { firstDeltaMs: 60_000, idleMs: 120_000, stallMs: 600_000, graceMs: 1_000 },
};

/** The provider asks for patience: too many requests, or not there for now. */
function isBusy(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && (error.status === 429 || error.status === 503);
}

/**
 * - `strict`: fails at the first fault, never waits, runs one tool after another, drops reasoning.
 * - `resilient`: repeats what nobody has seen, tells the model of what somebody has, ends at a budget with `done`, runs
 *   `parallelSafe` tools together, keeps reasoning (the default).
 * - `atomic`: a step's results count together or not at all, an unknown tool ends the run, tools' error texts stay out.
 * - `hosted`: waits for a busy provider alone, runs calls that do not need each other together, ends at a budget with `done`.
 */
export const presets = { strict, resilient, atomic, hosted } as const;

export type PresetName = keyof typeof presets;
