import { afterEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import type { LoopEvent } from '../../lib/index.ts';
import { remoteLoop } from '../../lib/view/remote.ts';
import { asks, chatServer, says } from '../serve/chat-server.ts';
import type { ChatServer } from '../serve/chat-server.ts';
import { serveProcess } from './serve-process.ts';
import type { ServeProcess } from './serve-process.ts';

const cli = join(__dirname, '../../dist/lib/serve/cli.js');
const serverOf = (mode: string): string => [process.execPath, join(__dirname, 'mcp-server.mjs'), '2', 'stdio', mode].map((word) => `"${word}"`).join(' ');
const server = serverOf('tools');

let chat: ChatServer | undefined;
let door: ServeProcess | undefined;
afterEach(async () => {
  await door?.end('SIGKILL');
  await chat?.close();
  door = undefined;
});

/** The names of the tools that the model was told of, call by call. */
const offered = (): string[][] => (chat?.requests ?? []).map(({ body }) => ((body['tools'] ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name));
const results = (events: readonly LoopEvent[]) => events.flatMap((event) => (event.type === 'tool-result' ? [event.result] : []));

function command(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...words], (_error, out, err) => resolve({ code: child.exitCode ?? -1, out, err }));
  });
}

describe('a server of --mcp whose tools change', () => {
  it('gives the new ones to a run that has begun', async () => {
    // The tool log is there for time: its result comes behind the new list.
    chat = await chatServer(asks(['grow', {}]), asks(['log', {}]), asks(['grown', {}]), says(['Done.']));
    const { code, out, err } = await command('run', 'hi', '--model', chat.model, '--tools', 'clock', '--mcp', server);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('← grown I am new. (');
    expect(offered()[0]).toContain('clock');
    expect(offered()[0]).not.toContain('grown');
    expect(offered()[3]).toEqual([...(offered()[0] as string[]), 'grown']);
  });

  it('gives them to the later runs of serve', async () => {
    chat = await chatServer(asks(['grow', {}]), asks(['log', {}]), says(['Grown.']), asks(['grown', {}]), says(['Done.']));
    door = await serveProcess('--model', chat.model, '--mcp', server);
    const { url } = door;
    const run = (): Promise<LoopEvent[]> => lastValueFrom(remoteLoop({ url, body: { prompt: 'hi' } }).pipe(toArray()));
    await run();
    expect(results(await run())).toMatchObject([{ name: 'grown', isError: false }]);
    expect(door.said()).toBe('');
  });
});

describe('a server of --mcp whose list cannot be read for a moment', () => {
  it('keeps its tools, is asked again by itself, and gives the new ones to later runs', async () => {
    chat = await chatServer(asks(['change', { faults: ['No disk.'] }]), says(['Changed.']), asks(['more1', {}]), says(['Done.']));
    door = await serveProcess('--model', chat.model, '--mcp', serverOf('faulty'));
    const { url, said } = door;
    const run = (): Promise<LoopEvent[]> => lastValueFrom(remoteLoop({ url, body: { prompt: 'hi' } }).pipe(toArray()));
    await run();
    expect(offered().at(-1)).toEqual(['change', 'die']);
    // It is asked again after a second: nothing else tells when.
    while (said().split('\n').length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(said()).toMatch(/^rx-tool-loop: The MCP server "[^\n]*" has a new list of tools that cannot be used: [^\n]*No disk\.[^\n]*\nrx-tool-loop: The MCP server "[^\n]*" has a list of tools that can be used again\.\n$/);
    expect(results(await run())).toMatchObject([{ name: 'more1', isError: false }]);
    expect(offered().at(-1)).toEqual(['change', 'die', 'more1']);
  });
});

describe('a server of --mcp that dies', () => {
  it('is told of in one line, its call fails in words that the model reads, and its tools are gone', async () => {
    chat = await chatServer(asks(['die', {}]), asks(['log', {}]), says(['It is gone.']));
    door = await serveProcess('--model', chat.model, '--mcp', server);
    const events = await lastValueFrom(remoteLoop({ url: door.url, body: { prompt: 'hi' } }).pipe(toArray()));
    expect(results(events)).toMatchObject([{ isError: true, error: { kind: 'network' } }, { isError: true, error: { kind: 'not-found' } }]);
    expect(offered()[0]).toContain('log');
    expect(offered()[1]).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'answer' } });
    expect(door.said()).toMatch(/^rx-tool-loop: The MCP server "[^\n]*" has ended: its tools are gone\. It says: I die\.\n$/);
    await door.end('SIGINT');
  });
});
