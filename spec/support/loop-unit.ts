import { VirtualTimeScheduler } from 'rxjs';
import type { Checkpoint } from '../../lib/checkpoint.ts';
import type { Answers } from '../../lib/loop/resume-tool-loop.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { readOptions } from '../../lib/loop/read-options.ts';
import { newRun, startState } from '../../lib/loop/run-state.ts';
import type { Run, RunState } from '../../lib/loop/run-state.ts';
import { script } from '../../marbles/index.ts';

/** Ids that count up, each kind by itself. */
export function countedIds(): (kind: string) => string {
  const made = new Map<string, number>();
  return (kind) => {
    made.set(kind, (made.get(kind) ?? 0) + 1);
    return `${kind}-${made.get(kind) ?? 0}`;
  };
}

/** A run and the state that it begins with, for specs of one of its parts. Nothing moves its clock. */
export function loopUnit(options: Partial<ToolLoopOptions> = {}, change: Partial<RunState> = {}, resumed?: { readonly checkpoint: Checkpoint; readonly answers: Answers }): { run: Run; state: RunState } {
  const run = newRun(readOptions({ model: script(), prompt: 'go', runId: 'r', scheduler: new VirtualTimeScheduler(), ids: countedIds(), ...options }), resumed);
  return { run, state: { ...startState(run), ...change } };
}
