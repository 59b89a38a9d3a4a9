import { errorText, isLoopError, ToolError } from '../errors.ts';
import type { ToolFaultKind } from '../message.ts';

/** What the newer clients call a failure, and the numbers of the older ones and of the wire. */
const KINDS: ReadonlyMap<unknown, ToolFaultKind> = new Map<unknown, ToolFaultKind>([
  ['REQUEST_TIMEOUT', 'timeout'],
  [-32001, 'timeout'],
  ['CONNECTION_CLOSED', 'network'],
  ['NOT_CONNECTED', 'network'],
  ['SEND_FAILED', 'network'],
  ['CLIENT_HTTP_FAILED_TO_OPEN_STREAM', 'network'],
  [-32000, 'network'],
  ['CLIENT_HTTP_AUTHENTICATION', 'permission-denied'],
  ['CLIENT_HTTP_FORBIDDEN', 'permission-denied'],
  [-32601, 'not-found'],
  ['INVALID_RESULT', 'provider'],
  [-32603, 'provider'],
]);

/**
 * Why a request to a server failed, by what the clients of both packages throw: they have no error in common.
 *
 * @param what - what was wanted; the message begins with it
 * @param isCancelled - the request was told to stop, which the clients call a timeout
 * @internal
 */
export function mcpFault(error: unknown, what: string, isCancelled = false): ToolError {
  if (isLoopError(error) && error.code === 'tool') {
    const { kind, retryable, message } = error as ToolError;
    return new ToolError(kind, `${what}: ${sentence(message)}`, { cause: error, retryable });
  }
  if (isCancelled) return new ToolError('cancelled', `${what}: the call was cancelled.`, { cause: error });
  return new ToolError(kindOf(error), `${what}: ${sentence(errorText(error))}`, { cause: error });
}

function kindOf(error: unknown): ToolFaultKind {
  const { code, status, name, data } = (typeof error === 'object' && error !== null ? error : {}) as Partial<Record<string, unknown>>;
  const known = KINDS.get(code);
  if (known !== undefined) return known;
  const http = [status, (data as { status?: unknown } | undefined)?.status, code].find((one) => typeof one === 'number' && one >= 400 && one < 600);
  if (http === 401 || http === 403 || name === 'UnauthorizedError') return 'permission-denied';
  if (http === 429) return 'rate-limited';
  // 404 too: it is the session that the server has forgotten, not the tool.
  if (http !== undefined) return 'network';
  // Of arguments and of a name that it does not know a server says the same number.
  if (code === -32602) return /not found|unknown tool|no such tool/i.test(errorText(error)) ? 'not-found' : 'invalid-input';
  // How `fetch` says that nobody answers, and how the sockets of Node do.
  if (error instanceof TypeError && /fetch/i.test(error.message)) return 'network';
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return 'network';
  // Both clients throw it as a plain error, without a code.
  return errorText(error) === 'Not connected' ? 'network' : 'other';
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
