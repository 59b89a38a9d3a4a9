import type { Observable, OperatorFunction } from 'rxjs';
import type { ApprovalAnswer } from '../approval.ts';
import type { Checkpoint } from '../checkpoint.ts';
import type { LoopEvent } from '../event.ts';
import type { Message } from '../message.ts';

/**
 * What a client of another protocol has posted, in the words of the door `rx-tool-loop/http`: a new run, or answers that a
 * suspended one waits for.
 */
export interface PostedRun {
  /** As `POST /runs` takes it. A client of such a protocol asks again to answer, so its runs are suspended, not held open. */
  readonly body: {
    readonly messages: readonly Message[];
    readonly onRequest: 'suspend';
    readonly threadId?: string;
    readonly runId?: string;
    readonly [field: string]: unknown;
  };
  /** The suspended run that the client means. */
  readonly goesOn?: { readonly runId: string; readonly answers: Readonly<Record<string, ApprovalAnswer>> };
  /** Answers to requests that only a suspended run can take are in the body, and there is no such run. */
  readonly isLost: boolean;
  /** Writes the answer, under the ids that the client knows. */
  readonly encode: OperatorFunction<LoopEvent, string>;
}

/**
 * What the answer begins with, before the events of the log: a run that goes on is announced to the client, and its start
 * is not in the log twice.
 *
 * @internal
 */
export function startOf(goesOn: PostedRun['goesOn']): readonly LoopEvent[] {
  return goesOn === undefined ? [] : [{ type: 'run-start', runId: goesOn.runId, resumed: true }];
}

/** One value: the checkpoint of the suspended run of this id, if who asks has such a run. */
export type SuspendedRun = (runId: string) => Observable<Checkpoint | undefined>;
