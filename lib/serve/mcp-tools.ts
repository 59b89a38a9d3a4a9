import type { Subscription } from 'rxjs';
import { ConfigError } from '../index.ts';
import type { Tool } from '../index.ts';
import type { ImportModule } from './load-tools.ts';
import { mcpServer } from './mcp-server.ts';
import type { McpPackage } from './mcp-server.ts';
import { splitWords } from './split-words.ts';
import { ToolList } from './tool-list.ts';

/** Loaded when it is first needed, because it is not everybody's. */
const PACKAGE = '@modelcontextprotocol/client';

/** Where servers are started. */
export interface McpPlace {
  readonly cwd: string;
  readonly version: string;
  readonly importModule: ImportModule;
  /** A line for a person, while the servers run. */
  readonly tell: (line: string) => void;
}

/**
 * Starts MCP servers, and joins their tools with those that do not change, ever as the servers list them. A name that
 * providers refuse gets `_` for what they do not take.
 *
 * @param lines - a command line each, see {@link splitWords}
 * @param life - ends the servers when it is unsubscribed, also while they start
 * @throws ConfigError of one line if the package is missing, a server does not start or answer, or two tools have one name
 * @internal
 */
export async function mcpTools(lines: readonly string[], fixed: readonly Tool[], life: Subscription, place: McpPlace): Promise<ToolList> {
  const commands = lines.map((line) => ({ line, words: splitWords(line) }));
  if (commands.length === 0) return new ToolList(fixed);
  const kit = await loaded(place.importModule);
  let list: ToolList | undefined;
  let sets: readonly (readonly Tool[])[] = commands.map(() => []);
  const change = (at: number, tools: readonly Tool[]): void => {
    const next = sets.map((set, n) => (n === at ? tools : set));
    // Who still starts is not joined yet: all are looked at together then.
    list?.set(joined(fixed, next));
    sets = next;
  };
  const first = async (at: number, line: string, words: readonly string[]): Promise<void> => {
    change(at, await mcpServer(line, words, kit, life, { ...place, take: (tools) => change(at, tools) }));
  };
  await Promise.all(commands.map(({ line, words }, at) => first(at, line, words)));
  list = new ToolList(joined(fixed, sets));
  return list;
}

async function loaded(importModule: ImportModule): Promise<McpPackage> {
  try {
    return { ...(await importModule(PACKAGE)), ...(await importModule(`${PACKAGE}/stdio`)) } as unknown as McpPackage;
  } catch (cause) {
    throw new ConfigError(`--mcp needs the package ${PACKAGE}: npm install ${PACKAGE}`, { cause });
  }
}

function joined(fixed: readonly Tool[], sets: readonly (readonly Tool[])[]): readonly Tool[] {
  const all = [...fixed, ...sets.flat()];
  const twice = all.find(({ name }, at) => all.findIndex((other) => other.name === name) !== at);
  if (twice !== undefined) throw new ConfigError(`Two tools are called ${JSON.stringify(twice.name)}. Leave one out of --tools, --root or --mcp.`);
  return all;
}
