import { TimeoutError } from 'rxjs';
import { isLoopError, RemoteError } from '../index.ts';
import type { ModelError } from '../index.ts';

/**
 * What went wrong with a server of runs, in its own words where it said some: `code` is that of its problem body. Else it is
 * `remote-transport`, `remote-http`, `remote-timeout` or `remote-stream`; and `config` for a request that cannot be made.
 *
 * @internal
 */
export function remoteErrorOf(error: unknown): RemoteError {
  if (error instanceof RemoteError) return error;
  if (error instanceof TimeoutError) return new RemoteError({ code: 'remote-timeout', message: 'The server was silent for too long.', retryable: true }, { cause: error });
  // Not in its words: those of a wrong header repeat the header.
  if (!isLoopError(error)) return new RemoteError({ code: 'config', message: 'The server of the runs cannot be asked: check url, headers and body.', retryable: false }, { cause: error });
  const { code, status, detail, retryable, message } = error as ModelError;
  if (status === undefined) return new RemoteError({ code: code.replace(/^model/, 'remote'), message, retryable }, { cause: error });
  const problem = problemIn(detail);
  const text = problem.detail ?? `The server of the runs answered ${status}: check the url, and what is between here and there.`;
  return new RemoteError({ code: problem.code ?? 'remote-http', message: text, retryable: retryable && status !== 409, status }, { cause: error });
}

function problemIn(body: string | undefined): { readonly code?: string; readonly detail?: string } {
  try {
    const { code, detail } = JSON.parse(body ?? '') as { readonly code?: unknown; readonly detail?: unknown };
    return { ...(typeof code === 'string' && { code }), ...(typeof detail === 'string' && { detail }) };
  } catch {
    return {};
  }
}
