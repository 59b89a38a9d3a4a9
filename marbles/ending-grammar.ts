import type { FinishReason, Outcome, StepEnd } from '../lib/index.ts';

/** The last committed step of a run, as far as its ending depends on it. */
export interface LastStep {
  readonly end: StepEnd;
  /** Its calls are ignored: it was reserved for an answer. */
  readonly ignored: boolean;
  /** A body of it ran. */
  readonly ran: boolean;
  /** What came after it, and makes it no longer the last word. */
  readonly followed: 'correction' | 'steering' | 'retract' | undefined;
}

const CUT: ReadonlySet<FinishReason> = new Set(['length', 'content-filter', 'refusal']);
const TOLD_TO_STOP: ReadonlySet<string> = new Set(['aborted', 'max-duration', 'stopped']);

/**
 * Why nothing but the ending, or a correction, can follow a step; undefined if the run may go on.
 *
 * @internal
 */
export function finality({ end, ignored, followed }: LastStep): string | undefined {
  if (end.finish === 'aborted') return 'nothing follows an aborted step but the ending';
  if (ignored) return 'nothing follows a step whose calls are ignored but the ending';
  if (end.finish === 'error' && followed === undefined) return 'a step that broke is followed by its correction';
  if (CUT.has(end.finish) && followed === undefined) return `nothing follows a step that ended with ${JSON.stringify(end.finish)} but the ending`;
  return undefined;
}

/**
 * Why a run cannot end for this reason after that step; undefined if it can. Reasons to come are not judged.
 *
 * @param step - undefined where no step was committed
 * @internal
 */
export function endingFault({ reason }: Outcome, step: LastStep | undefined): string | undefined {
  const finish = step?.end.finish;
  switch (reason) {
    case 'answer':
      if (step === undefined) return 'there is no answer without a step';
      if (step.followed !== undefined) return 'an answer is the last word of the run';
      return finish === 'stop' || finish === 'other' ? undefined : `a step that ended with ${JSON.stringify(finish)} is no answer`;
    case 'length':
    case 'content-filter':
    case 'refusal':
      return finish === reason && step?.followed === undefined ? undefined : `the last step did not end with ${JSON.stringify(reason)}`;
    case 'max-tokens':
    case 'max-cost':
      if (step?.ran === true) return 'the calls of a step over the budget do not run';
      return finish === 'tool-use' && step?.followed === undefined ? undefined : 'tokens and cost are checked where a step asks for tools';
    default:
      if (finish === 'aborted' && !TOLD_TO_STOP.has(reason)) return 'a run ends for the reason for which its step was aborted';
      return finish === 'error' && step?.followed === undefined ? 'a step that broke is followed by its correction' : undefined;
  }
}
