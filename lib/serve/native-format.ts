import { catchError, map, of } from 'rxjs';
import { isLoopError } from '../index.ts';
import type { ErrorInfo, LoopEvent } from '../index.ts';
import type { Format } from './format.ts';

/**
 * The format that `remoteLoop` reads: an event is a frame of its JSON, the error of a run a last frame `event: error` of its
 * `ErrorInfo`.
 *
 * @internal
 */
export const nativeFormat: Format = {
  stateless: true,
  encode: (events$) =>
    events$.pipe(
      map((event: LoopEvent) => `data: ${JSON.stringify(event)}\n\n`),
      catchError((error: unknown) => of(errorFrame(error))),
    ),
};

/** A frame for an error that no format has written. */
export function errorFrame(error: unknown): string {
  const masked: ErrorInfo = { code: 'internal', message: 'The server failed: try again later.', retryable: true };
  return `event: error\ndata: ${JSON.stringify(isLoopError(error) ? error.toJSON() : masked)}\n\n`;
}
