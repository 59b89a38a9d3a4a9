import { defer, EMPTY, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Checkpoint, LogEntry, LoggedRun, LogPiece, RunAbout, RunLog } from '../index.ts';
import { amount } from './amount.ts';
import { eventsGoneError } from './events-gone-error.ts';
import { existsError } from './exists-error.ts';
import { goneError } from './gone-error.ts';
import { isEnding } from './is-ending.ts';
import { tail } from './tail.ts';
import type { Tailed } from './tail.ts';

export interface MemoryRunLogOptions {
  /** Entries that are kept of a run; older ones go, and a reader that wants them gets `events-gone`. Default 100,000. */
  readonly maxEvents?: number;
  /** Ended runs that are kept; the oldest go. Default 1,000. */
  readonly maxRuns?: number;
}

/** Entries of one piece: so much waits for a reader at most. */
const PIECE = 64;

/**
 * A log in the memory of this process: it ends with it.
 *
 * Contract:
 * - starts: nothing happens before an answer is subscribed; all answer in the same tick.
 * - fails: as {@link RunLog} says.
 *
 * @throws ConfigError for a bound that is no whole number of 1 or more
 * @public
 */
export function memoryRunLog(options: MemoryRunLogOptions = {}): RunLog {
  const maxEvents = amount('memoryRunLog', 'maxEvents', options.maxEvents ?? 100_000);
  const maxRuns = amount('memoryRunLog', 'maxRuns', options.maxRuns ?? 1_000);
  const runs = new Map<string, MemoryRun>();
  /** In the order in which they ended. */
  const ended = new Set<string>();
  const of$ = <T>(runId: string, answer: (run: MemoryRun) => Observable<T>): Observable<T> =>
    defer(() => {
      const run = runs.get(runId);
      return run === undefined ? throwError(() => goneError(runId)) : answer(run);
    });

  return {
    create: (runId, about) =>
      defer(() => {
        if (runs.has(runId)) throw existsError(runId);
        runs.set(runId, new MemoryRun(about, maxEvents));
        return EMPTY;
      }),
    append: (runId, entries, checkpoint) =>
      of$(runId, (run) => {
        const position = run.append(entries, checkpoint);
        ended.delete(runId);
        if (run.isEnded) ended.add(runId);
        for (const id of ended) {
          if (ended.size <= maxRuns) break;
          ended.delete(id);
          runs.delete(id);
        }
        return of(position);
      }),
    read: (runId, after, demand) => of$(runId, (run) => tail(run, after, demand)),
    load: (runId) => defer(() => of(runs.get(runId)?.told)),
    unfinished: () => defer(() => of([...runs].filter(([, run]) => !run.isEnded).map(([runId]) => runId))),
    list: () => defer(() => of([...runs.keys()].reverse())),
  };
}

class MemoryRun implements Tailed {
  readonly waiting = new Set<() => void>();
  private readonly about: RunAbout;
  private readonly maxEvents: number;
  private entries: LogEntry[] = [];
  private dropped = 0;
  private checkpoint: LoggedRun['checkpoint'];

  constructor(about: RunAbout, maxEvents: number) {
    this.about = about;
    this.maxEvents = maxEvents;
  }

  get position(): number {
    return this.dropped + this.entries.length;
  }

  get isEnded(): boolean {
    return isEnding(this.entries.at(-1));
  }

  get told(): LoggedRun {
    const { about, position, dropped, checkpoint } = this;
    const ending = this.entries.at(-1);
    return { about, position, ...(dropped > 0 && { dropped }), ...(isEnding(ending) && { ending }), ...(checkpoint !== undefined && { checkpoint }) };
  }

  append(entries: readonly LogEntry[], checkpoint: Checkpoint | undefined): number {
    for (const entry of entries) this.entries.push(entry);
    // A quarter at once, so that a full log does not move all of its entries for each new one.
    if (this.entries.length > this.maxEvents) {
      const kept = Math.ceil(this.maxEvents * 0.75);
      this.dropped += this.entries.length - kept;
      this.entries = this.entries.slice(-kept);
    }
    if (checkpoint !== undefined) this.checkpoint = { position: this.position, checkpoint };
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const wake of waiting) wake();
    return this.position;
  }

  piece(after: number): Observable<LogPiece> {
    if (after < this.dropped) return throwError(() => eventsGoneError(after, this.dropped));
    const from = after - this.dropped;
    const entries = this.entries.slice(from, from + PIECE);
    return entries.length === 0 ? EMPTY : of({ position: after + 1, entries });
  }
}
