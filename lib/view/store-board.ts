import { animationFrameScheduler, asyncScheduler, Subscription } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { ConfigError } from '../errors.ts';
import type { CoalesceOptions, LoopState } from '../index.ts';

/** When a changed state is shown: as for `coalesce`, or `none`, which is at once and for each event. */
export type StoreUpdates = CoalesceOptions | 'none';

/** In a tab that nobody sees there are no animation frames, and before the next one there may be a long task. */
const FRAME_MS = 100;

/**
 * The state that everybody sees. It changes between the ticks of its readers and never within one, and all of them are
 * told in one go.
 *
 * @internal
 */
export class StoreBoard {
  readonly first: LoopState;
  /** What is on show. */
  shown: LoopState;
  private next: LoopState;
  private readonly wait: ((work: () => void) => Subscription) | undefined;
  private readonly report: (error: unknown) => void;
  private readonly readers = new Set<(state: LoopState) => void>();
  private pending: Subscription | undefined;
  private isDue = false;
  private isTelling = false;

  constructor(first: LoopState, updates: StoreUpdates, report: (error: unknown) => void) {
    this.first = first;
    this.shown = first;
    this.next = first;
    this.wait = waitOf(updates);
    this.report = report;
  }

  get readerCount(): number {
    return this.readers.size;
  }

  /** Tells the reader what is on show, and then whenever that changes; returns what takes it away. */
  add(listener: (state: LoopState) => void): () => void {
    // A function of its own, because one listener may be added twice.
    const reader = (state: LoopState): void => listener(state);
    this.readers.add(reader);
    this.tell(reader);
    return () => void this.readers.delete(reader);
  }

  /** Shows a state when its time has come; of several the last. */
  put(state: LoopState): void {
    this.next = state;
    if (this.wait === undefined) this.flush();
    else this.pending ??= this.wait(() => this.flush());
  }

  /** Shows what is due now. */
  flush(): void {
    this.pending?.unsubscribe();
    this.pending = undefined;
    this.isDue = true;
    // Who is told may ask for more: first all hear of this one.
    if (this.isTelling) return;
    this.isTelling = true;
    while (this.isDue) {
      this.isDue = false;
      if (this.shown === this.next) continue;
      this.shown = this.next;
      for (const reader of [...this.readers]) if (this.readers.has(reader)) this.tell(reader);
    }
    this.isTelling = false;
  }

  /** One reader that throws keeps nothing from the others, nor from the run. */
  private tell(reader: (state: LoopState) => void): void {
    try {
      reader(this.shown);
    } catch (error) {
      this.report(error);
    }
  }
}

function waitOf(updates: StoreUpdates): ((work: () => void) => Subscription) | undefined {
  if (updates === 'none') return undefined;
  if ('frame' in updates) {
    const { frame } = updates;
    return frame === true ? nextFrame : (work) => frame.schedule(work);
  }
  const { ms, scheduler = asyncScheduler } = updates;
  if (!(ms >= 0 && ms < Infinity)) {
    throw new ConfigError(`createLoopStore({ updates: { ms } }): ${String(ms)} is no number of milliseconds. Give 0 or more, { frame: true } or 'none'.`);
  }
  return (work) => scheduler.schedule(work, ms);
}

/** With the next frame, or soon where none comes. A place without frames at all, such as a server, has the timer alone. */
function nextFrame(work: () => void): Subscription {
  const both = new Subscription();
  const take = (scheduler: SchedulerLike, ms: number): void => both.add(scheduler.schedule(work, ms));
  take(asyncScheduler, FRAME_MS);
  if ('requestAnimationFrame' in globalThis) take(animationFrameScheduler, 0);
  return both;
}
