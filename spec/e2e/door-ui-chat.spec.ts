import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDoor } from './door-runs.ts';
import type { OpenDoor } from './door-runs.ts';

// Chats of the AI SDK at the door: their own transport posts to /runs, and a decision goes on with the suspended run.

interface Part {
  readonly type: string;
  readonly state?: string;
  readonly text?: string;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly toolName?: string;
  readonly data?: { readonly state?: unknown } | undefined;
}
interface Held {
  readonly name: string;
  readonly messages: readonly { readonly id: string; readonly role: string; readonly metadata?: { readonly reason?: string }; readonly parts: readonly Part[] }[];
  readonly told: readonly { readonly type: string; readonly data: unknown }[];
  readonly errors: readonly string[];
  readonly status: string;
  readonly sent: number;
}

const approve = { approved: true };
const decline = { approved: false, reason: 'No.' };

const BESIDE = [
  'text Right words', 'data-correction', 'step-start', 'text More.', 'work output-available worked', 'data-plan', 'data-chart', 'step-start', 'text Enough.', 'data-title',
];

/** `parts6`: where version 6 keeps what it cannot take back. */
const CHATS: readonly { name: string; approve?: object; output?: object; parts: string[]; parts6?: string[]; reason?: string; errors?: string[]; sent?: number }[] = [
  { name: 'plain', parts: ['step-start', 'text Hello you.'] },
  { name: 'reasoning', parts: ['step-start', 'reasoning Hm, so.', 'text Yes.'] },
  { name: 'parallel', parts: ['step-start', 'text Let me see.', 'double output-available 2', 'double output-available 4', 'step-start', 'text 2 and 4.'] },
  { name: 'failing', parts: ['step-start', 'fail output-error The tool failed (other).', 'step-start', 'text It failed.'] },
  { name: 'retry', parts: ['step-start', 'text At last.'] },
  {
    name: 'retract', parts: ['step-start', 'text Good words.'],
    parts6: ['step-start', 'text Bad words', 'double output-error The tool failed (cancelled).', 'data-retract', 'step-start', 'text Good words.'],
  },
  { name: 'correction', parts: ['step-start', 'text Half an', 'data-correction', 'step-start', 'text A whole answer.'] },
  { name: 'decision', approve, sent: 1, parts: ['step-start', 'remove output-available gone: 1', 'step-start', 'text So be it.'] },
  { name: 'decision.no', approve: decline, sent: 1, parts: ['step-start', 'remove output-denied', 'step-start', 'text So be it.'] },
  { name: 'inFlight', parts: ['step-start', 'remove output-available gone: 1', 'step-start', 'text So be it.'] },
  { name: 'place', output: { tool: 'place', value: 'Bonn' }, sent: 1, parts: ['step-start', 'place output-available Bonn', 'step-start', 'text Bonn it is.'] },
  { name: 'nested', parts: ['step-start', 'helper output-available Helped.', 'data-nested done', 'data-nested done', 'step-start', 'text All done.'] },
  {
    name: 'nestedApproval', approve, sent: 1,
    parts: ['step-start', 'helper output-available Helped.', 'data-nested done', 'remove output-available gone: 1', 'step-start', 'text All done.'],
  },
  {
    name: 'beside', parts: ['step-start', ...BESIDE],
    parts6: ['step-start', 'reasoning Wrong thought', 'text Wrong words', 'data-retract', 'step-start', ...BESIDE],
  },
  { name: 'cancel', reason: 'aborted', parts: ['step-start', 'text I begin'] },
  { name: 'error', reason: 'error', errors: ['The run failed.'], parts: ['step-start', 'text So far'] },
];

function line({ type, state, text: words, output, errorText, toolName, data }: Part): string {
  const what = words ?? errorText ?? output ?? data?.state;
  return [toolName ?? type, toolName === undefined ? undefined : state, what].filter((one) => one !== undefined).map(String).join(' ');
}

async function hold(node: string, packageName: string, url: string): Promise<ReadonlyMap<string, Held>> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(NODE_|JEST_|npm_)/.test(key)));
  const child = spawn(node, [join(__dirname, 'ui-chat.mjs'), packageName, url], { env, timeout: 60_000, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify(CHATS.map(({ name, approve: answer, output }) => ({ name, approve: answer, output }))));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (out === '') throw new Error(`The chat under ${node} printed nothing.\n${err}`);
  return new Map((JSON.parse(out) as Held[]).map((held) => [held.name, held]));
}

/** A Node of version 22 or newer; without it `ui-messages.spec.ts` says what to do. */
const node22 = execFileSync(process.execPath, [join(__dirname, 'node-22.mjs'), '--find'], { encoding: 'utf8' }).trim();
const clients = [
  { version: 7, packageName: 'ai', node: node22, format: 'ai-sdk-ui' },
  { version: 6, packageName: 'ai-v6', node: process.execPath, format: 'ai-sdk-ui-6' },
] as const;

describe.each(clients.filter(({ node }) => node !== ''))('a chat of the AI SDK $version at the door', ({ version, packageName, node, format }) => {
  let door: OpenDoor;
  let held: ReadonlyMap<string, Held> = new Map();
  beforeAll(async () => {
    door = await openDoor();
    held = await hold(node, packageName, `${door.url}?format=${format}`);
  });
  afterAll(() => door.close());

  it.each(CHATS)('holds in the end, of the run "$name", what was said', ({ name, parts, parts6 = parts, reason = 'answer', errors = [], sent = 0 }) => {
    const chat = held.get(name);
    expect({ errors: chat?.errors, sent: chat?.sent, status: chat?.status }).toEqual({ errors, sent, status: errors.length > 0 ? 'error' : 'ready' });
    const [, message, ...others] = chat?.messages ?? [];
    expect(others).toEqual([]);
    expect(message?.parts.map(line)).toEqual(version === 6 ? parts6 : parts);
    expect(message?.metadata?.reason).toBe(reason);
    // The message goes on in the run that it has begun with.
    expect(message?.id).toBe(door.runIdOf(name));
  });

  it('goes on in the log of the run that was suspended', async () => {
    const events = await door.eventsOf('decision');
    expect(events.filter(({ type }) => type === 'run-start')).toHaveLength(1);
    expect(events.flatMap((event) => (event.type === 'approval-answer' ? [event.answer] : []))).toEqual([{ type: 'approve' }]);
    expect(events.at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'answer' } });
  });

  it('hears of plan, title and status, and nothing of a secret', () => {
    const heard = held.get('beside')?.told.map(({ type }) => type) ?? [];
    expect(heard).toEqual(expect.arrayContaining(['data-plan', 'data-title', 'data-status', 'data-state', 'data-chart']));
    expect(JSON.stringify([...held.values()])).not.toContain('secret');
  });
});
