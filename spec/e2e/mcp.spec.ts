import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filter, firstValueFrom, lastValueFrom, takeUntil, tap, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { ScriptedCall } from '../../lib/deltas/scripted.ts';
import { ofType, toolLoop } from '../../lib/index.ts';
import type { LoopEvent, Tool, ToolResult } from '../../lib/index.ts';
import { fromMcp } from '../../lib/invoke/from-mcp.ts';
import type { FromMcpOptions } from '../../lib/invoke/from-mcp.ts';
import { connection } from './mcp-connection.ts';
import type { Connection, Version, Wire } from './mcp-connection.ts';

const EVERY: readonly (readonly [Version, Wire])[] = [[1, 'stdio'], [1, 'http'], [2, 'stdio'], [2, 'http']];
const STDIO: readonly (readonly [Version])[] = [[1], [2]];

function run(tools: readonly Tool[], ...calls: ScriptedCall[]): Observable<LoopEvent> {
  return toolLoop({ model: scripted([{ calls }, { text: 'Done.' }]), tools: [...tools], prompt: 'Go.' });
}

async function resultsOf(tools: readonly Tool[], ...calls: ScriptedCall[]): Promise<ToolResult[]> {
  const events = await lastValueFrom(run(tools, ...calls).pipe(ofType('tool-result'), toArray()));
  return events.map(({ result }) => result);
}

const resultOf = async (tools: readonly Tool[], name: string, args = {}): Promise<ToolResult> => (await resultsOf(tools, { name, arguments: args }))[0]!;
const textOf = ({ content }: ToolResult): string => content.map((part) => ('text' in part ? part.text : '')).join('');

describe.each(EVERY)('with package %d by %s, the tools of a server', (version, wire) => {
  let open: Connection;
  let tools: readonly Tool[];
  const tooled = (options: FromMcpOptions): Promise<readonly Tool[]> => firstValueFrom(fromMcp(open.client, options));

  beforeAll(async () => {
    open = await connection(version, wire);
    tools = await tooled({});
  });
  afterAll(() => open.close());

  it('say what they are', () => {
    const told = Object.fromEntries(tools.map(({ name, kind, parallelSafe, idempotent, title }) => [name, { kind, parallelSafe, idempotent, title: title?.({} as never) }]));
    expect(told).toMatchObject({
      add: { kind: 'read', parallelSafe: true, idempotent: true, title: 'Add' },
      fail: { kind: 'other', parallelSafe: false, idempotent: true, title: undefined },
      count: { kind: 'other', parallelSafe: false, idempotent: undefined },
    });
  });

  it('answer in words and in structure', async () => {
    expect(await resultOf(tools, 'add', { a: 1, b: 2 })).toMatchObject({ isError: false, content: [{ type: 'text', text: '3' }], output: { sum: 3 } });
  });

  it('answer in images, files and links', async () => {
    const { content } = await resultOf(tools, 'media');
    expect(content).toEqual([
      { type: 'text', text: 'All of it:' },
      { type: 'image', mediaType: 'image/png', data: expect.stringMatching(/^iVBOR/) },
      { type: 'file', mediaType: 'audio/wav', data: 'UklGRg==' },
      { type: 'text', text: '[resource note://1]\nA note.' },
      { type: 'file', mediaType: 'application/pdf', data: 'JVBE', name: 'b.pdf' },
      { type: 'text', text: '[resource https://x.test/a: a, text/html]' },
    ]);
  });

  it('fail in words that the model reads', async () => {
    const error = { kind: 'other', message: 'There is no disk.', retryable: false };
    expect(await resultOf(tools, 'fail')).toMatchObject({ isError: true, error, content: [{ type: 'text', text: 'There is no disk.' }] });
  });

  it('are not asked with arguments that their schema refuses', async () => {
    const refused = await resultOf(tools, 'add', { a: 'one' });
    expect(refused).toMatchObject({ isError: true, error: { kind: 'invalid-input' } });
    expect(textOf(refused)).toMatch(/Invalid arguments for tool "add": .*b: is required/);
    expect(textOf(await resultOf(tools, 'log'))).not.toContain('one');
  });

  it('tell their progress', async () => {
    const progress = await lastValueFrom(run(tools, { name: 'count', arguments: { to: 2 } }).pipe(ofType('tool-progress'), toArray()));
    expect(progress.map((event) => event.progress)).toEqual([1, 2].map((n) => ({ progress: n, total: 2, message: `at ${n}` })));
  });

  it('hear that the run was left', async () => {
    const left$ = run(tools, { name: 'hang' }).pipe(filter(({ type }) => type === 'tool-progress'));
    await firstValueFrom(left$);
    let seen = '';
    // Asked until the notification has come across: each question is a whole exchange.
    for (let asked = 0; asked < 200 && !seen.includes('cancelled'); asked++) seen = textOf(await resultOf(tools, 'log'));
    expect(seen).toContain('hang is cancelled');
  });

  it('are too late when a request takes longer than it may', async () => {
    const [hang] = await tooled({ filter: ({ name }) => name === 'hang', maxTotalTimeoutMs: 100, timeoutMs: 100 });
    const late = await resultOf([hang!], 'hang');
    expect(late).toMatchObject({ isError: true, error: { kind: 'timeout', retryable: true } });
    expect(late.error?.message).toMatch(/^The tool "hang" of the server: .*timed out.*[.]$/i);
  });

  it('go by other names where that is wanted', async () => {
    const named = await tooled({ prefix: 'x_', rename: ({ name }) => name.toUpperCase(), filter: ({ name }) => name === 'add', needsApproval: () => false, parallelSafe: () => false });
    expect(named).toHaveLength(1);
    expect(named[0]).toMatchObject({ name: 'x_ADD', needsApproval: false, parallelSafe: false });
    expect(await resultOf(named, 'x_ADD', { a: 2, b: 2 })).toMatchObject({ output: { sum: 4 } });
  });
});

