import { afterEach, describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import { asyncScheduler, lastValueFrom, of, tap } from 'rxjs';
import { anthropic } from '../../lib/deltas/anthropic.ts';
import type { Delta, DeltaOf } from '../../lib/delta.ts';
import type { ModelError } from '../../lib/errors.ts';
import { toolLoop, userMessage } from '../../lib/index.ts';
import type { LoopEvent, RunError, Tool } from '../../lib/index.ts';
import { fakeTool, verifyEvents } from '../../marbles/index.ts';
import { checkCorpus, corpusNotice, fixtures, foldersOf, recordings } from '../support/corpus.ts';
import type { Recording } from '../support/corpus.ts';
import { closeServers, serve } from '../support/loopback.ts';
import { transcriptFaults } from '../support/valid-transcript.ts';
import { sessionServer } from './session-server.ts';
import type { SessionServer } from './session-server.ts';

const recorded = recordings('anthropic-messages', foldersOf('anthropic-messages'));
const bodies = [...fixtures('anthropic'), ...recorded];

let server: SessionServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  await closeServers();
});

/** What one client makes of a body. Of a call that was cut the input is a guess, so that it is left out. */
interface Said {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input?: unknown }[];
  readonly usage: Readonly<Record<string, number | undefined>>;
  readonly stop: string | undefined;
  readonly id: string | undefined;
  readonly model: string | undefined;
}

function deltasOf<Type extends Delta['type']>(deltas: readonly Delta[], type: Type): DeltaOf<Type>[] {
  return deltas.filter((delta): delta is DeltaOf<Type> => delta.type === type);
}

async function ours(baseUrl: string, stream: boolean): Promise<Said> {
  const deltas: Delta[] = [];
  const request = { system: undefined, messages: [userMessage('hi')], tools: [], toolChoice: 'auto', options: {}, demand: undefined, scheduler: asyncScheduler, ids: () => 'made' } as const;
  await lastValueFrom(anthropic({ model: 'm', baseUrl, stream }).stream(request).pipe(tap((delta) => deltas.push(delta))));
  const finish = deltasOf(deltas, 'finish')[0];
  const reported = deltasOf(deltas, 'usage').at(-1)?.reported ?? {};
  return {
    text: deltasOf(deltas, 'text').map(({ text }) => text).join(''),
    calls: deltasOf(deltas, 'tool-call-start').map(({ index, id, name }) => {
      const end = deltasOf(deltas, 'tool-call-end').find((delta) => delta.index === index);
      return { id, name, ...(end && { input: end.call.arguments }) };
    }),
    usage: {
      input: reported['input_tokens'],
      output: reported['output_tokens'],
      cachedRead: reported['cache_read_input_tokens'],
      cachedWrite: reported['cache_creation_input_tokens'],
      reasoning: reported['output_tokens_details.thinking_tokens'],
    },
    stop: finish?.rawFinish,
    id: finish?.ids?.response,
    model: finish?.model,
  };
}

async function theirs(baseURL: string, stream: boolean, isCut: (id: string) => boolean): Promise<Said> {
  const client = new Anthropic({ baseURL, apiKey: 'key-of-the-test', maxRetries: 0 });
  const asked = { model: 'm', max_tokens: 8_192, messages: [{ role: 'user' as const, content: 'hi' }] };
  const message = stream ? await client.messages.stream(asked).finalMessage() : await client.messages.create(asked);
  const { usage } = message;
  return {
    text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: message.content.flatMap((block) => (block.type === 'tool_use' ? [{ id: block.id, name: block.name, ...(!isCut(block.id) && { input: block.input }) }] : [])),
    usage: {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cachedRead: usage.cache_read_input_tokens ?? undefined,
      cachedWrite: usage.cache_creation_input_tokens ?? undefined,
      reasoning: usage.output_tokens_details?.thinking_tokens,
    },
    stop: message.stop_reason ?? undefined,
    id: message.id,
    model: message.model,
  };
}

