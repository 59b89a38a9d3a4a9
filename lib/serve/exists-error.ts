import { RemoteError } from '../index.ts';

/**
 * What a log says of an id that is taken.
 *
 * @internal
 */
export function existsError(runId: string): RemoteError {
  const message = `There is a run ${runId} already: watch that one, or take another id.`;
  return new RemoteError({ code: 'run-exists', message, retryable: false, status: 409 });
}
