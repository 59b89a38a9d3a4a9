import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, of, Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import { ConfigError } from '../../lib/errors.ts';
import { fromMcp } from '../../lib/invoke/from-mcp.ts';
import type { FromMcpOptions, McpClient, McpRequestOptions, McpTool } from '../../lib/invoke/from-mcp.ts';
import type { Tool, ToolContext } from '../../lib/tool.ts';

const add: McpTool = { name: 'add', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };

/** A client that answers at once: the calls are kept as they came. */
function fake(tools: readonly McpTool[] = [add], result: unknown = { content: [] }) {
  const calls: unknown[][] = [];
  const told: string[] = [];
  let change: (() => void) | undefined;
  const listed = { times: 0, tools };
  const client = {
    listTools: () => (listed.times++, of({ tools: listed.tools })),
    callTool: (...args: unknown[]) => (calls.push(args), result instanceof Subject ? result : of(result)),
    setNotificationHandler: (_what: unknown, handler: () => void) => void (change = handler),
    removeNotificationHandler: () => void told.push('removed'),
    close: () => void told.push('closed'),
  } as unknown as McpClient;
  return { client, calls, told, listed, change: () => change?.() };
}

function sets(client: McpClient, options?: FromMcpOptions): readonly Tool[][] {
  const seen: Tool[][] = [];
  fromMcp(client, options).subscribe((tools) => seen.push([...tools]));
  return seen;
}

const context = (more: Partial<ToolContext> = {}): ToolContext =>
  ({ runId: 'r', callId: 'c', signal: new AbortController().signal, progress: () => undefined, ...more }) as ToolContext;

describe('fromMcp', () => {
  it('asks nothing before it is subscribed, and again for each subscription', () => {
    const { client, listed } = fake();
    const sets$ = fromMcp(client);
    expect(listed.times).toBe(0);
    sets$.subscribe();
    sets$.subscribe();
    expect(listed.times).toBe(2);
  });

  it('gives a new set for each change, until it is left; the client stays open', () => {
    const { client, listed, change, told } = fake();
    const seen: string[][] = [];
    const listening = fromMcp(client).subscribe((tools) => seen.push(tools.map(({ name }) => name)));
    listed.tools = [add, { ...add, name: 'sub' }];
    change();
    listening.unsubscribe();
    change();
    expect(seen).toEqual([['add'], ['add', 'sub']]);
    expect(told).toEqual(['removed']);
  });

  it.each<[name: string, tool: Partial<McpTool>, options: FromMcpOptions, told: object]>([
    ['reads', {}, {}, { kind: 'read', parallelSafe: true, idempotent: true }],
    ['says nothing of itself', { annotations: undefined }, {}, { kind: 'other', parallelSafe: false, description: '' }],
    ['writes, twice the same', { annotations: { readOnlyHint: false, idempotentHint: true } }, {}, { kind: 'other', parallelSafe: false, idempotent: true }],
    ['has a description', { description: 'Adds.' }, {}, { description: 'Adds.' }],
    ['waits for an approval', {}, { needsApproval: ({ name }) => name === 'add' }, { needsApproval: true }],
    ['runs alone', {}, { parallelSafe: () => false }, { parallelSafe: false, kind: 'read' }],
    ['has another name', {}, { prefix: 'a_', rename: ({ name }) => `${name}2` }, { name: 'a_add2' }],
  ])('makes a tool that %s', (_name, change, options, told) => {
    const { client } = fake([{ ...add, ...change }]);
    expect(sets(client, options)[0]).toEqual([expect.objectContaining({ parameters: { type: 'object' }, needsValidator: true, ...told })]);
  });

  it('takes the title of the annotations before that of the tool', () => {
    const titled = (change: Partial<McpTool>): unknown => sets(fake([{ ...add, ...change }]).client)[0]![0]!.title?.({} as never);
    expect(titled({ title: 'A', annotations: { title: 'B' } })).toBe('B');
    expect(titled({ title: 'A' })).toBe('A');
    expect(titled({})).toBeUndefined();
  });

  it.each<[version: 1 | 2]>([[1], [2]])('calls as clients of version %d want it', async (clientVersion) => {
    const { client, calls } = fake([add], { content: [{ type: 'text', text: '3' }] });
    const [tool] = sets(client, { clientVersion, timeoutMs: 10, maxTotalTimeoutMs: 20, prefix: 'x_' })[0]!;
    const progress: unknown[] = [];
    const given = context({ progress: (value) => void progress.push(value) });
    expect(await lastValueFrom(tool!.run({ a: 1 } as never, given) as Observable<unknown>)).toMatchObject({ content: [{ type: 'text', text: '3' }] });
    const [params, ...rest] = calls[0]!;
    expect(params).toEqual({ name: 'add', arguments: { a: 1 }, _meta: { 'rx-tool-loop/call': 'r/c' } });
    expect(rest).toHaveLength(clientVersion === 1 ? 2 : 1);
    const request = rest.at(-1) as McpRequestOptions;
    expect(request).toMatchObject({ signal: given.signal, timeout: 10, maxTotalTimeout: 20, resetTimeoutOnProgress: true });
    request.onprogress?.({ progress: 1 });
    expect(progress).toEqual([{ progress: 1 }]);
  });

  it('says what was cancelled, and names the tool as its server does', () => {
    const result = new Subject<never>();
    const [tool] = sets(fake([add], result).client, { prefix: 'x_' })[0]!;
    const failed: unknown[] = [];
    (tool!.run({} as never, context({ signal: AbortSignal.abort() })) as Observable<unknown>).subscribe({ error: (error) => failed.push(error) });
    result.error(new Error('AbortError'));
    expect(failed).toEqual([expect.objectContaining({ kind: 'cancelled', message: 'The tool "add" of the server: the call was cancelled.' })]);
  });

  it.each<[options: unknown, words: string]>([
    [{ timeoutMs: 0 }, 'timeoutMs is 0'],
    [{ maxTotalTimeoutMs: Number.NaN }, 'maxTotalTimeoutMs is NaN'],
  ])('refuses %j', (options, words) => {
    expect(() => fromMcp(fake().client, options as FromMcpOptions)).toThrow(words);
  });

  it.each([undefined, {}, { listTools: () => undefined }])('refuses the client %j', (client) => {
    expect(() => fromMcp(client as never)).toThrow(ConfigError);
  });
});
