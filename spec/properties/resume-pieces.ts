import type { Checkpoint, LoopEvent } from '../../lib/index.ts';
import type { Played } from '../support/play.ts';

/** The pieces of one run as if it had been whole: no suspended `done`, no second `run-start`. */
export function inPieces(pieces: readonly Played[]): LoopEvent[] {
  return pieces.flatMap(({ events }, at) => events.slice(at === 0 ? 0 : 1, at === pieces.length - 1 ? undefined : -1));
}

const TIMES = new Set(['startedAt', 'elapsedMs']);

/** Without what a clock says. */
export function timeless(events: readonly LoopEvent[]): unknown[] {
  return JSON.parse(JSON.stringify(events, (key, value: unknown) => (TIMES.has(key) ? undefined : value))) as unknown[];
}

/** What is said of the run, and of each call, each in its order; ids of requests in the order of their call. */
export function byCall(events: readonly LoopEvent[]): Record<string, unknown[]> {
  const said: Record<string, unknown[]> = {};
  for (const event of timeless(events) as (LoopEvent & { callId?: string; id?: string; speculative?: unknown })[]) {
    const { id, speculative, ...rest } = event;
    (said[`${event.runId} ${event.callId ?? ''}`] ??= []).push(rest);
    if (event.type === 'tool-result') (said[`${event.runId} results`] ??= []).push(event.callId);
  }
  return said;
}

/** What a run had still to say at a checkpoint: of a call that ran then, all since it started. */
export function restOf(events: readonly LoopEvent[], heard: number, { batch, step }: Checkpoint): LoopEvent[] {
  const rest = events.slice(heard);
  const restarted = (batch?.calls ?? []).filter(({ settled }) => settled === undefined).map(({ call: { id } }) => id);
  return [
    ...events.slice(0, heard).filter((event) => {
      if (event.parent !== undefined) return restarted.some((id) => event.runId.startsWith(`run/${id}`));
      return 'callId' in event && event.step === step && restarted.includes(event.callId) && (event.type === 'tool-start' || event.type === 'tool-progress');
    }),
    ...rest,
  ];
}
