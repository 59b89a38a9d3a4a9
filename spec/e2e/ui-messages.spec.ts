import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import type { Observable } from 'rxjs';
import type { LoopEvent } from '../../lib/index.ts';
import { fromUiMessages, toUiMessages, UI_MESSAGE_HEADERS, uiMessageSse } from '../../lib/projections/ui-messages.ts';
import type { UiConversation, UiMessage } from '../../lib/projections/ui-messages.ts';
import { closeServers, serve } from '../support/loopback.ts';
import { realRuns, stoppable } from '../support/ui-runs.ts';
import { HostedSession } from './hosted-session.ts';
import type { HostedName } from './hosted-session.ts';

// Real runs, read by clients of both versions of the AI SDK: its chat, and what reads a stream of messages without one.

interface Part {
  readonly type: string;
  readonly state?: string;
  readonly text?: string;
  readonly output?: unknown;
  readonly [field: string]: unknown;
}
interface Held {
  readonly name: string;
  readonly messages: readonly { readonly id: string; readonly role: string; readonly metadata?: unknown; readonly parts: readonly Part[] }[];
  readonly told: readonly { readonly type: string; readonly data: unknown }[];
  readonly errors: readonly string[];
  readonly status: string;
  readonly sent: number;
}

interface Client {
  readonly version: 6 | 7;
  /** What of the package reads: the chat behind `useChat`, or the function for who has none. */
  readonly reader: (typeof READERS)[number];
}
const READERS = ['AbstractChat', 'readUIMessageStream'] as const;
const PROGRAMS = { AbstractChat: 'ui-chat.mjs', readUIMessageStream: 'ui-read.mjs' } as const;
const keyOf = ({ version, reader }: Client, name: string): string => `${version} ${reader} ${name}`;

/** Conversations with people and tools of the client; the kept session of each client goes on where its last request has stopped. */
const HOSTED = { approve: 'decision', decline: 'decision', client: 'place', inFlight: 'inFlight', nested: 'nested', nestedApproval: 'nestedApproval', host: 'beside' } as const satisfies Record<string, HostedName>;
const sessions = new Map<string, HostedSession>();
const sessionOf = (client: Client, name: keyof typeof HOSTED): HostedSession => {
  const key = keyOf(client, name);
  const session = sessions.get(key) ?? new HostedSession(HOSTED[name]);
  sessions.set(key, session);
  return session;
};
const isHosted = (name: string): name is keyof typeof HOSTED => Object.hasOwn(HOSTED, name);
const isReal = (name: string): name is keyof typeof realRuns => Object.hasOwn(realRuns, name);

function runOf(client: Client, name: string, { messages, answers }: UiConversation): Observable<LoopEvent> {
  if (isReal(name)) return realRuns[name]();
  if (!isHosted(name)) return stoppable();
  const session = sessionOf(client, name);
  return session.ask({ messages, runId: 'run1', ...(session.checkpoint !== undefined && { answers }) });
}

const chats = [
  ...Object.keys(realRuns).map((name) => ({ name })),
  { name: 'approve', approve: { approved: true } },
  { name: 'decline', approve: { approved: false, reason: 'No.' } },
  { name: 'client', output: { tool: 'place', value: 'Bonn' } },
  { name: 'inFlight' },
  { name: 'nested' },
  { name: 'nestedApproval', approve: { approved: true } },
  { name: 'host' },
  { name: 'stopped', stopAt: 'data-status' },
];

const posted = new Map<string, UiConversation[]>();
/** Chats that are stopped in the middle, by what resolves when their run has been left. */
const leaving = new Map<string, Promise<void>>();

