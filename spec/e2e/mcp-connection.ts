import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { McpClient } from '../../lib/invoke/from-mcp.ts';

export type Version = 1 | 2;
/** `modern`: standard streams, and the protocol of 2026-07-28. */
export type Wire = 'stdio' | 'http' | 'modern';

export interface Connection {
  readonly client: McpClient & { close(): Promise<void> };
  close(): Promise<void>;
}

const SCRIPT = join(__dirname, 'mcp-server.mjs');

/** The client of one package, connected to a server of the same generation in a process of its own. */
export async function connection(version: Version, wire: Wire, { mode = 'tools', asks = false } = {}): Promise<Connection> {
  const info = { name: 'spec', version: '1.0.0' };
  const capabilities = asks ? { elicitation: {} } : {};
  const words = [SCRIPT, String(version), wire, mode];
  const server = wire === 'http' ? await listening(words) : undefined;
  const stdio = { command: process.execPath, args: words };
  let client: NewClient | OldClient;
  if (version === 2) {
    client = new NewClient(info, { capabilities, ...(wire === 'modern' && { versionNegotiation: { mode: 'auto' } }) });
    await client.connect(server === undefined ? new NewStdio(stdio) : new NewHttp(server.url));
  } else {
    client = new OldClient(info, { capabilities });
    await client.connect(server === undefined ? new OldStdio(stdio) : (new OldHttp(server.url) as Parameters<OldClient['connect']>[0]));
  }
  return {
    client,
    async close() {
      await client.close().catch(() => undefined);
      await server?.end();
    },
  };
}

async function listening(words: readonly string[]): Promise<{ readonly url: URL; end(): Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return {
    url: new URL(line.toString().trim()),
    async end() {
      if (child.exitCode !== null) return;
      child.stdin!.end();
      await once(child, 'exit');
    },
  };
}
