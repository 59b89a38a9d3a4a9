import { RemoteError } from '../index.ts';

/**
 * What a log and a door say of a run that they do not know. Whether it never was, is gone, or belongs to somebody else is
 * not told apart.
 *
 * @internal
 */
export function goneError(runId: string): RemoteError {
  const message = `There is no run ${runId} here: it never was, is no longer kept, or is not yours. Start a new one.`;
  return new RemoteError({ code: 'run-gone', message, retryable: false, status: 404 });
}
