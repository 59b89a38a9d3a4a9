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
  /** The number of bytes, and the last of them; of one that reads. */
  readonly ended: Promise<{ readonly bytes: number; readonly end: string }>;
}

function watcher(port: number, reads: boolean): Watcher {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.write('GET /runs/r1/events HTTP/1.0\r\nHost: localhost\r\n\r\n');
  socket.on('error', () => undefined);
  let [bytes, end] = [0, ''];
  const begun = new Promise((resolve) => socket.once('data', resolve));
  if (reads) {
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      end = (end + chunk.toString('latin1')).slice(-100_000);
    });
  } else void begun.then(() => socket.pause());
  return { begun, ended: new Promise((resolve) => socket.on('close', () => resolve({ bytes, end }))) };
}

describe.each(['memory', 'file'])('a run with a log in %s that 500 watch, of whom half never read', (log) => {
  it('reaches all others whole, and holds little for those', async () => {
    dir = mkdtempSync(join(tmpdir(), 'door-'));
    const talker = fork(join(__dirname, 'door-talker.mjs'), [log === 'memory' ? log : dir], { execArgv: ['--expose-gc'] });
    child = talker;
    const { url } = await answerOf<{ url: string }>(talker);
    const port = Number(new URL(url).port);
    const all = Array.from({ length: WATCHERS }, (_, at) => watcher(port, at % 2 === 0));
    await Promise.all(all.map(({ begun }) => begun));
    const before = await answerOf<{ bytes: number }>(talker, 'memory');

    talker.send('talk');
    const whole = await Promise.all(all.filter((_, at) => at % 2 === 0).map(({ ended }) => ended));
    const after = await answerOf<{ bytes: number }>(talker, 'memory');

    expect(whole[0]?.bytes).toBeGreaterThan(3 * MB);
    expect(new Set(whole.map(({ bytes }) => bytes)).size).toBe(1);
    expect(whole.every(({ end }) => end.includes('"type":"done"'))).toBe(true);
    // Kept for each of them, the run would be more than 700 MB.
    expect((after.bytes - before.bytes) / MB).toBeLessThan(120);
  }, 180_000);
});
