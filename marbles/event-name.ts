import type { LoopEvent } from '../lib/index.ts';

/** A rule that an event breaks, and the earlier event that it clashes with. */
export interface Fault {
  readonly before: string;
  readonly rule: string;
}

/**
 * An event in a few words for an error message: step, type, and the delta or call that it is about.
 *
 * @internal
 */
export function eventName(event: LoopEvent): string {
  const parts: (string | number)[] = [event.type];
  if ('step' in event) parts.unshift(event.step);
  if (event.type === 'delta') parts.push(event.delta.type);
  if (event.type === 'delta' && event.delta.type === 'tool-call-start') parts.push(event.delta.id);
  if (event.type === 'delta' && event.delta.type === 'tool-call-end') parts.push(event.delta.call.id);
  if ('callId' in event) parts.push(event.callId);
  return parts.join(' ');
}
