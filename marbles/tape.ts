import type { ErrorInfo, LoopEvent } from '../lib/index.ts';

/** First line of a tape. */
export interface TapeHeader {
  /** Version of the format. */
  readonly tape: 1;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly model: string;
  readonly tools: readonly string[];
}

/** Every other line. `at`: whole milliseconds since `startedAt`; the error can only be the last line. */
export type TapeLine =
  | { readonly at: number; readonly event: LoopEvent }
  | { readonly at: number; readonly error: ErrorInfo };

/**
 * A run with its times, as `rx-tool-loop run --json` writes it. A tape that ends in neither `done` nor an error is of a run
 * that was left.
 */
export interface Tape {
  readonly header: TapeHeader;
  readonly lines: readonly TapeLine[];
}
