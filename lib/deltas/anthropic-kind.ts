/**
 * What a content block of the wire is to this library. `server-call` and `server-result` are of tools that the provider
 * runs; `opaque` goes back as it came; `compaction` does too, once its pieces are in it.
 */
export type AnthropicKind =
  | 'text'
  | 'reasoning'
  | 'call'
  | 'server-call'
  | 'server-result'
  | 'opaque'
  | 'compaction'
  | 'unknown';

/**
 * Tells the kind of a block by its type: that of one which came, and of one that is stored and may be another wire's.
 *
 * @internal
 */
export function anthropicKind(type: unknown): AnthropicKind {
  switch (type) {
    case 'text':
    case 'compaction':
      return type;
    case 'thinking':
      return 'reasoning';
    case 'tool_use':
      return 'call';
    case 'server_tool_use':
    case 'mcp_tool_use':
      return 'server-call';
    case 'redacted_thinking':
    case 'container_upload':
      return 'opaque';
    default:
      return typeof type === 'string' && type.endsWith('_tool_result') ? 'server-result' : 'unknown';
  }
}
