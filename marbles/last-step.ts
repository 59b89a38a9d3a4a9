import type { FinishReason, StepEnd } from '../lib/index.ts';

/** The last committed step of a run, as far as what follows depends on it. */
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

/**
 * Why nothing but the ending, or a correction, can follow a step; undefined if the run may go on.
 *
 * @param isSpeech - what follows is somebody who says more: that may follow an answer
 * @internal
 */
export function finality({ end, ignored, followed }: LastStep, isSpeech: boolean): string | undefined {
  if (end.finish === 'aborted') return 'nothing follows an aborted step but the ending';
  if (ignored) return 'nothing follows a step whose calls are ignored but the ending';
  if (end.finish === 'error' && followed === undefined) return 'a step that broke is followed by its correction';
  if (CUT.has(end.finish) && followed === undefined) return `nothing follows a step that ended with ${JSON.stringify(end.finish)} but the ending`;
  const isAnswer = (end.finish === 'stop' || end.finish === 'other') && end.toolCalls === 0 && followed === undefined;
  return isAnswer && !isSpeech ? 'a step that answered ends the run, unless somebody says more' : undefined;
}
