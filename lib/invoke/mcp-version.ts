import type { McpClient } from './mcp-client.ts';

/** The major version of the package that a client comes from: they take different arguments. */
export type McpVersion = 1 | 2;

/**
 * Tells the clients of the two packages apart: both take handlers, the newer one alone knows eras of the protocol. An
 * object of one's own has the newer interface.
 *
 * @internal
 */
export function mcpVersion(client: McpClient): McpVersion {
  return typeof client.setRequestHandler === 'function' && typeof client.getProtocolEra !== 'function' ? 1 : 2;
}
