import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { from, lastValueFrom, tap, toArray } from 'rxjs';
import { historyOf } from '../../lib/index.ts';
import type { EventOf, LoopEvent } from '../../lib/index.ts';
import { remoteLoop } from '../../lib/view/remote.ts';
import { remoteRun } from '../../lib/view/remote-run.ts';
import { verifyEvents } from '../../marbles/index.ts';

const root = join(__dirname, '../..');
const cli = join(root, 'dist/lib/serve/cli.js');
const PAGE = 'http://localhost:4200';
const headers = (): Record<string, string> => ({ origin: PAGE });
const RETRY = { initialDelayMs: 20, maxDelayMs: 200 };

interface Door {
  readonly url: string;
  readonly child: ChildProcess;
}

async function door(dir: string, port = 0): Promise<Door> {
  const words = ['serve', '--model', 'demo', '--tools', 'calculator,clock,docs/examples/demo-tools.mjs', '--cors', PAGE, '--log', dir, '--port', String(port)];
  const child = spawn(process.execPath, [cli, ...words], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  const said = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', resolve);
    child.once('exit', (code) => reject(new Error(`The door ended with ${String(code)}.`)));
  });
  return { url: said.replace(/^rx-tool-loop serves /, '').trim(), child };
}

async function kill({ child }: Door): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

let dir = '';
let now: Door;

beforeAll(async () => {
  if (!existsSync(cli)) execFileSync('npm', ['run', '--silent', 'build'], { cwd: root });
  dir = mkdtempSync(join(tmpdir(), 'demo-'));
  now = await door(dir);
}, 120_000);

afterAll(async () => {
  await kill(now);
  rmSync(dir, { recursive: true, force: true });
});

const speaker = (runId: string) => remoteRun({ url: now.url, runId, headers });

/** A whole run as a page of another origin sees it, with its grammar checked. */
async function seen(body: Readonly<Record<string, unknown>>, on: (event: LoopEvent) => void = () => undefined): Promise<readonly LoopEvent[]> {
  const run$ = remoteLoop({ url: now.url, body, headers, retry: RETRY }).pipe(tap(on), toArray());
  const events = await lastValueFrom(run$);
  await lastValueFrom(from(events).pipe(verifyEvents()), { defaultValue: undefined });
  return events;
}

const only = <Type extends LoopEvent['type']>(events: readonly LoopEvent[], type: Type): EventOf<Type>[] => events.filter((event): event is EventOf<Type> => event.type === type);
const outcome = (events: readonly LoopEvent[]): EventOf<'done'>['outcome'] | undefined => only(events, 'done').at(-1)?.outcome;

describe('the demonstration behind a door', () => {
  it('lets in the pages of one other origin, and no others', async () => {
    const asked = { method: 'OPTIONS', headers: { ...headers(), 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,last-event-id' } };
    const leave = await fetch(now.url, asked);
    expect(leave.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(leave.headers.get('access-control-allow-headers')).toContain('last-event-id');
    const post = (origin: string): Promise<Response> => fetch(now.url, { method: 'POST', headers: { origin, 'content-type': 'application/json' }, body: '{"prompt":"hi","runId":"started"}' });
    expect((await post('http://localhost:4201')).status).toBe(403);
    const started = await post(PAGE);
    expect([started.status, started.headers.get('access-control-allow-origin')]).toEqual([202, PAGE]);
  });

  it('has a title, a cost and a window for a meter', async () => {
    const events = await seen({ prompt: 'retract that' });
    expect(only(events, 'title')).toMatchObject([{ title: 'retract that' }]);
    expect(only(events, 'step-retract')).toHaveLength(1);
    expect(only(events, 'step-end')).toMatchObject([{ costUsd: expect.any(Number), context: { used: expect.any(Number), window: 8_000 } }]);
  });

  it('goes on from the last event that a page has seen', async () => {
    await seen({ prompt: 'correct', runId: 'again' });
    const read = async (more: Readonly<Record<string, string>>): Promise<string[]> => (await (await fetch(`${now.url}/again/events`, { headers: { ...headers(), ...more } })).text()).match(/^id: \d+$/gm) ?? [];
    const all = await read({});
    expect(all.length).toBeGreaterThan(10);
    expect(await read({ 'last-event-id': '7' })).toEqual(all.slice(7));
  });

  it('asks before it edits, and shows the diff', async () => {
    const events = await seen({ prompt: 'edit', runId: 'yes' }, (event) => {
      if (event.type === 'approval-request') speaker('yes').answer({ [event.id]: { type: 'approve' } }).subscribe();
    });
    expect(only(events, 'approval-request')).toMatchObject([{ kind: 'approval', call: { name: 'edit_file' } }]);
    expect(only(events, 'tool-result')[0]?.result.display?.diff).toEqual({ path: 'settings.json', oldText: '{\n  "name": "demo",\n  "limit": 10\n}\n', newText: '{\n  "name": "demo",\n  "limit": 25\n}\n' });
    const refused = await seen({ prompt: 'edit', runId: 'no' }, (event) => {
      if (event.type === 'approval-request') speaker('no').answer({ [event.id]: { type: 'decline', reason: 'Not today.' } }).subscribe();
    });
    expect(outcome(refused)?.completion.text).toContain('Not today.');
  });

  it('hears what is said while it works off its plan', async () => {
    let isSaid = false;
    const events = await seen({ prompt: 'plan', runId: 'plan' }, ({ type }) => {
      if (type !== 'plan' || isSaid) return;
      isSaid = true;
      speaker('plan').steer('Shorter, please.').subscribe();
    });
    expect(only(events, 'plan').map(({ entries }) => entries.map(({ status }) => status).join(' '))).toEqual(['in-progress pending pending', 'completed in-progress pending', 'completed completed in-progress', 'completed completed completed']);
    expect(outcome(events)?.completion.text).toBe('You said meanwhile: “Shorter, please.”\n\nAll 3 steps are done.');
  });

  it('is cancelled in the middle of a long answer, and goes on from the conversation', async () => {
    let heard = 0;
    const events = await seen({ prompt: 'long', runId: 'long' }, ({ type }) => {
      if (type === 'delta' && (heard += 1) === 5) speaker('long').cancel().subscribe();
    });
    expect(outcome(events)?.reason).toBe('aborted');
    const { messages = [], answer } = outcome(events) ?? {};
    const next = await seen({ messages: historyOf({ messages, ...(answer !== undefined && { answer }) }), prompt: 'And now calculate.' });
    expect(only(next, 'title')).toEqual([]);
    expect(only(next, 'tool-result').map(({ result }) => result.name)).toEqual(['calculator', 'clock']);
  });

  it('outlives its own end in the middle of a sub-agent, as one run', async () => {
    let restarted: Promise<void> | undefined;
    const { port } = new URL(now.url);
    const events = await seen({ prompt: 'research', runId: 'killed' }, (event) => {
      if (event.type !== 'tool-progress' || restarted !== undefined) return;
      restarted = kill(now).then(async () => {
        now = await door(dir, Number(port));
      });
    });
    await restarted;
    expect(only(events, 'tool-dropped')).toMatchObject([{ reason: 'restarted' }]);
    expect(outcome(events)?.completion.text).toMatch(/^My researcher says: Observables are good at/);
    expect(events.filter(({ parent }) => parent !== undefined).length).toBeGreaterThan(10);
  });
});
