import { describe, expect, it } from '@jest/globals';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { mcpMethod } from '../../lib/invoke/mcp-method.ts';

const CHANGED = 'notifications/tools/list_changed';
const info = { name: 'spec', version: '1.0.0' };

describe('mcpMethod', () => {
  it('is the name for newer clients', () => {
    expect(mcpMethod(CHANGED, 2)).toBe(CHANGED);
    expect(() => new NewClient(info).setNotificationHandler(mcpMethod(CHANGED, 2), (() => undefined) as never)).not.toThrow();
  });

  it('is as much of a schema as older clients need', () => {
    const client = new OldClient(info, { capabilities: { elicitation: {} } });
    client.setNotificationHandler(mcpMethod(CHANGED, 1), () => undefined);
    client.setRequestHandler(mcpMethod('elicitation/create', 1), (() => ({ action: 'cancel' })) as never);
    expect(() => client.assertCanSetRequestHandler('elicitation/create')).toThrow('already exists');
  });

  it('lets every message through as it is', () => {
    const schema = mcpMethod(CHANGED, 1) as { parse(data: unknown): unknown; safeParse(data: unknown): unknown };
    const data = { method: CHANGED };
    expect(schema.parse(data)).toBe(data);
    expect(schema.safeParse(data)).toEqual({ success: true, data });
  });
});