async function answer(client: Client, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = request.url?.split('/').at(-1) ?? '';
  const { messages } = (await json(request)) as { messages: UiMessage[] };
  const conversation = fromUiMessages(messages);
  const [key, { version }] = [keyOf(client, name), client];
  posted.set(key, [...(posted.get(key) ?? []), conversation]);
  response.writeHead(200, UI_MESSAGE_HEADERS);
  const subscription = runOf(client, name, conversation).pipe(toUiMessages({ version, messageId: conversation.messageId }), uiMessageSse()).subscribe({
    next: (event) => response.write(event),
    complete: () => response.end(),
  });
  const closed = new Promise<void>((resolve) => response.on('close', resolve));
  if (!subscription.closed) leaving.set(key, closed.then(() => subscription.unsubscribe()));
}

async function hold(node: string, packageName: string, client: Client): Promise<ReadonlyMap<string, Held>> {
  const base = await serve((request, response) => void answer(client, request, response));
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(NODE_|JEST_|npm_)/.test(key)));
  const child = spawn(node, [join(__dirname, PROGRAMS[client.reader]), packageName, base], { env, timeout: 60_000, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify(chats));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (out === '') throw new Error(`The chat under ${node} printed nothing.\n${err}`);
  return new Map((JSON.parse(out) as Held[]).map((held) => [held.name, held]));
}

/** A part in a line: what a screen would make of it. */
function line({ type, state, text: words, output, errorText, toolName, data, url, mediaType }: Part): string {
  const what = words ?? errorText ?? (output === undefined ? (data ?? url ?? mediaType) : output);
  return [type, toolName, state, typeof what === 'string' ? what : JSON.stringify(what)].filter((one) => one !== undefined).join(' ');
}

const HOST = [
  'step-start', 'text done Right words', 'data-correction {"step":0,"cause":"hook","count":1,"max":10}', 'step-start', 'text done More.', 'dynamic-tool work output-available worked',
  'data-plan {"entries":[{"content":"Look","status":"completed"},{"content":"Say","status":"completed"}]}', 'data-chart {"points":3}',
  'data-steering {"parts":[{"type":"text","text":"And hurry."}]}', 'step-start', 'text done Enough.', 'data-title {"title":"A talk"}',
];

/**
 * What the assistant's message is in the end. `parts6`: where version 6 keeps what it cannot take back. `read`: without a chat a step
 * is given out with the first words in it.
 */
