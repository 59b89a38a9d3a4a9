import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const WATCHERS = 500;
const MB = 2 ** 20;

let child: ChildProcess | undefined;
let dir = '';
const sockets: Socket[] = [];

beforeAll(() => {
  if (!existsSync(join(root, 'dist/lib/serve/http.js'))) execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', root]);
}, 120_000);

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  const gone = new Promise((resolve) => child?.once('exit', resolve));
  child?.kill();
  await gone;
  rmSync(dir, { recursive: true, force: true });
});

function answerOf<T>(talker: ChildProcess, said?: string): Promise<T> {
  return new Promise((resolve, reject) => {
    talker.once('message', (message) => resolve(message as T));
    talker.once('exit', () => reject(new Error('The door has ended.')));
    if (said !== undefined) talker.send(said);
  });
}

interface Watcher {
  /** The answer has begun. */
  readonly begun: Promise<unknown>;
  /** The frames that one has read. */
  readonly ended: Promise<string>;
}

/** One that reads is where the run is; one that does not is 20 MB behind. */
function watcher(port: number, reads: boolean, position: number): Watcher {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.write(`GET /runs/r1/events?after=${reads ? position - 1 : 0} HTTP/1.0\r\nHost: localhost\r\n\r\n`);
  socket.on('error', () => undefined);
  let text = '';
  const begun = new Promise((resolve) => socket.once('data', resolve));
  if (reads) socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
  else void begun.then(() => socket.pause());
  // Without the headers, and the comments of a slow machine.
  const frames = (): string => text.slice(text.indexOf('\r\n\r\n') + 4).replaceAll(': alive\n\n', '');
  return { begun, ended: new Promise((resolve) => socket.on('close', () => resolve(frames()))) };
}

describe.each(['memory', 'file'])('a run with a log in %s that 500 watch, of whom half never read', (log) => {
  it('reaches all others whole, and holds little for those', async () => {
    dir = mkdtempSync(join(tmpdir(), 'door-'));
    const talker = fork(join(__dirname, 'door-talker.mjs'), [log === 'memory' ? log : dir], { execArgv: ['--expose-gc'] });
    child = talker;
    const { url, position } = await answerOf<{ url: string; position: number }>(talker);
    const port = Number(new URL(url).port);
    const all = Array.from({ length: WATCHERS }, (_, at) => watcher(port, at % 2 === 0, position));
    await Promise.all(all.map(({ begun }) => begun));
    const before = await answerOf<{ bytes: number }>(talker, 'memory');

    talker.send('talk');
    const whole = await Promise.all(all.filter((_, at) => at % 2 === 0).map(({ ended }) => ended));
    const after = await answerOf<{ bytes: number }>(talker, 'memory');

    expect(whole[0]?.length).toBeGreaterThan(200_000);
    expect(whole[0]).toContain('"type":"done"');
    expect(new Set(whole).size).toBe(1);
    // Kept for each of them, the run would be more than 5,000 MB.
    expect((after.bytes - before.bytes) / MB).toBeLessThan(120);
  }, 180_000);
});
