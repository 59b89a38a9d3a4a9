import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { firstValueFrom, skip, Subject, Subscription, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Tool, ToolContext } from '../../lib/index.ts';
import { calculator } from '../../lib/serve/calculator.ts';
import { runCommand } from '../../lib/serve/run-command.ts';
import { mcpTools } from '../../lib/serve/mcp-tools.ts';
import { asks, chatServer, says } from './chat-server.ts';
import type { ChatServer } from './chat-server.ts';
import { fakeHost, run } from './fake-host.ts';

const server = join(__dirname, '../e2e/mcp-server.mjs');
const line = (...words: string[]): string => [process.execPath, server, ...words].map((word) => `"${word}"`).join(' ');
const importModule = (name: string): Promise<Record<string, unknown>> => import(name) as Promise<Record<string, unknown>>;
let told: string[] = [];
const place = { cwd: __dirname, version: '1.2.3', importModule, tell: (line: string) => void told.push(line) };

let life = new Subscription();
let chat: ChatServer | undefined;
afterEach(async () => {
  life.unsubscribe();
  life = new Subscription();
  told = [];
  await chat?.close();
});

async function refusal(lines: readonly string[], change: Partial<typeof place> = {}): Promise<string> {
  const error: unknown = await mcpTools(lines, [], life, { ...place, ...change }).then(() => undefined, (thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'config' });
  const { message } = error as Error;
  expect(message).not.toContain('\n');
  return message;
}

/** What a tool comes to. */
function called(tools: readonly Tool[], name: string, input: object = {}): Promise<unknown> {
  const tool = tools.find((one) => one.name === name);
  const context = { runId: 'r', callId: 'c', signal: new AbortController().signal } as ToolContext;
  return firstValueFrom(tool?.run(input as never, context) as Observable<unknown>);
}