describe.each(STDIO)('with package %d', (version) => {
  it('a tool that the server does not know is an error result', async () => {
    const open = await connection(version, 'stdio');
    const client = { ...open.client, listTools: () => Promise.resolve({ tools: [{ name: 'gone', inputSchema: { type: 'object' } }] }), callTool: open.client.callTool.bind(open.client) };
    const tools = await firstValueFrom(fromMcp(client, { clientVersion: version }));
    const gone = await resultOf(tools, 'gone');
    await open.close();
    expect(gone.isError).toBe(true);
    expect(textOf(gone)).toMatch(/Tool gone not found/);
    // The older servers say it as a result, not as a fault.
    expect(gone.error?.kind).toBe(version === 1 ? 'other' : 'not-found');
  });

  it('a server that dies in the middle of a call is a fault of the network', async () => {
    const open = await connection(version, 'stdio');
    const tools = await firstValueFrom(fromMcp(open.client));
    const dead = await resultOf(tools, 'die');
    expect(dead).toMatchObject({ isError: true, error: { kind: 'network', retryable: true } });
    expect(dead.error?.message).toMatch(/^The tool "die" of the server: .*closed.*[.]$/i);
    expect(await resultOf(tools, 'log')).toMatchObject({ isError: true, error: { kind: 'network' } });
    await expect(firstValueFrom(fromMcp(open.client))).rejects.toMatchObject({ code: 'tool', kind: 'network', message: expect.stringMatching(/cannot be listed: .*[.]$/) });
    await open.close();
  });
});

describe.each<readonly [Version, Wire]>([[1, 'stdio'], [2, 'stdio'], [2, 'modern']])('with package %d by %s', (version, wire) => {
  it('a change of the tools is a new set, also in the middle of a run', async () => {
    const open = await connection(version, wire);
    const seen: string[][] = [];
    const sets$ = fromMcp(open.client).pipe(tap((set) => seen.push(set.map(({ name }) => name))));
    const grown$ = sets$.pipe(filter((set) => set.some(({ name }) => name === 'grown')));
    const grown = firstValueFrom(grown$);
    const tools = await firstValueFrom(fromMcp(open.client));
    await lastValueFrom(run(tools, { name: 'grow' }).pipe(takeUntil(grown)), { defaultValue: undefined });
    expect(await resultOf(await grown, 'grown')).toMatchObject({ content: [{ text: 'I am new.' }] });
    expect(seen[0]).not.toContain('grown');
    await open.close();
  });
});
