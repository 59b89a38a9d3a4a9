import { retry, Subscription, timer } from 'rxjs';
import { fromMcp } from '../invoke/from-mcp.ts';
import type { McpClient } from '../invoke/from-mcp.ts';
import { ConfigError } from '../index.ts';
import type { Tool } from '../index.ts';
import { oneLine } from './one-line.ts';

/** What is used of the package `@modelcontextprotocol/client`. */
export interface McpPackage {
  readonly Client: new (info: { name: string; version: string }) => McpClient & { connect(transport: Transport): Promise<void>; close(): Promise<void>; onclose?: () => void };
  readonly StdioClientTransport: new (server: { command: string; args: string[]; cwd: string; stderr: 'pipe' }) => Transport;
}

interface Transport {
  readonly stderr: { on(event: 'data', listener: (chunk: unknown) => void): unknown } | null;
}

/** What is done for a server that has started. */
export interface McpServerPlace {
  readonly cwd: string;
  readonly version: string;
  /** A line for a person, while the server runs. */
  readonly tell: (line: string) => void;
  /** Takes a set that the server lists after the first one; throws where it cannot. */
  readonly take: (tools: readonly Tool[]) => void;
}

const MAX_STDERR = 2_000;
const MAX_MESSAGE = 600;
/** Before a list that could not be read is asked for again. */
const RELIST_MS = 10_000;

/**
 * Starts an MCP server that speaks over its standard streams: its first set of tools. Each later one is taken; one that
 * cannot be is told, and the last one counts. That the server ends is told too; its tools stay, and their calls fail.
 *
 * @param life - ends the server when it is unsubscribed, also while it starts
 * @throws ConfigError of one line if the server does not start or answer
 * @internal
 */
export async function mcpServer(line: string, words: readonly string[], { Client, StdioClientTransport }: McpPackage, life: Subscription, place: McpServerPlace): Promise<readonly Tool[]> {
  const { cwd, version, tell, take } = place;
  const [command = '', ...args] = words;
  const name = `The MCP server ${JSON.stringify(line)}`;
  const client = new Client({ name: 'rx-tool-loop', version });
  const transport = new StdioClientTransport({ command, args, cwd, stderr: 'pipe' });
  let said = '';
  transport.stderr?.on('data', (chunk) => (said = (said + String(chunk)).slice(-MAX_STDERR)));
  const told = (text: string): void => tell(oneLine(text, MAX_MESSAGE));
  try {
    life.add(() => void client.close().catch(() => undefined));
    await client.connect(transport);
    const lists = new Subscription();
    life.add(lists);
    const first = await firstOf(client, lists, {
      take: (tools) => {
        try {
          take(tools);
        } catch (error) {
          told(`${name} has a new list of tools, which cannot be taken, so the last one counts: ${reason(error)}.`);
        }
      },
      fails: (error) => told(`${name} has a new list of tools, which cannot be read, so the last one counts: ${reason(error)}.`),
    });
    client.onclose = () => {
      lists.unsubscribe();
      if (!life.closed) told(`${name} has ended: its tools fail from now on.${lastWords(said)}`);
    };
    return first;
  } catch (cause) {
    throw new ConfigError(oneLine(`${name} cannot be used: ${reason(cause)}.${lastWords(said)}`, MAX_MESSAGE), { cause });
  }
}

/** Subscribes once, so that the server lists once; what fails after the first set is told and tried again. */
function firstOf(client: McpClient, lists: Subscription, later: { take(tools: readonly Tool[]): void; fails(error: unknown): void }): Promise<readonly Tool[]> {
  return new Promise((resolve, reject) => {
    let isFirst = true;
    const rename = ({ name }: { name: string }): string => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
    const again = (error: unknown) => {
      if (isFirst) throw error;
      later.fails(error);
      return timer(RELIST_MS);
    };
    lists.add(
      fromMcp(client, { rename }).pipe(retry({ delay: again })).subscribe({
        next: (tools) => {
          if (isFirst) resolve(tools);
          else later.take(tools);
          isFirst = false;
        },
        error: reject,
      }),
    );
  });
}

function reason(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/[.]$/, '');
}

function lastWords(said: string): string {
  const lines = said.trim().split('\n');
  // Of a trace the line that names the error, else the last.
  const words = lines.find((one) => /error/i.test(one) && !/^\s*at /.test(one)) ?? lines.at(-1) ?? '';
  return words === '' ? '' : ` It says: ${words}`;
}
