import { catchError, defer, map, throwError, using } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer } from '../answer.ts';
import { ConfigError } from '../errors.ts';
import type { Tool, ToolContext } from '../tool.ts';
import type { ToolOutput } from '../tool-output.ts';
import { defineTool } from './define-tool.ts';
import { mcpChanges } from './mcp-changes.ts';
import type { McpClient, McpRequestOptions, McpResult, McpTool } from './mcp-client.ts';
import { mcpContent } from './mcp-content.ts';
import { mcpElicitation } from './mcp-elicitation.ts';
import { mcpFault } from './mcp-fault.ts';
import { mcpListing } from './mcp-listing.ts';
import { mcpVersion } from './mcp-version.ts';
import type { McpVersion } from './mcp-version.ts';
import { relisted } from './relisted.ts';

export type { McpAnnotations, McpClient, McpPage, McpProgress, McpRequestOptions, McpTool } from './mcp-client.ts';

export interface FromMcpOptions {
  /** Stands before each name, so that the tools of two servers do not collide. Default: nothing. */
  readonly prefix?: string;
  /** What a tool is called, before the prefix. Default: as its server calls it. */
  rename?(tool: McpTool): string;
  /** Which tools are taken. Default: all. */
  filter?(tool: McpTool): boolean;
  /** Whether the calls of a tool wait for an approval. Default: none does. */
  needsApproval?(tool: McpTool): boolean;
  /** Whether a tool may run while others run. Default: its `readOnlyHint`. */
  parallelSafe?(tool: McpTool): boolean;
  /** Answer the questions of the server (elicitation) through the run's `approvals`. Default: false, they stay the client's. */
  readonly elicitation?: boolean;
  /** How long a server may be silent during a call, milliseconds; progress is a sign of life. Default: the client's, 60,000. */
  readonly timeoutMs?: number;
  /** How long a call may take in all, milliseconds. Default: without limit. */
  readonly maxTotalTimeoutMs?: number;
  /** The major version of the client's package. Default: told by the client itself. */
  readonly clientVersion?: 1 | 2;
}

/**
 * The tools of an MCP server, ever as the server lists them: the `tools` of a run.
 *
 * A tool's arguments are checked here, by its server's JSON Schema, before the server sees them. Its annotations are its
 * `kind` (`read` or `other`), `title`, `idempotent` and `parallelSafe`: hints, as true as the server is honest.
 *
 * Contract:
 * - starts: on subscribing, all pages are listed; and again when the server says that they have changed. A change during a
 *   listing is one more listing behind it. Sets the client's handler of that notification.
 * - leaves: the handler is removed when nobody listens any more. Tools that were given out go on working. The client is
 *   never closed: it stays yours.
 * - fails: a {@link ToolError} if the server cannot be asked or its list does not end; a {@link ConfigError} for a name that
 *   providers refuse, for two tools of one name, and for `elicitation` with a client that has not declared it.
 * - order: completes never.
 *
 * A call hands its signal on, so that the server hears of a cancellation; progress is `tool-progress`. A result with
 * `isError` is an error result of kind `other`, whose text the model reads. A request that fails is an error result of kind
 * `not-found`, `invalid-input`, `timeout`, `cancelled`, `network`, `permission-denied`, `rate-limited`, `provider` or `other`.
 *
 * @param client - a connected client of `@modelcontextprotocol/client` 2 or `@modelcontextprotocol/sdk` 1
 *
 * @example The tools of a server
 * ```ts
 * import { Client } from '@modelcontextprotocol/client';
 * import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
 * import { firstValueFrom } from 'rxjs';
 * import { fromMcp } from 'rx-tool-loop/mcp';
 *
 * const client = new Client({ name: 'my-agent', version: '1.0.0' });
 * await client.connect(new StdioClientTransport({ command: 'node', args: ['server.mjs'] }));
 * const tools = await firstValueFrom(fromMcp(client, { prefix: 'notes_' }));
 * ```
 * @public
 */
