import type { FinishReason } from '../message.ts';
import type { Policy } from '../policy.ts';

/** How a model call ended, as far as the decision needs to know. */
export interface CallEnd {
  /** Present on success. */
  readonly finish?: FinishReason;
  /** Present on failure. */
  readonly failed?: 'fatal' | 'transient';
  /** The attempt has shown something to the user. */
  readonly shown: boolean;
  /** Complete calls. */
  readonly calls: number;
  /** Something was said: text, refusal or a complete call. Reasoning alone is nothing. */
  readonly said: boolean;
  /** A further retry is allowed and can be waited for. */
  readonly retryLeft: boolean;
  /** The run has used more tokens than its budget. */
  readonly overBudget: boolean;
}

/**
 * - `answer`: the run is done
 * - `batch`: run the calls, then the next step
 * - `step`: store the turn, then the next step
 * - `cut`: the run is done with the finish as its reason
 * - `spent`: the token budget ends the run
 * - `retry`: wait, then the same attempt calls again
 * - `fail`: the failure ends the run
 * - `empty`: the run ends because nothing was said
 */
export type Then = 'answer' | 'batch' | 'step' | 'cut' | 'spent' | 'retry' | 'fail' | 'empty';

/** One row of the table: what follows when a model call ended so. */
export interface Row {
  /** Its number in docs/semantics.md. */
  readonly row: number;
  readonly when: (end: CallEnd, policy: Policy) => boolean;
  /** What `step-end.finish` says; `none`: there is no `step-end`. */
  readonly stepEnd: 'none' | 'reported' | 'tool-use';
  /** What happens to the complete calls. */
  readonly calls: 'none' | 'run' | 'closed';
  readonly then: Then;
}

const CUT: ReadonlySet<FinishReason | undefined> = new Set<FinishReason>(['length', 'content-filter', 'refusal']);

const isCut = ({ finish }: CallEnd): boolean => CUT.has(finish);

/** How a model call ends, and what follows. Read from top to bottom: the first row that applies holds. */
export const TABLE: readonly Row[] = [
  { row: 5, when: (end) => end.failed === 'fatal', stepEnd: 'none', calls: 'none', then: 'fail' },
  { row: 6, when: (end) => end.failed === 'transient' && !end.shown && end.retryLeft, stepEnd: 'none', calls: 'none', then: 'retry' },
  { row: 7, when: (end) => end.failed === 'transient', stepEnd: 'none', calls: 'none', then: 'fail' },
  { row: 4, when: (end, policy) => isCut(end) && !end.said && policy.emptyTruncated === 'error', stepEnd: 'reported', calls: 'none', then: 'empty' },
  { row: 4, when: isCut, stepEnd: 'reported', calls: 'closed', then: 'cut' },
  { row: 2, when: (end, policy) => end.calls > 0 && end.overBudget && policy.budgetEnd === 'error', stepEnd: 'tool-use', calls: 'none', then: 'spent' },
  { row: 2, when: (end) => end.calls > 0 && end.overBudget, stepEnd: 'tool-use', calls: 'closed', then: 'spent' },
  { row: 2, when: (end) => end.calls > 0, stepEnd: 'tool-use', calls: 'run', then: 'batch' },
  { row: 3, when: (end) => end.finish === 'pause', stepEnd: 'reported', calls: 'none', then: 'step' },
  { row: 1, when: () => true, stepEnd: 'reported', calls: 'none', then: 'answer' },
];

/** The one decision function: the row that holds for an ending. Pure. */
export function settle(end: CallEnd, policy: Policy): Row {
  return TABLE.find((row) => row.when(end, policy)) as Row;
}
