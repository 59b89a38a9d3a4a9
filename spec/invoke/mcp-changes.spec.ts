import { describe, expect, it } from '@jest/globals';
import { mcpChanges } from '../../lib/invoke/mcp-changes.ts';
import type { McpClient } from '../../lib/invoke/mcp-client.ts';

const page = Promise.resolve({ tools: [] });

/** A client that has room for one handler. */
function fake(more: Partial<McpClient> = {}) {
  const told: string[] = [];
  let handler: (() => void) | undefined;
  const client: McpClient = {
    listTools: () => page,
    callTool: () => page,
    setNotificationHandler: (what: string, given: () => void) => {
      told.push(`set ${what}`);
      handler = given;
    },
    removeNotificationHandler: (method) => {
      told.push(`remove ${method}`);
      handler = undefined;
    },
    ...more,
  };
  return { client, told, change: () => handler?.() };
}

describe('mcpChanges', () => {
  it('is one handler for all who listen', () => {
    const { client, told, change } = fake();
    const changes$ = mcpChanges(client, 2);
    expect(told).toEqual([]);
    const seen: string[] = [];
    const [a, b] = ['a', 'b'].map((name) => changes$.subscribe(() => seen.push(name)));
    change();
    a!.unsubscribe();
    change();
    b!.unsubscribe();
    change();
    expect(seen).toEqual(['a', 'b', 'b']);
    expect(told).toEqual(['set notifications/tools/list_changed', 'remove notifications/tools/list_changed']);
  });

  it('may be left and taken up while a change is told', () => {
    const { client, change } = fake();
    const seen: string[] = [];
    const first = mcpChanges(client, 2).subscribe(() => {
      seen.push('first');
      first.unsubscribe();
      mcpChanges(client, 2).subscribe(() => seen.push('next'));
    });
    change();
    change();
    expect(seen).toEqual(['first', 'next']);
  });

  it('is silent with a client that has no handlers', () => {
    const client: McpClient = { listTools: () => page, callTool: () => page };
    expect(() => mcpChanges(client, 2).subscribe().unsubscribe()).not.toThrow();
  });

  it('is subscribed to where the protocol wants that, and given up', async () => {
    const told: string[] = [];
    const subscription = { close: () => (told.push('close'), Promise.resolve()) };
    const listen: NonNullable<McpClient['listen']> = (filter) => (told.push(JSON.stringify(filter)), Promise.resolve(subscription));
    mcpChanges(fake({ getProtocolEra: () => 'legacy', listen }).client, 2).subscribe().unsubscribe();
    expect(told).toEqual([]);
    const listening = mcpChanges(fake({ getProtocolEra: () => 'modern', listen }).client, 2).subscribe();
    expect(told).toEqual(['{"toolsListChanged":true}']);
    listening.unsubscribe();
    await Promise.resolve().then(() => undefined);
    expect(told.at(-1)).toBe('close');
  });

  it('does not fail because a server takes no subscriptions', async () => {
    const { client } = fake({ getProtocolEra: () => 'modern', listen: () => Promise.reject(new Error('no')) });
    const failed: unknown[] = [];
    mcpChanges(client, 2).subscribe({ error: (error) => failed.push(error) }).unsubscribe();
    await Promise.resolve().then(() => undefined);
    expect(failed).toEqual([]);
  });
});
