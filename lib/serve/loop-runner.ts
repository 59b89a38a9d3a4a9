import type { Observable } from 'rxjs';
import { resumeToolLoop, toolLoop } from '../index.ts';
import type { ApprovalAnswer, ApprovalPort, Checkpoint, Demand, LoopEvent, ToolLoopOptions, UserMessage } from '../index.ts';

/** Options of `toolLoop` that a host decides; the others are the door's. `prompt` and `messages`: default from the body. */
export type RunSetup = Omit<ToolLoopOptions, 'runId' | 'threadId' | 'abort$' | 'steering$' | 'demand' | 'onCheckpoint'>;

/** What the door gives each run. */
export interface RunControls {
  readonly runId: string;
  readonly threadId?: string;
  readonly abort$: Observable<unknown>;
  readonly steering$: Observable<UserMessage>;
  readonly demand: Demand;
  /** Puts requests to who watches, where the host does not answer them itself. */
  readonly approvals: ApprovalPort;
  readonly onCheckpoint: (checkpoint: Checkpoint) => Observable<void>;
}

/** How runs are made of what a host has set up. */
export interface Runner {
  start(setup: RunSetup, controls: RunControls): Observable<LoopEvent>;
  resume(checkpoint: Checkpoint, answers: Readonly<Record<string, ApprovalAnswer>>, setup: RunSetup, controls: RunControls): Observable<LoopEvent>;
}

/**
 * The runs of `toolLoop`.
 *
 * @internal
 */
export const loopRunner: Runner = {
  start: (setup, { approvals, ...controls }) => toolLoop({ approvals, ...setup, ...controls }),
  resume: (checkpoint, answers, { prompt: _prompt, messages: _messages, ...setup }, { approvals, runId: _runId, ...controls }) =>
    resumeToolLoop(checkpoint, answers, { approvals, ...setup, ...controls }),
};
