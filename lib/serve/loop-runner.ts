import type { Observable } from 'rxjs';
import { toolLoop } from '../index.ts';
import type { ApprovalAnswer, ApprovalPort, Checkpoint, Demand, LoopEvent, ToolLoopOptions, UserMessage } from '../index.ts';

/** Options of `toolLoop` that a host decides; the others are the door's. `prompt` and `messages`: default from the body. */
export type RunSetup = Omit<ToolLoopOptions, 'runId' | 'threadId' | 'abort$' | 'steering$' | 'demand'>;

/** What the door gives each run. */
export interface RunControls {
  readonly runId: string;
  readonly threadId?: string;
  readonly abort$: Observable<unknown>;
  readonly steering$: Observable<UserMessage>;
  readonly demand: Demand;
  readonly approvals: ApprovalPort;
  readonly onCheckpoint: (checkpoint: Checkpoint) => Observable<void>;
}

/** How runs are made of what a host has set up: the one place that knows `toolLoop`. */
export interface Runner {
  start(setup: RunSetup, controls: RunControls): Observable<LoopEvent>;
  resume(checkpoint: Checkpoint, answers: Readonly<Record<string, ApprovalAnswer>>, setup: RunSetup, controls: RunControls): Observable<LoopEvent>;
}

/** @internal */
export const loopRunner: Runner = {
  start: (setup, { approvals: _approvals, onCheckpoint: _onCheckpoint, ...controls }) => toolLoop({ ...setup, ...controls }),
  resume: () => {
    throw new Error('not there yet');
  },
};