const EXPECTED: readonly { name: string; parts: string[]; parts6?: string[]; read?: string[]; reason?: string; errors?: string[]; sent?: number }[] = [
  { name: 'plain', reason: 'answer', parts: ['step-start', 'text done Hello there.'] },
  {
    name: 'reasoning', reason: 'answer',
    parts: ['step-start', 'reasoning done Let me see.', 'text done Yes.', 'reasoning done ', 'source-url https://example.test/a', 'file data:text/plain;base64,aGk='],
  },
  {
    name: 'replaced', reason: 'answer',
    parts: ['step-start', 'text done So:', 'reasoning done summary', 'text done Yes.'],
    parts6: ['step-start', 'text done So:', 'reasoning done secret', 'reasoning done summary', 'text done Yes.'],
  },
  {
    name: 'tools', reason: 'answer',
    parts: ['step-start', 'text done Adding.', 'dynamic-tool add output-available 3', 'dynamic-tool mul output-available 6', 'step-start', 'text done 3 and 6.'],
  },
  {
    name: 'failing', reason: 'answer',
    parts: ['step-start', 'dynamic-tool bad output-error The tool failed (other).', 'dynamic-tool nope output-error The tool failed (not-found).', 'step-start', 'text done Sorry.'],
  },
  { name: 'invalid', reason: 'answer', parts: ['step-start', 'dynamic-tool add output-error The tool failed (invalid-input).', 'step-start', 'text done Sorry.'] },
  { name: 'retry', reason: 'answer', parts: ['step-start', 'text done Back.'] },
  {
    name: 'retract', reason: 'answer',
    parts: ['step-start', 'text done Right.'],
    parts6: ['step-start', 'text done Wrong', 'dynamic-tool add output-error The tool failed (cancelled).', 'data-retract {}', 'step-start', 'text done Right.'],
  },
  { name: 'correction', reason: 'answer', parts: ['step-start', 'text done Half', 'data-correction {"step":0,"cause":"stream","count":1,"max":3}', 'step-start', 'text done Whole.'] },
  { name: 'cancel', reason: 'aborted', parts: ['step-start', 'text done Wait.', 'dynamic-tool slow output-error The tool failed (cancelled).', 'step-start'] },
  { name: 'error', reason: 'error', errors: ['The run failed.'], parts: ['step-start', 'text done Half', 'dynamic-tool add output-error The tool failed (cancelled).'] },
  // The empty step keeps the chat from sending the results again, for ever.
  { name: 'limit', reason: 'max-steps', parts: ['step-start', 'dynamic-tool add output-available 3', 'dynamic-tool mul output-available 6', 'step-start'] },
  { name: 'approve', reason: 'answer', sent: 1, parts: ['step-start', 'dynamic-tool remove output-available gone: 1', 'step-start', 'text done So be it.'] },
  { name: 'decline', reason: 'answer', sent: 1, parts: ['step-start', 'dynamic-tool remove output-denied', 'step-start', 'text done So be it.'] },
  { name: 'client', reason: 'answer', sent: 1, parts: ['step-start', 'dynamic-tool place output-available Bonn', 'step-start', 'text done Bonn it is.'] },
  { name: 'inFlight', reason: 'answer', parts: ['step-start', 'dynamic-tool remove output-available gone: 1', 'step-start', 'text done So be it.'] },
  {
    name: 'nested', reason: 'answer',
    parts: [
      'step-start', 'dynamic-tool helper output-available Helped.',
      'data-nested {"runId":"run-1","parent":{"runId":"run1","callId":"c1"},"name":"helper","state":"done","steps":2,"reason":"answer","text":"Helped.","usage":{"inputTokens":30,"outputTokens":6}}',
      'data-nested {"runId":"run-2","parent":{"runId":"run-1","callId":"d1"},"name":"looker","state":"done","steps":1,"reason":"answer","text":"Seen.","usage":{"inputTokens":10,"outputTokens":2}}',
      'step-start', 'text done All done.',
    ],
  },
  {
    name: 'nestedApproval', reason: 'answer', sent: 1,
    parts: [
      'step-start', 'dynamic-tool helper output-available Helped.',
      'data-nested {"runId":"run-1","parent":{"runId":"run1","callId":"c1"},"state":"done","steps":1,"reason":"answer","text":"Helped.","usage":{"inputTokens":20,"outputTokens":4}}',
      'dynamic-tool remove output-available gone: 1', 'step-start', 'text done All done.',
    ],
  },
  { name: 'host', reason: 'answer', parts: HOST, parts6: ['step-start', 'reasoning done Wrong thought', 'text done Wrong words', 'data-retract {}', ...HOST] },
  { name: 'stopped', parts: ['step-start'], read: [] },
];

/** A Node of version 22 or newer; empty where there is none. */
const node22 = execFileSync(process.execPath, [join(__dirname, 'node-22.mjs'), '--find'], { encoding: 'utf8' }).trim();
const HOW = 'There is no Node 22 for the AI SDK 7: fetch one with "node spec/e2e/node-22.mjs".';

describe('the AI SDK 7', () => {
  it(node22 === '' ? 'is NOT tried: there is no Node 22' : 'has the Node 22 that it needs', () => {
    if (node22 === '' && process.env['CI']) throw new Error(HOW);
    if (node22 === '') console.warn(HOW);
  });
});

const packages = [
  { version: 7, packageName: 'ai', node: node22 },
  { version: 6, packageName: 'ai-v6', node: process.execPath },
] as const;

