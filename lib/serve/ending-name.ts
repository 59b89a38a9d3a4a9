import type { LogEntry } from '../index.ts';

/**
 * How a run stands that has ended.
 *
 * @internal
 */
export function endingName(ending: LogEntry): 'done' | 'suspended' | 'error' {
  if ('error' in ending) return 'error';
  return ending.event.type === 'done' && ending.event.outcome.reason === 'suspended' ? 'suspended' : 'done';
}
