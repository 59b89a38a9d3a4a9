import type { FinishReason } from '../message.ts';
import type { Policy } from '../policy.ts';

/** How a model call ended, as far as the decision needs to know. */
export interface CallEnd {
  /** Present on success. */
  readonly finish?: FinishReason | undefined;
  /** Present on failure. */
  readonly failed?: 'fatal' | 'transient' | undefined;
  /** The run was told to stop. */
  readonly stopped: boolean;
  /** The attempt has shown something to the user. */
  readonly shown: boolean;
  /** Complete calls. */
  readonly calls: number;
  /** Something was said: text, refusal or a complete call. Reasoning alone is nothing. */
  readonly said: boolean;
  /** A further retry is allowed and can be waited for. */
  readonly retryLeft: boolean;
  /** A further model of the list can serve the call. */
  readonly fallbackLeft: boolean;
  /** The provider asked to be left alone for longer than may be waited: no further call may follow at once. */
  readonly heldOff: boolean;
  /** Another counted call is allowed. */
  readonly callLeft: boolean;
  /** Broken streams in a row before this one. */
  readonly failures: number;
  /** The run is over its budget of tokens or of money. */
  readonly overBudget: boolean;
  /** What the `afterStep` hooks say of it. */
  readonly verdict?: 'retract' | 'correct' | 'stop';
  /** What it is as the output that was asked for; `spent`: wrong, and no repair is left. */
  readonly output?: 'good' | 'repair' | 'spent';
}

/**
 * - `answer`: the run is done, unless the user has more to say
 * - `batch`: run the calls, then the next step
 * - `step`: store the turn, then the next step
 * - `cut`: the run is done with the finish as its reason
 * - `spent`: the budget of tokens or money ends the run
 * - `stopped`: the run is done because it was told to stop
 * - `retry`: wait, then the same attempt calls again
 * - `fallback`: the same attempt calls the next model
 * - `retract`: withdraw the attempt, then another
 * - `correct`: tell the model what went wrong, then the next step
 * - `withdraw`: a hook withdraws the attempt, then another
 * - `amend`: a hook tells the model what to do otherwise, then the next step
 * - `halted`: the run is done because a hook says so
 * - `output`: the run is done with the output
 * - `repair`: tell the model what is wrong with its output, then the next step
 * - `unmet`: the run fails because its output did not come
 * - `accept`: the run is done with an answer that is not the output that was asked for
 * - `fail`: the failure ends the run
 * - `empty`: the run fails because nothing was said
 */
export type Then =
  | 'withdraw' | 'amend' | 'halted' | 'output' | 'repair' | 'unmet' | 'accept'
  | 'answer' | 'batch' | 'step' | 'cut' | 'spent' | 'stopped' | 'retry' | 'fallback' | 'retract' | 'correct' | 'fail' | 'empty';

/** One row of the table: what follows when a model call ended so. */
export interface Row {
  /** Its number in docs/semantics.md. */
  readonly row: number;
  readonly when: (end: CallEnd, policy: Policy) => boolean;
  /** What `step-end.finish` says; `none`: there is no `step-end`. */
  readonly stepEnd: 'none' | 'reported' | 'tool-use' | 'aborted' | 'error';
  /** What happens to the complete calls. */
  readonly calls: 'none' | 'run' | 'closed';
  readonly then: Then;
}

const CUT: ReadonlySet<FinishReason | undefined> = new Set<FinishReason>(['length', 'content-filter', 'refusal']);

const isCut = ({ finish }: CallEnd): boolean => CUT.has(finish);
const isFatal = ({ failed }: CallEnd): boolean => failed === 'fatal';
const isFailed = ({ failed }: CallEnd): boolean => failed !== undefined;
/** Failed with nothing shown, and no retry will repeat it. */
const isUnseen = (end: CallEnd): boolean => !end.shown && (isFatal(end) || (isFailed(end) && !end.retryLeft));
const isOverBudget = (end: CallEnd): boolean => end.calls > 0 && end.overBudget && !isCut(end);
const mayRepeat = (end: CallEnd, policy: Policy, kind: 'feedback' | 'retract'): boolean =>
  isFailed(end) && !end.heldOff && end.callLeft && end.failures < failureLimit(policy, kind);

