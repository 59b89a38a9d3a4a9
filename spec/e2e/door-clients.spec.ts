import { HttpAgent } from '@ag-ui/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { throwError } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { ScriptedTurn } from '../../lib/deltas/scripted.ts';
import { defineTool, ModelError } from '../../lib/index.ts';
import type { Tool } from '../../lib/index.ts';
import { agUiFormat } from '../../lib/projections/ag-ui.ts';
import { uiMessageFormat } from '../../lib/projections/ui-messages.ts';
import { httpHandler } from '../../lib/serve/http.ts';
import { listen } from '../../lib/serve/node-listener.ts';
import { remoteRun } from '../../lib/view/remote.ts';
import * as z from 'zod';
import { hear } from '../support/ag-ui-client.ts';
import type { Heard } from '../support/ag-ui-client.ts';

// The protocols' own clients at the door: they read its formats, and ask for a run in its words. In their own words: door-ag-ui and door-ui-chat.

const input = z.object({ n: z.number() });
const tools: readonly Tool[] = [
  defineTool({ name: 'double', description: 'Doubles.', input, parallelSafe: true, run: ({ n }) => 2 * n }),
  defineTool({ name: 'fail', description: 'Fails.', input, run: () => throwError(() => new Error('secret')) }),
  defineTool({ name: 'remove', description: 'Removes.', input, needsApproval: true, run: () => 'gone' }),
];
const calls = (...names: readonly string[]): ScriptedTurn => ({ calls: names.map((name, at) => ({ name, id: `c${at}`, arguments: { n: at + 1 } })) });
const busy = new ModelError('model-http', 'Busy: secret.', { status: 503, retryable: true });
const turns: Readonly<Record<string, readonly ScriptedTurn[]>> = {
  tools: [calls('double', 'double', 'fail'), { text: '2 and 4.' }],
  retry: [{ error: busy }, { reasoning: 'Hm.', text: 'At last.' }],
  approval: [calls('remove'), { text: 'It is gone.' }],
  error: [{ text: 'So far', error: new ModelError('model-http', 'No credit: secret.', { status: 402 }) }],
};

let server: Awaited<ReturnType<typeof listen>> | undefined;
let url = '';
beforeAll(async () => {
  const handler = httpHandler({
    start: ({ threadId = '' }) => ({ model: scripted(turns[threadId] ?? []), tools, retry: { initialDelayMs: 1, jitter: 0 } }),
    formats: { 'ag-ui': agUiFormat(), ui7: uiMessageFormat(), ui6: uiMessageFormat({ version: 6 }) },
  });
  server = await listen(handler);
  ({ url } = server);
});
afterAll(() => server?.close());

/** Asks as any program does, so that an open request holds the run. */
class DoorAgent extends HttpAgent {
  override requestInit(asked: Parameters<HttpAgent['requestInit']>[0]): RequestInit {
    const { threadId, messages } = asked;
    return { ...super.requestInit(asked), body: JSON.stringify({ prompt: messages.at(-1)?.content, threadId }) };
  }
}

describe('an AG-UI client at the door', () => {
  const ask = (name: string, onCustom: (value: { id: string; runId: string }) => void = () => undefined): Promise<Heard> => {
    const agent = new DoorAgent({ url: `${url}/runs?format=ag-ui`, threadId: name, initialMessages: [{ id: 'm1', role: 'user', content: 'go' }] });
    let runId = '';
    agent.subscribe({
      onRunStartedEvent: ({ event }) => void (runId = event.runId),
      onCustomEvent: ({ event }) => { if (event.name === 'approval-request') onCustom({ id: (event.value as { id: string }).id, runId }); },
    });
    return hear(agent);
  };
  const said = ({ messages }: Heard): unknown[] => messages.flatMap((one) => (one.role === 'activity' || one.content === undefined ? [] : [`${one.role}: ${String(one.content)}`]));

  it('holds the results of two tools, and of one that failed, masked', async () => {
    const heard = await ask('tools');
    expect(heard.warnings).toEqual([]);
    expect(said(heard)).toEqual(['user: go', 'tool: 2', 'tool: 4', 'tool: The tool failed (other).', 'assistant: 2 and 4.']);
    expect(heard.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', threadId: 'tools', outcome: { type: 'success' } });
  });

  it('hears of a retry', async () => {
    const heard = await ask('retry');
    expect(heard.events).toContainEqual(expect.objectContaining({ type: 'CUSTOM', name: 'retry' }));
    expect(said(heard)).toEqual(['user: go', 'reasoning: Hm.', 'assistant: At last.']);
  });

  it('goes on once an open request is answered', async () => {
    const heard = await ask('approval', ({ id, runId }) => void remoteRun({ url: `${url}/runs`, runId }).answer({ [id]: { type: 'approve' } }).subscribe());
    expect(said(heard)).toEqual(['user: go', 'tool: gone', 'assistant: It is gone.']);
    expect(heard.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
  });

  it('hears the end of a failed run, and nothing of a secret', async () => {
    const heard = await ask('error');
    expect(heard.events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'model-http' });
    expect(JSON.stringify(heard.events)).not.toContain('secret');
  });
});

const node22 = execFileSync(process.execPath, [join(__dirname, 'node-22.mjs'), '--find'], { encoding: 'utf8' }).trim();
const clients = [
  { version: 7, packageName: 'ai', node: node22 },
  { version: 6, packageName: 'ai-v6', node: process.execPath },
].filter(({ node }) => node !== '');

it(node22 === '' ? 'is NOT tried with the AI SDK 7: there is no Node 22' : 'has the Node 22 that the AI SDK 7 needs', () => {
  if (node22 === '' && process.env['CI']) throw new Error('There is no Node 22 for the AI SDK 7: fetch one with "node spec/e2e/node-22.mjs".');
});

interface Held {
  readonly name: string;
  readonly status: string;
  readonly errors: readonly string[];
  readonly messages: readonly { readonly parts: readonly { readonly type: string; readonly text?: string; readonly state?: string }[] }[];
}

describe.each(clients)('a chat of the AI SDK $version at the door', ({ version, packageName, node }) => {
  it('holds what was said, and an error where the run fails', async () => {
    const names = ['tools', 'retry', 'error'];
    const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(NODE_|JEST_|npm_)/.test(key)));
    const child = spawn(node, [join(__dirname, 'ui-chat.mjs'), packageName, url], { env, timeout: 60_000, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.end(JSON.stringify(names.map((name) => ({ name, door: `ui${version}` }))));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (out === '') throw new Error(`The chat under ${node} printed nothing.\n${err}`);
    const held = JSON.parse(out) as Held[];
    const partsOf = (at: number): string[] => held[at]?.messages.at(-1)?.parts.map(({ type, state = '', text: words = '' }) => [type, state, words].filter((one) => one !== '').join(' ')) ?? [];
    expect(partsOf(0)).toEqual(['step-start', 'dynamic-tool output-available', 'dynamic-tool output-available', 'dynamic-tool output-error', 'step-start', 'text done 2 and 4.']);
    expect(partsOf(1)).toEqual(['step-start', 'reasoning done Hm.', 'text done At last.']);
    expect(held.map(({ status }) => status)).toEqual(['ready', 'ready', 'error']);
    expect(held[2]?.errors).toEqual(['The run failed.']);
    expect(out).not.toContain('secret');
  });
});
