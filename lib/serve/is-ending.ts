import type { LogEntry } from '../index.ts';

/**
 * Whether an entry ends the log of its run: an error, or the `done` of the run itself.
 *
 * @internal
 */
export function isEnding(entry: LogEntry | undefined): entry is LogEntry {
  if (entry === undefined) return false;
  return 'error' in entry || (entry.event.type === 'done' && entry.event.parent === undefined);
}
