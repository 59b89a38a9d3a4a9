import { firstValueFrom } from 'rxjs';
import type { Subscription } from 'rxjs';
import { fromMcp } from '../invoke/from-mcp.ts';
import type { McpClient } from '../invoke/from-mcp.ts';
import { ConfigError } from '../index.ts';
import type { Tool } from '../index.ts';
import type { ImportModule } from './load-tools.ts';
import { oneLine } from './one-line.ts';
import { splitWords } from './split-words.ts';

/** What is used of the package; it is loaded when it is first needed, because it is not everybody's. */
interface Package {
  readonly Client: new (info: { name: string; version: string }) => McpClient & { connect(transport: Transport): Promise<void>; close(): Promise<void> };
  readonly StdioClientTransport: new (server: { command: string; args: string[]; cwd: string; stderr: 'pipe' }) => Transport;
}

interface Transport {
  readonly stderr: { on(event: 'data', listener: (chunk: unknown) => void): unknown } | null;
}

const PACKAGE = '@modelcontextprotocol/client';
const MAX_STDERR = 2_000;
const MAX_MESSAGE = 600;

/** Where servers are started. */
export interface McpPlace {
  readonly cwd: string;
  readonly version: string;
  readonly importModule: ImportModule;
}

/**
 * Starts MCP servers that speak over their standard streams, and lists their tools. A name that providers refuse gets
 * `_` for what they do not take.
 *
 * @param lines - a command line each, see {@link splitWords}
 * @param life - ends the servers when it is unsubscribed, also while they start
 * @throws ConfigError of one line if the package is missing, or a server does not start or answer
 * @internal
 */
export async function mcpTools(lines: readonly string[], life: Subscription, place: McpPlace): Promise<readonly Tool[]> {
  const commands = lines.map((line) => ({ line, words: splitWords(line) }));
  if (commands.length === 0) return [];
  const kit = await loaded(place.importModule);
  const sets = await Promise.all(commands.map((command) => toolsOf(command, kit, life, place)));
  return sets.flat();
}

async function loaded(importModule: ImportModule): Promise<Package> {
  try {
    return { ...(await importModule(PACKAGE)), ...(await importModule(`${PACKAGE}/stdio`)) } as unknown as Package;
  } catch (cause) {
    throw new ConfigError(`--mcp needs the package ${PACKAGE}: npm install ${PACKAGE}`, { cause });
  }
}

interface Command {
  readonly line: string;
  readonly words: readonly string[];
}

async function toolsOf({ line, words }: Command, { Client, StdioClientTransport }: Package, life: Subscription, { cwd, version }: McpPlace): Promise<readonly Tool[]> {
  const [command = '', ...args] = words;
  const client = new Client({ name: 'rx-tool-loop', version });
  const transport = new StdioClientTransport({ command, args, cwd, stderr: 'pipe' });
  let said = '';
  transport.stderr?.on('data', (chunk) => (said = (said + String(chunk)).slice(-MAX_STDERR)));
  try {
    life.add(() => void client.close().catch(() => undefined));
    await client.connect(transport);
    const rename = ({ name }: { name: string }): string => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
    return await firstValueFrom(fromMcp(client, { rename }));
  } catch (cause) {
    const why = (cause instanceof Error ? cause.message : String(cause)).replace(/[.]$/, '');
    const lines = said.trim().split('\n');
    // Of a trace the line that names the error, else the last.
    const words = lines.find((one) => /error/i.test(one) && !/^\s*at /.test(one)) ?? lines.at(-1) ?? '';
    const text = `The MCP server ${JSON.stringify(line)} cannot be used: ${why}.${words === '' ? '' : ` It says: ${words}`}`;
    throw new ConfigError(oneLine(text, MAX_MESSAGE), { cause });
  }
}
