/** The port behind which the events of runs are kept, so that many readers can follow a run, and a crash ends none. */
import type { Observable } from 'rxjs';
import type { Checkpoint } from './checkpoint.ts';
import type { Demand } from './demand.ts';
import type { ErrorInfo } from './errors.ts';
import type { LoopEvent } from './event.ts';

/** One position of a log: an event, or the error that ended the run. */
export type LogEntry = { readonly event: LoopEvent } | { readonly error: ErrorInfo };

/** Entries that follow each other. */
export interface LogPiece {
  /** Of the first entry; positions count from 1. */
  readonly position: number;
  /** One or more. */
  readonly entries: readonly LogEntry[];
}

/** What a log is told of a run before it begins; plain JSON. */
export interface RunAbout {
  /** Whom the run belongs to. Absent: everybody who may ask. */
  readonly subject?: string;
  readonly threadId?: string;
  /** What the run was asked for, as it came. */
  readonly body: unknown;
}

/** What a log knows of a run. */
export interface LoggedRun {
  readonly about: RunAbout;
  /** Of the last entry; 0 where there is none. */
  readonly position: number;
  /** How many of the first entries are no longer kept. Default: all are kept. */
  readonly dropped?: number;
  /** The last entry, where it is an ending of the run. */
  readonly ending?: LogEntry;
  /** The last one, and the position that it was written with. */
  readonly checkpoint?: { readonly position: number; readonly checkpoint: Checkpoint };
}

/**
 * A log of runs. Every answer is cold: nothing happens before it is subscribed.
 *
 * A run has ended with an `error`, or with the `done` of the run itself (not of a nested one). What is appended after a
 * `done` with reason `suspended` opens it again.
 */
export interface RunLog {
  /** Begins the log of a run; emits nothing. Errors with code `run-exists` where there is one of this id. */
  create(runId: string, about: RunAbout): Observable<never>;
  /**
   * Adds entries, and the checkpoint that holds after the last of them: both, or neither. Emits the position of the last
   * entry once they are kept. The entries of one call stay together; calls for one run come one after another.
   */
  append(runId: string, entries: readonly LogEntry[], checkpoint?: Checkpoint): Observable<number>;
  /**
   * What stands after a position, then what comes, until the run has ended. `demand` is asked before each piece, and a
   * piece is small: a reader that asks for nothing costs nothing. Errors with code `run-gone` where there is no such run,
   * with `events-gone` where what is asked for is no longer kept.
   */
  read(runId: string, after: number, demand?: Demand): Observable<LogPiece>;
  /** One value. */
  load(runId: string): Observable<LoggedRun | undefined>;
  /** One value: the ids of the runs that have not ended, oldest first. */
  unfinished(): Observable<readonly string[]>;
  /** One value: the ids of all runs that are kept, newest first. A log without it lists those that have not ended. */
  list?(): Observable<readonly string[]>;
}
