import type { ApprovalAnswer } from '../approval.ts';
import type { Checkpoint } from '../checkpoint.ts';

/** What a run goes on from. */
export interface Resumption {
  readonly checkpoint: Checkpoint;
  /** By the id of the request. */
  readonly answers: Readonly<Record<string, ApprovalAnswer>>;
}