/** How many broken streams in a row may be answered so; 0 where the policy is another. */
export function failureLimit({ streamFailure }: Policy, kind: 'feedback' | 'retract'): number {
  return typeof streamFailure === 'object' && kind in streamFailure ? (streamFailure as Record<typeof kind, number>)[kind] : 0;
}

/** What an unknown tool does: whether it ends the run, and whether it spoils its whole turn. */
export function unknownToolRule({ unknownTool, invalidScope }: Policy): { readonly fails: boolean; readonly spoilsTurn: boolean } {
  return { fails: unknownTool === 'fail', spoilsTurn: invalidScope === 'turn' };
}

/** How a model call ends, and what follows. Read from top to bottom: the first row that applies holds. */
export const TABLE: readonly Row[] = [
  { row: 13, when: (end) => end.stopped, stepEnd: 'aborted', calls: 'closed', then: 'stopped' },
  { row: 5, when: (end) => isUnseen(end) && end.fallbackLeft, stepEnd: 'none', calls: 'none', then: 'fallback' },
  { row: 5, when: isFatal, stepEnd: 'none', calls: 'none', then: 'fail' },
  { row: 6, when: (end) => isFailed(end) && !end.shown && end.retryLeft, stepEnd: 'none', calls: 'none', then: 'retry' },
  { row: 8, when: (end, policy) => mayRepeat(end, policy, 'retract'), stepEnd: 'none', calls: 'none', then: 'retract' },
  { row: 9, when: (end, policy) => mayRepeat(end, policy, 'feedback'), stepEnd: 'error', calls: 'closed', then: 'correct' },
  { row: 7, when: isFailed, stepEnd: 'none', calls: 'none', then: 'fail' },
  { row: 10, when: (end) => end.verdict === 'retract', stepEnd: 'none', calls: 'none', then: 'withdraw' },
  { row: 12, when: (end) => end.verdict === 'stop', stepEnd: 'reported', calls: 'closed', then: 'halted' },
  { row: 11, when: (end) => end.verdict === 'correct' && !isOverBudget(end), stepEnd: 'reported', calls: 'closed', then: 'amend' },
  { row: 4, when: (end, policy) => isCut(end) && !end.said && policy.emptyTruncated === 'error', stepEnd: 'reported', calls: 'none', then: 'empty' },
  { row: 4, when: isCut, stepEnd: 'reported', calls: 'closed', then: 'cut' },
  { row: 1, when: (end) => end.output === 'good', stepEnd: 'reported', calls: 'none', then: 'output' },
  { row: 2, when: (end, policy) => end.calls > 0 && end.overBudget && policy.budgetEnd === 'error', stepEnd: 'tool-use', calls: 'none', then: 'spent' },
  { row: 2, when: (end) => end.calls > 0 && end.overBudget, stepEnd: 'tool-use', calls: 'closed', then: 'spent' },
  { row: 11, when: (end) => end.output === 'repair', stepEnd: 'reported', calls: 'closed', then: 'repair' },
  { row: 1, when: (end, policy) => end.output === 'spent' && policy.outputFailure === 'error', stepEnd: 'reported', calls: 'closed', then: 'unmet' },
  { row: 1, when: (end) => end.output === 'spent', stepEnd: 'reported', calls: 'none', then: 'accept' },
  { row: 2, when: (end) => end.calls > 0, stepEnd: 'tool-use', calls: 'run', then: 'batch' },
  { row: 3, when: (end) => end.finish === 'pause', stepEnd: 'reported', calls: 'none', then: 'step' },
  { row: 1, when: () => true, stepEnd: 'reported', calls: 'none', then: 'answer' },
];

/** The one decision function: the row that holds for an ending. Pure. */
export function settle(end: CallEnd, policy: Policy): Row {
  return TABLE.find((row) => row.when(end, policy)) as Row;
}
