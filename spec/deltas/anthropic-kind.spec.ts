import { describe, expect, it } from '@jest/globals';
import { anthropicKind } from '../../lib/deltas/anthropic-kind.ts';

describe('anthropicKind', () => {
  it.each([
    ['text', 'text'],
    ['thinking', 'reasoning'],
    ['redacted_thinking', 'opaque'],
    ['container_upload', 'opaque'],
    ['compaction', 'compaction'],
    ['tool_use', 'call'],
    ['server_tool_use', 'server-call'],
    ['mcp_tool_use', 'server-call'],
    ['web_search_tool_result', 'server-result'],
    ['bash_code_execution_tool_result', 'server-result'],
    ['mcp_tool_result', 'server-result'],
    // Other wires' words for the same.
    ['web_search_call', 'unknown'],
    ['function_call', 'unknown'],
    ['tool_result', 'unknown'],
    ['fallback', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
    [7, 'unknown'],
  ])('takes %j for %s', (type, kind) => {
    expect(anthropicKind(type)).toBe(kind);
  });
});
