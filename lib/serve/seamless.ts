import { concat, defer, mergeMap, of } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import type { LogEntry, LogPiece } from '../index.ts';

/** An entry at its position. */
export interface Placed {
  readonly position: number;
  readonly entry: LogEntry;
}

/**
 * The entries of a log as those of one run: the `done` of a run that was suspended and went on is left out.
 *
 * @internal
 */
export function seamless(): OperatorFunction<LogPiece, readonly Placed[]> {
  return (pieces$) =>
    defer(() => {
      let held: Placed | undefined;
      return concat(
        pieces$.pipe(
          mergeMap(({ position, entries }) => {
            held = undefined;
            const placed = entries.map((entry, at) => ({ position: position + at, entry }));
            const last = placed.at(-1);
            if (last !== undefined && isSuspended(last.entry)) held = last;
            const shown = placed.filter(({ entry }) => !isSuspended(entry));
            return shown.length === 0 ? [] : of(shown);
          }),
        ),
        defer(() => (held === undefined ? [] : of([held]))),
      );
    });
}

function isSuspended(entry: LogEntry): boolean {
  return 'event' in entry && entry.event.type === 'done' && entry.event.parent === undefined && entry.event.outcome.reason === 'suspended';
}
