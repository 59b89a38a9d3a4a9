import { lastValueFrom, takeWhile, tap } from 'rxjs';
import type { RunLog } from '../index.ts';
import type { HttpOptions } from './http-options.ts';
import { seamless } from './seamless.ts';

export interface Snapshot {
  readonly position: number;
  readonly state: unknown;
}

/** Runs of which a snapshot is kept. */
const KEPT = 100;

/**
 * Folds runs as far as their logs go, when somebody asks; the last snapshot of a run is where the next one begins.
 *
 * @internal
 */
export class Snapshots {
  private readonly log: RunLog;
  private readonly folding: NonNullable<HttpOptions['snapshot']>;
  private readonly known = new Map<string, Snapshot>();

  constructor(log: RunLog, folding: NonNullable<HttpOptions['snapshot']>) {
    this.log = log;
    this.folding = folding;
  }

  /** @param position - how far at least; the run has come there */
  async of(runId: string, position: number): Promise<Snapshot> {
    let snapshot = this.known.get(runId) ?? { position: 0, state: this.folding.initial() };
    if (snapshot.position < position) {
      const read$ = this.log.read(runId, snapshot.position).pipe(
        // The end of a piece may be the run's end for now; it is what there is.
        takeWhile((piece) => piece.position + piece.entries.length - 1 < position, true),
        seamless(),
        tap((placed) => {
          for (const { position: at, entry } of placed) {
            const state = 'event' in entry ? this.folding.fold(snapshot.state as never, entry.event) : snapshot.state;
            snapshot = { position: at, state };
          }
        }),
      );
      await lastValueFrom(read$, { defaultValue: undefined });
    }
    this.known.delete(runId);
    this.known.set(runId, snapshot);
    const [oldest] = this.known.keys();
    if (this.known.size > KEPT && oldest !== undefined) this.known.delete(oldest);
    return snapshot;
  }

  forget(runId: string): void {
    this.known.delete(runId);
  }
}
