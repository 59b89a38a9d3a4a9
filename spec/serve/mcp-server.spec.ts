import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Subscription } from 'rxjs';
import type { Tool } from '../../lib/index.ts';
import { mcpServer } from '../../lib/serve/mcp-server.ts';
import type { McpPackage } from '../../lib/serve/mcp-server.ts';

/** A package whose one server says what a spec wants. */
function fakeKit(lists: readonly (readonly string[] | Error)[]) {
  let changed: () => void = () => undefined;
  let client: { onclose?: () => void } = {};
  let asked = 0;
  class Client {
    constructor() {
      client = this as { onclose?: () => void };
    }
    connect = () => Promise.resolve();
    close = () => Promise.resolve(client.onclose?.());
    getServerCapabilities = () => ({ tools: {} });
    setNotificationHandler = (_what: unknown, handler: () => void) => void (changed = handler);
    removeNotificationHandler = () => void (changed = () => undefined);
    callTool = () => Promise.resolve({});
    listTools = () => {
      const list = lists[Math.min(asked++, lists.length - 1)] ?? [];
      return list instanceof Error ? Promise.reject(list) : Promise.resolve({ tools: list.map((name) => ({ name, inputSchema: { type: 'object' } })) });
    };
  }
  const transport = { stderr: { on: (_event: string, listener: (chunk: unknown) => void) => listener('Out of paper.\n') } };
  const kit = { Client, StdioClientTransport: class { stderr = transport.stderr; } } as unknown as McpPackage;
  return { kit, change: () => changed(), close: () => client.onclose?.(), asked: () => asked };
}

const names = (tools: readonly Tool[]): string[] => tools.map(({ name }) => name);
const settled = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await Promise.resolve();
};

async function started(lists: readonly (readonly string[] | Error)[], take: (tools: readonly Tool[]) => void = () => undefined) {
  const fake = fakeKit(lists);
  const told: string[] = [];
  const life = new Subscription();
  const first = await mcpServer('serve me', ['serve', 'me'], fake.kit, life, { cwd: '.', version: '1', tell: (line) => told.push(line), take });
  return { ...fake, first, told, life };
}

afterEach(() => void jest.useRealTimers());

describe('mcpServer', () => {
  it('gives the first set, takes each later one, and lists once for each', async () => {
    const taken: string[][] = [];
    const { first, change, asked, told } = await started([['a.b'], ['a.b', 'c']], (tools) => taken.push(names(tools)));
    expect([names(first), taken, asked()]).toEqual([['a_b'], [], 1]);
    change();
    await settled();
    expect([taken, asked(), told]).toEqual([[['a_b', 'c']], 2, []]);
  });

  it('tells of a set that cannot be taken, and goes on', async () => {
    let isFull = true;
    const taken: string[][] = [];
    const { change, told } = await started([['a'], ['b'], ['c']], (tools) => {
      if (isFull) throw new Error('No room.');
      taken.push(names(tools));
    });
    change();
    await settled();
    expect(told).toEqual(['The MCP server "serve me" has a new list of tools, which cannot be taken, so the last one counts: No room.']);
    isFull = false;
    change();
    await settled();
    expect([taken, told.length]).toEqual([[['c']], 1]);
  });

  it('tells of a set that cannot be read, and asks for it again later', async () => {
    jest.useFakeTimers();
    const taken: string[][] = [];
    const { change, told, asked } = await started([['a'], new Error('Busy'), ['b']], (tools) => taken.push(names(tools)));
    change();
    await settled();
    expect(told).toEqual([expect.stringMatching(/^The MCP server "serve me" has a new list of tools, which cannot be read, so the last one counts: .*Busy\.$/)]);
    jest.advanceTimersByTime(9_999);
    await settled();
    expect(asked()).toBe(2);
    jest.advanceTimersByTime(1);
    await settled();
    expect([taken, told.length]).toEqual([[['b']], 1]);
  });

  it('tells that the server has ended, once, and asks it nothing more', async () => {
    jest.useFakeTimers();
    const { change, close, told, asked } = await started([['a'], new Error('Gone')]);
    change();
    await settled();
    close();
    jest.advanceTimersByTime(60_000);
    await settled();
    expect([told.slice(1), asked()]).toEqual([['The MCP server "serve me" has ended: its tools fail from now on. It says: Out of paper.'], 2]);
  });

  it('does not tell of an end that it was asked for', async () => {
    const { life, told } = await started([['a']]);
    life.unsubscribe();
    await settled();
    expect(told).toEqual([]);
  });

  it('does not begin with a list that cannot be read', async () => {
    await expect(started([new Error('Busy')])).rejects.toMatchObject({ code: 'config', message: expect.stringMatching(/^The MCP server "serve me" cannot be used: .*Busy\. It says: Out of paper\.$/) });
    await expect(started([['a.b', 'a_b']])).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('are both called') });
  });
});
