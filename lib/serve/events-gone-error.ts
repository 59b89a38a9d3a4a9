import { RemoteError } from '../index.ts';

/**
 * What a log and a door say where events are asked for that a bounded log has let go.
 *
 * @internal
 */
export function eventsGoneError(after: number, dropped: number): RemoteError {
  const message = `The events from position ${after + 1} to ${dropped} are no longer kept: ask for a snapshot, or for what follows ${dropped}.`;
  return new RemoteError({ code: 'events-gone', message, retryable: false, status: 410 });
}
