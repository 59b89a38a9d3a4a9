import { describe, expect, it } from '@jest/globals';
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { ToolError } from '../../lib/errors.ts';
import { mcpFault } from '../../lib/invoke/mcp-fault.ts';
import type { ToolFaultKind } from '../../lib/message.ts';

const coded = (code: unknown, more = {}): Error => Object.assign(new Error('no'), { code, ...more });

describe('mcpFault', () => {
  it.each<[name: string, error: unknown, kind: ToolFaultKind, retryable: boolean]>([
    ['a timeout', new SdkError(SdkErrorCode.RequestTimeout, 'late'), 'timeout', true],
    ['a timeout of an older client', new McpError(ErrorCode.RequestTimeout, 'late'), 'timeout', true],
    ['a closed connection', new SdkError(SdkErrorCode.ConnectionClosed, 'closed'), 'network', true],
    ['a closed connection of an older client', new McpError(ErrorCode.ConnectionClosed, 'closed'), 'network', true],
    ['no connection', new Error('Not connected'), 'network', true],
    ['a fetch that failed', new TypeError('fetch failed'), 'network', true],
    ['a socket that failed', coded('ECONNRESET'), 'network', true],
    ['an unknown tool', new ProtocolError(-32602, 'Tool x not found'), 'not-found', false],
    ['bad arguments', new ProtocolError(-32602, 'Expected a number'), 'invalid-input', false],
    ['an unknown method', new McpError(ErrorCode.MethodNotFound, 'no'), 'not-found', false],
    ['a fault of the server', new ProtocolError(-32603, 'no'), 'provider', true],
    ['a result that is none', new SdkError(SdkErrorCode.InvalidResult, 'no'), 'provider', true],
    ['a refusal by status', coded('CLIENT_HTTP', { status: 403 }), 'permission-denied', false],
    ['a refusal inside its data', coded('CLIENT_HTTP', { data: { status: 401 } }), 'permission-denied', false],
    ['a refusal by name', Object.assign(new Error('no'), { name: 'UnauthorizedError' }), 'permission-denied', false],
    ['too much', coded(429), 'rate-limited', true],
    ['a session that is gone', coded(404), 'network', true],
    ['anything else', new Error('no'), 'other', false],
    ['what is no error', 'no', 'other', false],
    ['nothing', undefined, 'other', false],
  ])('says what %s is', (_name, error, kind, retryable) => {
    const fault = mcpFault(error, 'It');
    expect(fault).toBeInstanceOf(ToolError);
    expect(fault).toMatchObject({ kind, retryable, cause: error, message: expect.stringMatching(/^It: .*[.]$/) });
  });

  it('calls what was cancelled so, whatever the client says', () => {
    expect(mcpFault(new SdkError(SdkErrorCode.RequestTimeout, 'AbortError'), 'It', true)).toMatchObject({ kind: 'cancelled', message: 'It: the call was cancelled.' });
  });

  it('keeps what a fault of this library says', () => {
    expect(mcpFault(new ToolError('provider', 'It does not end', { retryable: false }), 'List')).toMatchObject({ kind: 'provider', retryable: false, message: 'List: It does not end.' });
  });
});
