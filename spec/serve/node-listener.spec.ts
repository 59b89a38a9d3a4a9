import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen, nodeListener } from '../../lib/serve/node-listener.ts';
import type { Listening } from '../../lib/serve/node-listener.ts';
import { doorOf, eventsIn, heldTurn, readUntil } from './door.ts';

let server: Listening | undefined;
afterEach(() => server?.close());

const POST = { method: 'POST', headers: { 'content-type': 'application/json', accept: 'text/event-stream' }, body: '{"prompt":"hi","runId":"r1"}' };

describe('nodeListener', () => {
  it('is a listener of node:http', async () => {
    const node = createServer(nodeListener(doorOf([{ text: 'ok' }])));
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
    const response = await fetch(`${url}/runs`, POST);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(eventsIn(await response.text()).at(-1)?.type).toBe('done');
    node.closeAllConnections();
    await new Promise((resolve) => node.close(resolve));
  });
});

describe('listen', () => {
  it('streams as it comes, and notices who leaves', async () => {
    const held = heldTurn();
    server = await listen(doorOf([held.turn()]));
    const { url } = server;
    await fetch(`${url}/runs`, { ...POST, headers: { 'content-type': 'application/json' } });
    const left = new AbortController();
    const response = await fetch(`${url}/runs/r1/events`, { signal: left.signal });
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Error('no body');
    await readUntil(reader, '"text":"a"');
    const watchers = async () => ((await (await fetch(`${url}/runs/r1`)).json()) as { watchers: number }).watchers;
    expect(await watchers()).toBe(1);
    left.abort();
    while ((await watchers()) > 0) await new Promise(setImmediate);
    held.finish();
    expect(eventsIn(await (await fetch(`${url}/runs/r1/events`)).text()).at(-1)?.type).toBe('done');
  });

  it('refuses an address that others can reach where nobody checks who asks', async () => {
    for (const host of ['0.0.0.0', '::', 'example.com']) {
      await expect(listen(doorOf([]), { host })).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('Give httpHandler the option authorize') });
    }
  });

  it('rejects where the port is taken', async () => {
    server = await listen(doorOf([]));
    await expect(listen(doorOf([]), { port: Number(new URL(server.url).port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('does not listen where it cannot recover', async () => {
    const door = doorOf([]);
    let port = 0;
    const broken = Object.assign(door, { recover: () => Promise.reject(new Error('unreadable')) });
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    port = (free.address() as AddressInfo).port;
    await new Promise((resolve) => free.close(resolve));
    await expect(listen(broken, { port })).rejects.toThrow('unreadable');
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  });

  it('answers nobody before the runs of an earlier process go on', async () => {
    const free = await listen(doorOf([]));
    const port = Number(new URL(free.url).port);
    await free.close();
    const said: string[] = [];
    const door = doorOf([]);
    const recover = async (): Promise<number> => {
      void fetch(`http://127.0.0.1:${port}/runs/r1`).then(() => said.push('answered'));
      await new Promise((resolve) => setTimeout(resolve, 100));
      said.push('recovered');
      return 0;
    };
    server = await listen(Object.assign((request: Request) => door(request), door, { recover }), { port });
    while (said.length < 2) await new Promise(setImmediate);
    expect(said).toEqual(['recovered', 'answered']);
  });

  it('ends runs and watchers when it is closed', async () => {
    const own = await listen(doorOf([heldTurn().turn()]));
    const response = await fetch(`${own.url}/runs`, POST);
    const [text] = await Promise.all([response.text(), own.close()]);
    expect(eventsIn(text).at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'aborted' } });
    await expect(fetch(own.url)).rejects.toThrow();
  });
});
