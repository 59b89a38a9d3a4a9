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
  /** What the model is told of a tool's failure: the error's whole text, or its kind alone. */
  readonly toolErrorText: 'whole' | 'redacted';
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
}

/** How long a model may be silent, milliseconds; 0 switches a limit off. */
export interface Timeouts {
  /** Until the first sign of life. Default 60,000. */
  readonly firstDeltaMs: number;
  /** Between signs of life: any delta, pings included. Default 120,000. */
  readonly idleMs: number;
  /** Between deltas that a user sees. Default 600,000. */
  readonly stallMs: number;
}

/** Limits of one run. An absent limit does not bind, except `maxSteps`. */
export interface Budget {
  /** Model calls, counted at `step-start`: exactly this many at most. Default 10; 0 makes none. */
  readonly maxSteps?: number;
  /** Tokens of the whole run, strictly greater; checked after a step that asks for tools, which then do not run. */
  readonly maxTotalTokens?: number;
}

export interface Preset {
  readonly policy: Policy;
  readonly retry: RetryPolicy;
  readonly timeouts: Timeouts;
}

const strict: Preset = {
  policy: { budgetEnd: 'error', emptyTruncated: 'accept', keepReasoning: false, toolErrorText: 'whole' },
  retry: { count: 0, initialDelayMs: 500, factor: 2, maxDelayMs: 8_000, maxTotalMs: 15_000, jitter: 0.25 },
  timeouts: { firstDeltaMs: 0, idleMs: 0, stallMs: 0 },
};

const resilient: Preset = {
  ...strict,
  retry: { ...strict.retry, count: 3 },
  timeouts: { firstDeltaMs: 60_000, idleMs: 120_000, stallMs: 600_000 },
};

/**
 * - `strict`: fails at the first fault, never waits, drops reasoning.
 * - `resilient`: `strict` with retry and timeouts (the default).
 */
export const presets = { strict, resilient } as const;

export type PresetName = keyof typeof presets;
