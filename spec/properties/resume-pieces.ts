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

/** What is said of the run, and of each call, each in its order; without the ids of requests, and without answers that came to nothing. */
export function byCall(events: readonly LoopEvent[]): Record<string, unknown[]> {
  const said: Record<string, unknown[]> = {};
  const needless = new Set(events.flatMap((event) => (event.type === 'tool-result' && event.result.error?.kind === 'cancelled' ? [`${event.runId} ${event.callId}`] : [])));
  for (const event of timeless(events) as (LoopEvent & { callId?: string; id?: string; speculative?: unknown })[]) {
    const { id, speculative, ...rest } = event;
    if (event.type === 'approval-answer' && needless.has(`${event.runId} ${event.callId}`)) continue;
    (said[`${event.runId} ${event.callId ?? ''}`] ??= []).push(rest);
    if (event.type === 'tool-result') (said[`${event.runId} results`] ??= []).push(event.callId);
  }
  return said;
}

/** A run inside is over, and its call is not: it begins again, and what it used counts twice, because it was spent twice. */
export function isSpentTwice(events: readonly LoopEvent[], heard: number, { batch }: Checkpoint): boolean {
  const over = events.slice(0, heard).flatMap((event) => (event.type === 'done' && event.parent !== undefined ? [event.parent.callId] : []));
  return (batch?.calls ?? []).some(({ call: { id }, settled }) => settled === undefined && over.includes(id));
}

/** What a run had still to say at a checkpoint: of a call that ran then, all since it started. */
export function restOf(events: readonly LoopEvent[], heard: number, { batch, step }: Checkpoint): LoopEvent[] {
  const rest = events.slice(heard);
  const restarted = (batch?.calls ?? []).filter(({ settled }) => settled === undefined).map(({ call: { id } }) => id);
  const again = events.slice(0, heard).filter((event) => {
    if (event.parent !== undefined) return restarted.some((id) => event.runId.startsWith(`run/${id}`));
    return 'callId' in event && event.step === step && restarted.includes(event.callId) && (event.type === 'tool-start' || event.type === 'tool-progress' || ('kind' in event && event.kind === 'input'));
  });
  // One that had started early is announced first.
  const announced = rest.findIndex(({ type }) => type !== 'tool-call');
  return [...rest.slice(0, announced), ...again, ...rest.slice(announced)];
}
