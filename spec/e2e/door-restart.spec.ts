import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { from, lastValueFrom, tap, toArray } from 'rxjs';
import type { LoopEvent } from '../../lib/index.ts';
import { remoteLoop } from '../../lib/view/remote.ts';
import { verifyEvents } from '../../marbles/index.ts';

const root = join(__dirname, '../..');
const RETRY = { initialDelayMs: 20, maxDelayMs: 200 };
/** With tools; the one after them answers. */
const STEPS = 40;

interface Door {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
}

async function door(dir: string, port = 0): Promise<Door> {
  const child = spawn(process.execPath, [join(__dirname, 'door-process.mjs'), dir, String(port), String(STEPS)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => resolve(text.trim()));
    child.on('exit', (code) => reject(new Error(`The door ended with ${String(code)}.`)));
  });
  return { url: `${url}/runs`, port: Number(new URL(url).port), child };
}

async function kill({ child }: Door): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

let dir = '';
let now: Door | undefined;

beforeAll(() => {
  if (!existsSync(join(root, 'dist/lib/serve/http.js'))) execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', root]);
}, 120_000);

afterEach(async () => {
  if (now !== undefined) await kill(now);
  rmSync(dir, { recursive: true, force: true });
});

/** How often the body of a call has run. */
const bodies = (id: string): number => (existsSync(join(dir, 'ran')) ? readFileSync(join(dir, 'ran'), 'utf8').split('\n').filter((one) => one === id).length : 0);

describe('a server that is killed in the middle of a run', () => {
  it('goes on where it was, and its watchers see one run without a gap or a repeat', async () => {
    dir = mkdtempSync(join(tmpdir(), 'door-'));
    now = await door(dir);
    const { url, port } = now;
    const killAt = new Set([3, 92, 93, 260, 400]);
    let seen = 0;
    let restarting = Promise.resolve();
    const settled = new Map<string, number>();
    const answered = new Set<string>();
    const restart = async (): Promise<void> => {
      await kill(now as Door);
      for (const id of answered) settled.set(id, settled.get(id) ?? bodies(id));
      now = await door(dir, port);
    };
    const watched$ = remoteLoop({ url, body: { prompt: 'go', runId: 'r1' }, retry: RETRY }).pipe(
      tap((event) => {
        seen += 1;
        if (event.type === 'tool-result') answered.add(event.callId);
        if (killAt.has(seen)) restarting = restarting.then(restart);
      }),
      toArray(),
    );
    const watched = await lastValueFrom(watched$);
    await restarting;
    const whole = await lastValueFrom(remoteLoop({ url, runId: 'r1', retry: RETRY }).pipe(toArray()));

    await lastValueFrom(from(watched).pipe(verifyEvents()));
    expect(watched).toEqual(whole);
    expect(whole[0]).toEqual({ type: 'run-start', runId: 'r1' });
    expect(whole.at(-1)?.type).toBe('done');
    const retracted = whole.filter((event) => event.type === 'step-retract');
    const dropped = whole.filter((event) => event.type === 'tool-dropped');
    expect(retracted.length + dropped.length).toBeGreaterThan(1);
    expect(settled.size).toBeGreaterThan(0);
    for (const [id, before] of settled) expect([id, bodies(id)]).toEqual([id, before]);
    checkAttempts(whole);
    checkCalls(whole, readFileSync(join(dir, 'ran'), 'utf8').trimEnd().split('\n'), killAt.size);
  }, 120_000);
});

/** Attempts of a step count 1, 2, 3; each but the last is withdrawn. */
function checkAttempts(events: readonly LoopEvent[]): void {
  const started = events.filter((event) => event.type === 'step-start');
  const retracted = events.filter((event) => event.type === 'step-retract');
  const ended = events.filter((event) => event.type === 'step-end');
  expect(ended.map(({ step }) => step)).toEqual(Array.from({ length: STEPS + 1 }, (_, step) => step));
  for (let step = 0; step <= STEPS; step += 1) {
    const attempts = started.filter((event) => event.step === step).map(({ attempt }) => attempt);
    expect(attempts).toEqual(attempts.map((_, at) => at + 1));
    expect(retracted.filter((event) => event.step === step).map(({ attempt }) => attempt)).toEqual(attempts.slice(0, -1));
  }
}

/** Each call is told of once, has one result, and runs once more for each time that it was dropped. */
function checkCalls(events: readonly LoopEvent[], ran: readonly string[], kills: number): void {
  const of = (type: string, id: string): number => events.filter((event) => event.type === type && 'callId' in event && event.callId === id).length;
  const ids = events.flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []));
  expect(ids.length).toBe(2 * STEPS);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect([of('tool-commit', id), of('tool-result', id)]).toEqual([1, 1]);
    expect(of('tool-start', id)).toBe(1 + of('tool-dropped', id));
    const times = ran.filter((one) => one === id).length;
    expect(times).toBeGreaterThanOrEqual(1);
    // A kill may come between the beginning of a body and the writing of its start, so a body may be cut unseen, once a
    // kill. One that had settled never runs again, which is checked above.
    expect(times).toBeLessThanOrEqual(of('tool-start', id) + kills);
  }
}