/** Lets the processes go on until it is so; the test's limit ends a wait in vain. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('mcpTools', () => {
  it('joins the tools of several servers, under names that providers take', async () => {
    const { first } = await mcpTools([line('2', 'stdio', 'pages'), line('1', 'stdio', 'pages2')], [calculator], life, place);
    expect(first.map(({ name }) => name)).toEqual(['calculator', 'page0', 'page1', 'page2', 'notes_read', 'notes_read2', 'plain']);
  });

  it('names the package that is missing', async () => {
    const message = await refusal(['x'], { importModule: () => Promise.reject(new Error('Cannot find package')) });
    expect(message).toBe('--mcp needs the package @modelcontextprotocol/client: npm install @modelcontextprotocol/client');
  });

  it('says which server does not start, and its last words', async () => {
    expect(await refusal(['no-such-command-here'])).toMatch(/^The MCP server "no-such-command-here" cannot be used: .*ENOENT/);
    expect(await refusal([`"${process.execPath}" -e "console.error('No key.'); process.exit(1)"`])).toMatch(/cannot be used: .* It says: No key\.$/);
    expect(await refusal([`"${process.execPath}" no-such-file.mjs`])).toMatch(/cannot be used: .*[.] It says: Error: Cannot find module/);
    expect(await refusal(["a 'b"])).toContain('without its end');
  });

  it('ends the servers with its life', async () => {
    const { first } = await mcpTools([line('2', 'stdio', 'pages')], [], life, place);
    life.unsubscribe();
    await expect(called(first, 'page0')).rejects.toMatchObject({ kind: 'network' });
    expect(told).toEqual([]);
  });

  it('refuses two tools of one name', async () => {
    expect(await refusal([line('2', 'stdio', 'pages'), line('2', 'stdio', 'pages')])).toBe('Two tools are called "page0": leave one of them out.');
  });

  it.each(['1', '2'])('has what a server of package %s adds later', async (version) => {
    const { first, tools$ } = await mcpTools([line(version), line(version, 'stdio', 'pages')], [calculator], life, place);
    const grown = firstValueFrom(tools$.pipe(skip(1)));
    await called(first, 'grow');
    const names = (await grown).map(({ name }) => name);
    expect(names).toEqual([...first.map(({ name }) => name).slice(0, -3), 'grown', 'page0', 'page1', 'page2']);
    expect(await firstValueFrom(tools$)).toHaveLength(first.length + 1);
    await called(await grown, 'grown');
    expect(told).toEqual([]);
  });

  it('loses the tools of a server that ends, keeps the others, and says so', async () => {
    const { first, tools$ } = await mcpTools([line('2'), line('2', 'stdio', 'pages')], [calculator], life, place);
    const rest = firstValueFrom(tools$.pipe(skip(1)));
    await expect(called(first, 'die')).rejects.toMatchObject({ kind: 'network' });
    expect((await rest).map(({ name }) => name)).toEqual(['calculator', 'page0', 'page1', 'page2']);
    expect(told).toEqual([expect.stringMatching(/^The MCP server ".*mcp-server\.mjs.*" has ended: its tools are gone\. It says: I die\.$/)]);
  });

  it('keeps the tools where the new list cannot be used, says so, and still knows when the server ends', async () => {
    const { first, tools$ } = await mcpTools([line('2')], [], life, place);
    await called(first, 'spoil');
    await until(() => told.length > 0);
    expect(await firstValueFrom(tools$)).toBe(first);
    expect(told).toEqual([expect.stringMatching(/has a new list of tools that cannot be used: .*"two\.x" and "two\/x".* Its tools stay as they were, and the list is read again\.$/)]);
    await expect(called(first, 'die')).rejects.toMatchObject({ kind: 'network' });
    expect([await firstValueFrom(tools$), told.length]).toEqual([[], 2]);
  });
});

describe('a server whose list cannot be read for a while', () => {
  it.each(['1', '2'])('is asked again, later each time, until it can be, and followed from there on: package %s', async (version) => {
    const scheduler = new VirtualTimeScheduler();
    const { first, tools$ } = await mcpTools([line(version, 'stdio', 'faulty')], [], life, { ...place, scheduler });
    let latest = first;
    life.add(tools$.subscribe((tools) => (latest = tools)));
    const names = (): string[] => latest.map(({ name }) => name);
    expect(names()).toEqual(['change', 'die']);

    await called(first, 'change', { faults: ['No disk.', 'No disk.', 'No key.'] });
    for (const [at, known] of [[0, 1], [1_000, 1], [3_000, 2]] as const) {
      // The time passes once the list has failed again.
      await until(() => scheduler.actions.length > 0);
      expect([scheduler.now(), told.length, latest]).toEqual([at, known, first]);
      scheduler.flush();
    }
    await until(() => latest !== first);
    expect([scheduler.now(), names()]).toEqual([7_000, ['change', 'die', 'more1']]);
    expect(told).toEqual([
      expect.stringMatching(/^The MCP server ".*" has a new list of tools that cannot be used: .*No disk\. Its tools stay as they were, and the list is read again\.$/),
      expect.stringMatching(/^The MCP server ".*" has a new list of tools that cannot be used: .*No key\. Its tools stay as they were, and the list is read again\.$/),
      expect.stringMatching(/^The MCP server ".*" has a list of tools that can be used again\.$/),
    ]);

    await called(first, 'change');
    await until(() => latest.length > 3);
    expect([names(), told.length, scheduler.actions]).toEqual([['change', 'die', 'more1', 'more2'], 3, []]);
  });

  it('may end meanwhile: its tools are gone, and it is not asked again', async () => {
    const scheduler = new VirtualTimeScheduler();
    const { first, tools$ } = await mcpTools([line('2', 'stdio', 'faulty')], [], life, { ...place, scheduler });
    await called(first, 'change', { faults: ['No disk.'] });
    await until(() => scheduler.actions.length > 0);
    const rest = firstValueFrom(tools$.pipe(skip(1)));
    await expect(called(first, 'die')).rejects.toMatchObject({ kind: 'network' });
    expect([await rest, scheduler.actions]).toEqual([[], []]);
    expect(told).toEqual([expect.stringContaining('No disk.'), expect.stringMatching(/has ended: its tools are gone\. It says: I die\.$/)]);
  });

  it('is not waited for when its life ends', async () => {
    const scheduler = new VirtualTimeScheduler();
    const { first } = await mcpTools([line('2', 'stdio', 'faulty')], [], life, { ...place, scheduler });
    await called(first, 'change', { faults: ['No disk.'] });
    await until(() => scheduler.actions.length > 0);
    life.unsubscribe();
    expect([scheduler.actions, told.length]).toEqual([[], 1]);
  });
});

describe('rx-tool-loop run --mcp', () => {
  it('gives the tools of a server to the model', async () => {
    chat = await chatServer(asks(['page1', {}]), says(['Read.']));
    const { code, out, err } = await run(['run', 'hi', '--model', chat.model, '--mcp', line('2', 'stdio', 'pages')], { importModule });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('← page1 called page1 (');
  });

  it('ends with 2 and one line for a server that does not start', async () => {
    const { code, out, err } = await run(['run', 'hi', '--mcp', 'no-such-command-here'], { importModule });
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^rx-tool-loop: The MCP server "no-such-command-here" cannot be used: [^\n]*\n$/);
  });

  it('ends the server on Ctrl-C, in the middle of a call', async () => {
    chat = await chatServer(asks(['hang', {}]));
    const lifeline = createServer().listen(0, '127.0.0.1');
    await once(lifeline, 'listening');
    const ended = once(lifeline, 'connection').then(([socket]) => once((socket as Socket).resume(), 'close'));
    const interrupt$ = new Subject<void>();
    const { host, written, output$ } = fakeHost({ importModule, interrupt$ });
    const started = output$.subscribe((out) => {
      if (out.includes('→ hang')) interrupt$.next();
    });
    const words = ['run', 'hi', '--model', chat.model, '--mcp', line('2', 'stdio', 'tools', String((lifeline.address() as AddressInfo).port))];
    expect(await firstValueFrom(runCommand(words, host))).toBe(130);
    await ended;
    expect(written.err).toBe('rx-tool-loop: cancelled\n');
    started.unsubscribe();
    lifeline.close();
  });
});
