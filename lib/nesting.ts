import type { SchedulerLike } from 'rxjs';
import type { ApprovalAnswer, ApprovalPort } from './approval.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { LoopEvent } from './event.ts';
import type { Ids } from './ids.ts';
import type { ToolContext } from './tool.ts';
import { addUsage } from './usage.ts';
import type { Usage } from './usage.ts';

/** What a run tells the runs inside its tools. */
export interface Surroundings {
  readonly runId: string;
  /** 0 for a run that stands in no other. */
  readonly depth: number;
  readonly scheduler: SchedulerLike;
  readonly ids: Ids;
  readonly random: () => number;
  readonly approvals: ApprovalPort | undefined;
  /** Answers that a resumed run was given and nobody has taken yet. */
  readonly given: Map<string, ApprovalAnswer>;
  /** What is left of the run's budgets; absent where they do not bind. */
  left(): { readonly tokens?: number; readonly costUsd?: number; readonly durationMs?: number };
  /** Counts what a run inside has used. */
  count(usage: Usage): void;
}

/** How a run inside a tool's body speaks to the run around it. */
export interface Nesting {
  readonly around: Surroundings;
  /** Where the run inside was suspended. */
  readonly checkpoint: Checkpoint | undefined;
  /** Shows an event of the run inside. */
  event(event: LoopEvent): void;
  /** The run inside waits for an answer that nobody gives now: so does the call. */
  suspend(checkpoint: Checkpoint): void;
}

const nestings = new WeakMap<ToolContext, Nesting>();

/** Ties a body's context to the run around it. */
export function nest(context: ToolContext, nesting: Nesting): void {
  nestings.set(context, nesting);
}

/** The run around a body; undefined outside of a run, such as in a test that calls the body itself. */
export function nestingOf(context: ToolContext): Nesting | undefined {
  return nestings.get(context);
}

/** What a run had used at a checkpoint, the runs inside it that wait there included. */
export function usageAt({ usage, batch }: Checkpoint): Usage | undefined {
  const inside = (batch?.calls ?? []).flatMap(({ nested }) => (nested === undefined ? [] : [usageAt(nested)]));
  return [usage, ...inside].reduce((all, one) => (one === undefined ? all : addUsage(all, one)), undefined);
}