describe.each(packages.filter(({ node }) => node !== ''))('the AI SDK $version', ({ version, packageName, node }) => {
  const heldBy = new Map<string, ReadonlyMap<string, Held>>();

  beforeAll(async () => {
    for (const reader of READERS) heldBy.set(reader, await hold(node, packageName, { version, reader }));
  });
  afterAll(closeServers);

  it.each(EXPECTED.filter(({ read }) => read === undefined))('holds the same message of the run "$name" with a chat and without one', ({ name }) => {
    const [chat, read] = READERS.map((reader) => heldBy.get(reader)?.get(name)?.messages.slice(1));
    expect(chat).toHaveLength(1);
    expect(read).toEqual(chat);
  });

  describe.each(READERS)('read by %s', (reader) => {
    const client: Client = { version, reader };
    const heldOf = (name: string): Held | undefined => heldBy.get(reader)?.get(name);

    it.each(EXPECTED)('holds in the end, of the run "$name", what was said', ({ name, reason, parts, parts6 = parts, read, errors = [], sent = 0 }) => {
      const chat = heldOf(name);
      const [user, ...answers] = chat?.messages ?? [];
      expect(user?.role).toBe('user');
      expect(answers).toHaveLength(1);
      expect(answers[0]?.parts.map(line)).toEqual(reader === 'readUIMessageStream' && read !== undefined ? read : version === 6 ? parts6 : parts);
      expect(answers[0]?.id).toBe('run1');
      expect((answers[0]?.metadata as { reason?: string } | undefined)?.reason).toBe(reason);
      expect({ errors: chat?.errors, sent: chat?.sent }).toEqual({ errors, sent });
      expect(chat?.status).toBe(errors.length > 0 ? 'error' : 'ready');
    });

    it('hears what passes by, and keeps none of it', () => {
      const heard = (name: string): string[] => heldOf(name)?.told.map(({ type, data }) => `${type} ${JSON.stringify(data)}`) ?? [];
      expect(heard('retry')).toEqual(['data-retry {"step":0,"attempt":1,"count":1,"max":3,"delayMs":1}']);
      const before = version === 6 ? ['data-retract {}'] : [];
      expect(heard('host')).toEqual([
        ...before, 'data-correction {"step":0,"cause":"hook","count":1,"max":10}', 'data-status {"text":"Looking"}',
        'data-plan {"entries":[{"content":"Look","status":"in-progress"},{"content":"Say","status":"pending"}]}', 'data-state {"patch":[{"op":"add","path":"/seen","value":1}]}',
        'data-chart {"points":3}', 'data-plan {"entries":[{"content":"Look","status":"completed"},{"content":"Say","status":"completed"}]}', 'data-status {"text":""}',
        'data-steering {"parts":[{"type":"text","text":"And hurry."}]}', 'data-compaction {"removed":5,"kept":1}', 'data-title {"title":"A talk"}',
      ]);
      expect(heard('nested').filter((told) => told.startsWith('data-nested-chunk')).length).toBeGreaterThan(5);
    });

    it('answers what was asked, once each', () => {
      const answers = (name: string): unknown[] => posted.get(keyOf(client, name))?.map((one) => one.answers) ?? [];
      expect(answers('approve')).toEqual([{}, { 'request-1': { type: 'approve' } }]);
      expect(answers('decline')).toEqual([{}, { 'request-1': { type: 'decline', reason: 'No.' } }]);
      expect(answers('client')).toEqual([{}, { 'request-1': { type: 'result', content: [{ type: 'text', text: 'Bonn' }] } }]);
    });

    it('leaves the run when it is stopped', async () => {
      expect(heldOf('stopped')?.status).toBe('ready');
      expect(leaving.has(keyOf(client, 'stopped'))).toBe(true);
      await leaving.get(keyOf(client, 'stopped'));
    });

    it('shows nothing of a secret in an error', () => {
      expect(JSON.stringify([...(heldBy.get(reader) ?? [])])).not.toMatch(/hunter2|sk-1/);
    });
  });
});