/** The SDK drops a last event without a blank line behind it, and with it the answer. */
const isWhole = ({ body }: Recording): boolean => /(\n\n|\r\n\r\n|^\{[^]*)$/.test(Buffer.from(body).toString('latin1'));

function serveBody(body: Uint8Array): Promise<string> {
  const type = body[0] === '{'.charCodeAt(0) ? 'application/json' : 'text/event-stream';
  return serve((_request, response) => response.writeHead(200, { 'content-type': type }).end(body));
}

describe('the SDK of the provider and the adapter', () => {
  it(corpusNotice(), () => {
    expect(checkCorpus).not.toThrow();
  });

  it('differ in one body of this repository', () => {
    expect(fixtures('anthropic').filter((one) => !isWhole(one)).map(({ id }) => id)).toEqual(['fixtures/no-blank-line-at-end']);
  });

  it.each(bodies.filter((one) => one.expected.error === null && isWhole(one)))('read $id alike', async ({ body, expected }) => {
    const url = await serveBody(body);
    const stream = body[0] !== '{'.charCodeAt(0);
    const isCut = (id: string): boolean => expected.toolCalls.some((call) => call.id === id && call.argumentsText !== undefined);
    expect(await ours(url, stream)).toEqual(await theirs(url, stream, isCut));
  });

  it.each(bodies.filter(({ expected }) => expected.error !== null))('both fail with $id', async ({ body, expected }) => {
    const url = await serveBody(body);
    await expect(theirs(url, true, () => false)).rejects.toThrow();
    const error = await ours(url, true).catch((caught: ModelError) => caught);
    expect(error).toMatchObject({ code: 'model-stream', type: expected.error?.type });
  });
});

interface Session {
  readonly id: string;
  readonly steps: readonly Recording[];
  /** Call id to what its tool gave back. */
  readonly results: Readonly<Record<string, string>>;
}

type Sent = readonly { readonly id: string; readonly content: string | readonly { readonly text?: string }[] }[];

/** The recordings of this wire keep a result as a text or as blocks of it. */
function sentNext(step: Recording): [id: string, text: string][] {
  const sent = (step.session?.toolResultsSentNext ?? []) as unknown as Sent;
  return sent.map(({ id, content }) => [id, typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('')]);
}

function recordedSessions(): Session[] {
  const ids = [...new Set(recorded.flatMap(({ session }) => (session === undefined ? [] : [session.id])))];
  return ids.map((id) => {
    const steps = recorded.filter(({ session }) => session?.id === id).sort((a, b) => (a.session?.step ?? 0) - (b.session?.step ?? 0));
    return { id, steps, results: Object.fromEntries(steps.flatMap(sentNext)) };
  });
}

/** The same kind of session from the bodies of this repository. */
function own(id: string, names: readonly string[], results: Session['results']): Session {
  const all = fixtures('anthropic');
  return { id, results, steps: names.map((name) => all.find((one) => one.id === `fixtures/${name}`) as Recording) };
}

const sessions = [
  own('fixtures/parallel-session', ['parallel-calls', 'text'], { toolu_a1: '5', toolu_b2: 'artless' }),
  own('fixtures/thinking-session', ['thinking-call', 'server-tool'], { toolu_v: '1.0' }),
  ...recordedSessions(),
];

const toolsOf = ({ steps, results }: Session): Tool[] =>
  [...new Set(steps.flatMap(({ expected }) => expected.toolCalls.map(({ name }) => name)))].map((name) => ({
    ...fakeTool(of(''), { name }),
    run: (_args: unknown, { callId }: { callId: string }) => results[callId],
  }));

interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

type Turns = readonly { readonly role: string; readonly content: readonly Block[] }[];

function turnsOf(request: Record<string, unknown> | undefined): Turns {
  return request?.['messages'] as Turns;
}

/** The blocks that come from the answer of a step, in its order, as its expectation tells them. */
function expectTurn(turn: Turns[number] | undefined, { expected }: Recording): void {
  expect(turn?.role).toBe('assistant');
  const blocks = turn?.content ?? [];
  expect(blocks.map(({ type, text }) => (type === 'text' ? text : '')).join('')).toBe(expected.text);
  expect(blocks.map(({ type, thinking }) => (type === 'thinking' ? thinking : '')).join('')).toBe(expected.reasoningSigned === true ? expected.reasoning : '');
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(({ id, name, input }) => ({ id, name, arguments: input }));
  expect(calls).toEqual(expected.toolCalls);
  expect(blocks.filter(({ type }) => type.endsWith('thinking')).every(({ signature, data }) => typeof (signature ?? data) === 'string')).toBe(true);
}

describe('recorded sessions over loopback HTTP', () => {
  it.each(sessions)('$id runs to its end, and each of its requests pairs every call so far, in order', async (one) => {
    const { steps, results } = one;
    const wanted = steps.map(({ expected }) => expected);
    server = await sessionServer(steps.map(({ body }) => body));
    const events: LoopEvent[] = [];
    const model = anthropic({ model: 'recorded', baseUrl: server.baseUrl, apiKey: 'key-of-the-test' });
    await lastValueFrom(toolLoop({ model, tools: toolsOf(one), prompt: 'Go on.' }).pipe(verifyEvents(), tap((event) => events.push(event))));

    const { outcome } = events.at(-1) as Extract<LoopEvent, { type: 'done' }>;
    expect(outcome).toMatchObject({ reason: 'answer', completion: { text: wanted.at(-1)?.text } });
    expect(events.flatMap((event) => (event.type === 'tool-call' ? [{ id: event.callId, name: event.call.name, arguments: event.call.arguments }] : []))).toEqual(
      wanted.flatMap(({ toolCalls }) => toolCalls),
    );
    expect(outcome.steps.map(({ usage }) => [usage.inputTokens, usage.outputTokens])).toEqual(
      wanted.map(({ usage }) => [(usage.input ?? 0) + (usage.cachedRead ?? 0) + (usage.cachedWrite ?? 0), usage.output]),
    );
    expect(events.filter(({ type }) => type === 'status' || type === 'retry')).toEqual([]);
    expect(transcriptFaults(outcome.messages)).toEqual([]);

    expect(server.requests).toHaveLength(steps.length);
    for (const [at, request] of server.requests.entries()) {
      const turns = turnsOf(request);
      expect(turns.map(({ role }) => role)).toEqual(Array.from({ length: 2 * at + 1 }, (_, n) => (n % 2 === 0 ? 'user' : 'assistant')));
      for (const [n, step] of steps.slice(0, at).entries()) {
        expectTurn(turns[2 * n + 1], step);
        const answered = turns[2 * n + 2]?.content.map(({ tool_use_id: id, content }) => [id, (content as Block[]).map(({ text }) => text).join('')]);
        expect(answered).toEqual(step.expected.toolCalls.map(({ id }) => [id, results[id as string]]));
        if (step.session?.toolResultsSentNext !== undefined) expect(answered).toEqual(sentNext(step));
      }
      // What was sent before is sent again byte for byte: the provider's cache finds it.
      const before = turnsOf(server.requests[at - 1]) ?? [];
      expect(JSON.stringify(turns.slice(0, before.length))).toBe(JSON.stringify(before));
    }
  });

  it('goes on with a paused turn as the start of the next answer', async () => {
    const [paused, text] = ['pause', 'text'].map((name) => bodies.find(({ id }) => id === `fixtures/${name}`) as Recording);
    server = await sessionServer([paused, text].map((step) => (step as Recording).body));
    const model = anthropic({ model: 'recorded', baseUrl: server.baseUrl });
    const done = await lastValueFrom(toolLoop({ model, prompt: 'Go on.' }).pipe(verifyEvents()));
    expect(done).toMatchObject({ type: 'done', outcome: { reason: 'answer', completion: { text: text?.expected.text } } });
    const turns = turnsOf(server.requests[1]);
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(turns[1]?.content).toEqual([
      { type: 'text', text: 'Searching.' },
      { type: 'server_tool_use', id: 'srvtoolu_2', name: 'web_search', input: { query: 'x' } },
    ]);
  });

  it.each(sessions)('$id fails as a broken exchange wherever its last body breaks off, with messages that can be sent', async (one) => {
    const last = one.steps.at(-1)?.body ?? new Uint8Array();
    const whole = Buffer.from(last).lastIndexOf('message_stop');
    for (const share of [0, 0.2, 0.5, 0.9, 1]) {
      const all = [...one.steps.slice(0, -1).map(({ body }) => body), last.subarray(0, Math.floor(share * whole))];
      server = await sessionServer(all);
      const model = anthropic({ model: 'recorded', baseUrl: server.baseUrl });
      const run$ = toolLoop({ model, tools: toolsOf(one), prompt: 'Go on.', preset: 'strict' });
      const error = await lastValueFrom(run$.pipe(verifyEvents())).then(() => undefined, (caught: RunError) => caught);
      expect([share, error?.code]).toEqual([share, 'model-transport']);
      expect(transcriptFaults(error?.run.messages ?? [])).toEqual([]);
      await server.close();
    }
  });
});
