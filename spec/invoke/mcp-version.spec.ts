import { describe, expect, it } from '@jest/globals';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { mcpVersion } from '../../lib/invoke/mcp-version.ts';

describe('mcpVersion', () => {
  const info = { name: 'spec', version: '1.0.0' };

  it('tells the clients of the two packages apart', () => {
    expect(mcpVersion(new OldClient(info))).toBe(1);
    expect(mcpVersion(new NewClient(info))).toBe(2);
  });

  it('takes an object of nobody for the newer interface', () => {
    const page = Promise.resolve({ tools: [] });
    expect(mcpVersion({ listTools: () => page, callTool: () => page })).toBe(2);
  });
});
