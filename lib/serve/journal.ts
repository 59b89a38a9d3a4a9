import { Observable, of } from 'rxjs';
import type { Subscriber } from 'rxjs';
import type { Checkpoint, Demand, EventType, LogEntry, LoopEvent, RunLog } from '../index.ts';

/** What changes the transcript: it is kept together with the checkpoint that has it, so that a crash loses both or none. */
const WITH_CHECKPOINT: ReadonlySet<EventType> = new Set(['step-end', 'steering', 'compaction', 'correction']);

/** Entries that may wait for the log before the run is held. */
const MAX_WAITING = 1_024;

/** Entries of one write: a reader of the log gets no more of them at once. */
const WRITE = 64;

interface Group {
  readonly entries: LogEntry[];
  /** From here on they are kept together. */
  wholeFrom: number;
  checkpoint?: Checkpoint;
  readonly waiting: Subscriber<void>[];
}

/**
 * Writes what one run says into its log, in order, and holds the run until its checkpoints are kept. What comes while a
 * write is under way is written at once after it.
 *
 * - An event of {@link WITH_CHECKPOINT} and all after it wait for the next checkpoint or the ending, if the run makes any. So
 *   does a `finish`: it is shown only where its attempt stands, and without its `step-end` a crash would withdraw that one.
 * - A `tool-commit` is never written without its `tool-result`.
 * - What the log of an earlier process holds already is not written again.
 *
 * As the run's demand it is open while the log keeps up.
 *
 * @internal
 */
export class Journal implements Demand {
  private readonly log: RunLog;
  private readonly runId: string;
  private readonly failed: (error: unknown) => void;
  private readonly groups: Group[] = [newGroup()];
  private readonly asking = new Set<Subscriber<void>>();
  /** Resolves when the first entry is written, or cannot be. */
  readonly begun: Promise<void>;
  private began: () => void = () => undefined;
  private held: LogEntry[] | undefined;
  private hasCheckpoints = false;
  private isWriting = false;
  private waitingEntries = 0;
  /** Infinity where the log has failed. */
  private written = 0;
  private readonly keeping: { readonly upTo: number; readonly resolve: () => void }[] = [];
  private drained: (() => void) | undefined;
  /** See {@link keyOf}. */
  private readonly logged: ReadonlySet<string>;

  /** @param failed - told of an error of the log; nothing is written after it */
  constructor(log: RunLog, runId: string, failed: (error: unknown) => void, logged: ReadonlySet<string> = new Set()) {
    this.log = log;
    this.runId = runId;
    this.failed = failed;
    this.logged = logged;
    this.begun = new Promise((resolve) => (this.began = resolve));
  }

  /** Resolves when all that was said so far, but for what is held, is in the log, or cannot be. */
  get kept(): Promise<void> {
    if (this.waitingEntries === 0 || this.written === Infinity) return Promise.resolve();
    return new Promise((resolve) => this.keeping.push({ upTo: this.written + this.waitingEntries, resolve }));
  }

  /** What an event is known by, if a resumed run may say it a second time. */
  static keyOf(event: LoopEvent): string | undefined {
    switch (event.type) {
      case 'run-start':
        return event.parent === undefined ? event.type : undefined;
      case 'tool-call':
      case 'tool-commit':
      case 'tool-result':
        return `${event.type} ${event.runId} ${event.callId}`;
      case 'approval-request':
      case 'approval-answer':
        return `${event.type} ${event.runId} ${event.id}`;
      default:
        return undefined;
    }
  }

  push(event: LoopEvent): void {
    const key = Journal.keyOf(event);
    if (key !== undefined && this.logged.has(key)) return;
    if (this.hasCheckpoints && event.parent === undefined && (WITH_CHECKPOINT.has(event.type) || isFinish(event))) this.held ??= [];
    if (this.held !== undefined) return void this.held.push({ event });
    this.add({ event });
    if (event.type !== 'tool-commit') this.write();
  }

  /** One value once the checkpoint, and all that was said before it, are kept. */
  checkpoint(checkpoint: Checkpoint): Observable<void> {
    return new Observable((subscriber) => {
      this.hasCheckpoints = true;
      this.release();
      const group = this.groups.at(-1) as Group;
      group.checkpoint = checkpoint;
      group.waiting.push(subscriber);
      this.groups.push(newGroup());
      this.write();
    });
  }

  /** Writes the ending and what was held; `drained` is called when all is kept. */
  end(ending: LogEntry, drained: () => void): void {
    this.release();
    this.drained = drained;
    this.add(ending);
    this.write();
  }

  ready(): Observable<void> {
    if (this.waitingEntries < MAX_WAITING) return of(undefined);
    return new Observable((subscriber) => {
      this.asking.add(subscriber);
      return () => this.asking.delete(subscriber);
    });
  }

  private add(entry: LogEntry): void {
    this.groups.at(-1)?.entries.push(entry);
    this.waitingEntries += 1;
  }

  private release(): void {
    const group = this.groups.at(-1) as Group;
    if (this.held !== undefined) group.wholeFrom = group.entries.length;
    for (const entry of this.held ?? []) this.add(entry);
    this.held = undefined;
  }

  /** A loop: with a log that answers at once nothing recurs. */
  private write(): void {
    while (!this.isWriting) {
      const [group] = this.groups;
      if (group === undefined || (group.entries.length === 0 && group.checkpoint === undefined)) break;
      const entries = group.entries.splice(0, countOf(group));
      group.wholeFrom -= entries.length;
      const isLast = group.entries.length === 0;
      if (isLast) this.groups.shift();
      if (this.groups.length === 0) this.groups.push(newGroup());
      this.isWriting = true;
      this.log.append(this.runId, entries, isLast ? group.checkpoint : undefined).subscribe({
        error: (error: unknown) => {
          this.began();
          this.counts(Infinity);
          this.failed(error);
        },
        complete: () => this.wrote(entries.length, isLast ? group.waiting : []),
      });
    }
  }

  private counts(entries: number): void {
    this.written += entries;
    while (this.keeping.length > 0 && (this.keeping[0]?.upTo ?? 0) <= this.written) this.keeping.shift()?.resolve();
  }

  private wrote(count: number, waiting: readonly Subscriber<void>[]): void {
    this.isWriting = false;
    if (count > 0) this.began();
    this.waitingEntries -= count;
    this.counts(count);
    for (const subscriber of waiting) {
      subscriber.next();
      subscriber.complete();
    }
    if (this.waitingEntries < MAX_WAITING) {
      for (const subscriber of [...this.asking]) {
        subscriber.next();
        subscriber.complete();
      }
    }
    this.write();
    if (this.waitingEntries > 0 || this.isWriting) return;
    const { drained } = this;
    this.drained = undefined;
    drained?.();
  }
}

function isFinish(event: LoopEvent): boolean {
  return event.type === 'delta' && event.delta.type === 'finish';
}

function newGroup(): Group {
  return { entries: [], wholeFrom: Infinity, waiting: [] };
}

function countOf({ entries, wholeFrom }: Group): number {
  if (entries.length <= WRITE || wholeFrom < WRITE) return entries.length;
  const last = entries[WRITE - 1] as LogEntry;
  return 'event' in last && last.event.type === 'tool-commit' ? WRITE + 1 : WRITE;
}
