import { catchError, combineLatest, defer, endWith, filter, finalize, Observable, switchMap, takeUntil, tap, throwError } from 'rxjs';
import type { SchedulerLike, Subscription } from 'rxjs';
import { errorText } from '../errors.ts';
import { fromMcp } from '../invoke/from-mcp.ts';
import type { McpClient } from '../invoke/from-mcp.ts';
import { ConfigError } from '../index.ts';
import type { Tool } from '../index.ts';
import { JoinedTools } from './joined-tools.ts';
import { Latest } from './latest.ts';
import type { ImportModule } from './load-tools.ts';
import { oneLine } from './one-line.ts';
import { readAgain } from './read-again.ts';
import { splitWords } from './split-words.ts';

/** What is used of the package; it is loaded when it is first needed, because it is not everybody's. */
interface Package {
  readonly Client: new (info: { name: string; version: string }) => McpClient & { connect(transport: Transport): Promise<void>; close(): Promise<void>; onclose?: (() => void) | undefined };
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
  /** Is told in one line what becomes of a server later. */
  readonly tell: (line: string) => void;
  /** Waits before a list is read again. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/** The tools of runs. */
export interface McpTools {
  readonly first: readonly Tool[];
  /** The latest set at once, then each that follows. */
  readonly tools$: Observable<readonly Tool[]>;
}

/**
 * Starts MCP servers that speak over their standard streams, and lists their tools, again and again as they change. A name
 * that providers refuse gets `_` for what they do not take. The tools of a server that ends later are gone. Where its list
 * cannot be read later, they stay as they were, and it is read again, see {@link readAgain}, until it can be; its changes are
 * followed from there on. All of this is told.
 *
 * @param lines - a command line each, see {@link splitWords}; one or more
 * @param fixed - tools that stand before those of the servers
 * @param life - ends the servers when it is unsubscribed, also while they start
 * @throws ConfigError of one line if the package is missing, a server does not start or answer, or two tools have one name
 * @internal
 */
export async function mcpTools(lines: readonly string[], fixed: readonly Tool[], life: Subscription, place: McpPlace): Promise<McpTools> {
  const commands = lines.map((line) => ({ line, words: splitWords(line) }));
  const kit = await loaded(place.importModule);
  const joined = new JoinedTools(place.tell);
  return new Promise((resolve, reject) => {
    let latest: Latest<readonly Tool[]> | undefined;
    const sets$ = combineLatest(commands.map((command) => setsOf(command, kit, place))).pipe(
      tap((sets) => {
        if (latest !== undefined) return latest.set(joined.later([fixed, ...sets]));
        const first = joined.first([fixed, ...sets]);
        latest = new Latest(first);
        resolve({ first, tools$: latest.value$ });
      }),
    );
    life.add(sets$.subscribe({ error: reject }));
  });
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

/** The sets of one server, which lives as long as somebody listens. Its last one is empty, where it ends by itself. */
function setsOf({ line, words }: Command, { Client, StdioClientTransport }: Package, { cwd, version, tell, scheduler }: McpPlace): Observable<readonly Tool[]> {
  return defer(() => {
    const [command = '', ...args] = words;
    const client = new Client({ name: 'rx-tool-loop', version });
    const transport = new StdioClientTransport({ command, args, cwd, stderr: 'pipe' });
    const name = `The MCP server ${JSON.stringify(line)}`;
    let said = '';
    transport.stderr?.on('data', (chunk) => (said = (said + String(chunk)).slice(-MAX_STDERR)));
    let isListed = false;
    const ended$ = new Observable<void>((subscriber) => {
      client.onclose = () => subscriber.next();
      subscriber.add(() => (client.onclose = undefined));
    });
    const say = (line: string): void => tell(oneLine(`${name} ${line}`, MAX_MESSAGE));
    const list$ = fromMcp(client, { rename }).pipe(
      readAgain({
        onFault: (why) => say(`has a new list of tools that cannot be used: ${unended(why)}. Its tools stay as they were, and the list is read again.`),
        onMended: () => say('has a list of tools that can be used again.'),
        ...(scheduler !== undefined && { scheduler }),
      }),
    );
    return defer(() => client.connect(transport)).pipe(
      switchMap(() => list$),
      tap(() => (isListed = true)),
      catchError((cause: unknown) =>
        throwError(() => new ConfigError(oneLine(`${name} cannot be used: ${unended(errorText(cause))}.${lastWords(said)}`, MAX_MESSAGE), { cause })),
      ),
      // Before there is a list, the failure of what was asked says more.
      takeUntil(ended$.pipe(filter(() => isListed), tap(() => say(`has ended: its tools are gone.${lastWords(said)}`)))),
      endWith([]),
      finalize(() => void client.close().catch(() => undefined)),
    );
  });
}

function rename({ name }: { readonly name: string }): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}

function unended(sentence: string): string {
  return sentence.replace(/[.]$/, '');
}

/** Of a trace the line that names the error, else the last. */
function lastWords(said: string): string {
  const lines = said.trim().split('\n');
  const words = lines.find((one) => /error/i.test(one) && !/^\s*at /.test(one)) ?? lines.at(-1) ?? '';
  return words === '' ? '' : ` It says: ${words}`;
}
