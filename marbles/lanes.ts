import type { LoopEvent } from '../lib/index.ts';

/**
 * Which events a diagram shows; a step boundary is up to seven events in one frame, too many to draw whole.
 *
 * - `story`: text, reasoning, refusals, complete calls, server tools, sources, files, `retry`, `fallback`, `step-retract`,
 *   `correction`, `step-end`, `tool-result`, `done`
 * - `tools`: the events of calls: of a batch, and of tools that start while the model speaks
 * - `host`: what is said beside the steps: `steering`, `compaction`, `status`, `plan`, `title`, `state`, `custom`,
 *   `tool-dropped`
 * - `frame`: what opens and closes the run and its steps
 * - `nested`: every event of nested runs, which no other lane but `all` draws
 * - `all`: every event, argument deltas too
 */
export type Lane = 'story' | 'tools' | 'host' | 'frame' | 'nested' | 'all';

const STORY_DELTAS: ReadonlySet<string> = new Set(['text', 'reasoning', 'refusal', 'reasoning-replace', 'tool-call-end', 'server-tool', 'source', 'file']);

const EVENTS: Readonly<Record<Exclude<Lane, 'nested' | 'all'>, ReadonlySet<string>>> = {
  story: new Set(['retry', 'fallback', 'step-retract', 'correction', 'step-end', 'tool-result', 'done']),
  tools: new Set(['tool-call', 'approval-request', 'approval-answer', 'tool-start', 'tool-progress', 'tool-commit', 'tool-result']),
  host: new Set(['steering', 'compaction', 'status', 'plan', 'title', 'state', 'custom', 'tool-dropped']),
  frame: new Set(['run-start', 'step-start', 'step-end', 'step-retract', 'retry', 'fallback', 'done']),
};

/** Whether a lane draws an event. */
export function onLane(lane: Lane, event: LoopEvent): boolean {
  if (lane === 'all') return true;
  const isNested = event.parent !== undefined;
  if (isNested || lane === 'nested') return isNested && lane === 'nested';
  if (event.type === 'delta') return lane === 'story' && STORY_DELTAS.has(event.delta.type);
  return EVENTS[lane].has(event.type);
}