export function fromMcp(client: McpClient, options: FromMcpOptions = {}): Observable<readonly Tool[]> {
  for (const [name, value] of Object.entries({ timeoutMs: options.timeoutMs, maxTotalTimeoutMs: options.maxTotalTimeoutMs })) {
    if (value !== undefined && !(value > 0)) throw new ConfigError(`fromMcp: ${name} is ${value}; give milliseconds, more than 0, or leave it out.`);
  }
  if (typeof client?.listTools !== 'function' || typeof client.callTool !== 'function') {
    throw new ConfigError('fromMcp needs a client with listTools and callTool, such as Client of @modelcontextprotocol/client.');
  }
  const source: Source = { client, options, version: options.clientVersion ?? mcpVersion(client) };
  const list$ = defer(() => listed(source)).pipe(map((tools) => toolsOf(tools, source)));
  const sets$ = relisted(list$, mcpChanges(client, source.version));
  return options.elicitation === true ? using(() => mcpElicitation.hold(client, source.version), () => sets$) : sets$;
}

interface Source {
  readonly client: McpClient;
  readonly options: FromMcpOptions;
  readonly version: McpVersion;
}

function listed({ client }: Source): Observable<readonly McpTool[]> {
  return mcpListing(client).pipe(
    catchError((error: unknown) => throwError(() => mcpFault(error, 'fromMcp: the tools of the server cannot be listed'))),
  );
}

function toolsOf(listedTools: readonly McpTool[], source: Source): readonly Tool[] {
  const { prefix = '', rename, filter } = source.options;
  const names = new Map<string, string>();
  return listedTools
    .filter((tool) => filter?.(tool) ?? true)
    .map((tool) => {
      const name = `${prefix}${rename?.(tool) ?? tool.name}`;
      const other = names.get(name);
      if (other !== undefined) throw new ConfigError(`fromMcp: ${quoted(other)} and ${quoted(tool.name)} of the server are both called ${quoted(name)}. Tell them apart by rename, or leave one out by filter.`);
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
        throw new ConfigError(`fromMcp: ${quoted(name)} is no name that providers take: 1 to 64 letters, digits, "_" or "-". Give ${quoted(tool.name)} of the server another one by rename, or leave it out by filter.`);
      }
      names.set(name, tool.name);
      return toolOf(name, tool, source);
    });
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}

function toolOf(name: string, tool: McpTool, source: Source): Tool {
  const { options } = source;
  const { annotations = {}, description = '', inputSchema: input } = tool;
  const title = annotations.title ?? tool.title;
  const { readOnlyHint, idempotentHint = readOnlyHint } = annotations;
  return defineTool({
    name,
    description,
    input,
    kind: readOnlyHint === true ? 'read' : 'other',
    parallelSafe: options.parallelSafe?.(tool) ?? readOnlyHint === true,
    ...(idempotentHint !== undefined && { idempotent: idempotentHint }),
    ...(title !== undefined && title !== '' && { title: () => title }),
    ...(options.needsApproval !== undefined && { needsApproval: options.needsApproval(tool) }),
    run: (args: unknown, context: ToolContext) => called(tool.name, args, context, source),
  });
}

function called(name: string, args: unknown, context: ToolContext, { client, options, version }: Source): Observable<ToolOutput> {
  const { elicitation, timeoutMs, maxTotalTimeoutMs } = options;
  const request: McpRequestOptions = {
    signal: context.signal,
    onprogress: (progress) => context.progress(progress),
    resetTimeoutOnProgress: true,
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    ...(maxTotalTimeoutMs !== undefined && { maxTotalTimeout: maxTotalTimeoutMs }),
  };
  // Between them the older clients take a schema of the result, and have one of their own.
  const rest = version === 1 ? [undefined, request] : [request];
  return defer(() => {
    const { life, meta } = mcpElicitation.enter(client, context);
    if (elicitation === true) life.add(mcpElicitation.hold(client, version));
    const params = { name, arguments: args, _meta: meta };
    return using(() => life, () => answer(client.callTool(params as never, ...(rest as never[])) as PromiseLike<McpResult>));
  }).pipe(
    map(mcpContent),
    catchError((error: unknown) => throwError(() => mcpFault(error, `The tool "${name}" of the server`, context.signal.aborted))),
  );
}
