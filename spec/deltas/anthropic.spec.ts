import { afterEach, describe, expect, it } from '@jest/globals';
import { NEVER, of, Subject, take } from 'rxjs';
import { anthropic } from '../../lib/deltas/anthropic.ts';
import type { AnthropicOptions } from '../../lib/deltas/anthropic.ts';
import type { Delta } from '../../lib/delta.ts';
import { ConfigError } from '../../lib/errors.ts';
import type { ModelRequest } from '../../lib/model.ts';
import { answerOf } from '../support/answer-of.ts';
import { fixtures } from '../support/corpus.ts';
import { fakedFetch } from '../support/faked-fetch.ts';
import { closeServers, serve } from '../support/loopback.ts';
import { modelRequest } from '../support/model-request.ts';

const request = modelRequest();

afterEach(closeServers);

const outcomeOf = (options: AnthropicOptions, change?: Partial<ModelRequest>): ReturnType<typeof answerOf> => answerOf(anthropic(options), change);

const TEXT = 'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}\n\n';
const STOP = 'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\ndata: {"type":"message_stop"}\n\n';
const types = (deltas: readonly Delta[]): string[] => deltas.map(({ type }) => type).filter((type) => type !== 'alive');

describe('anthropic', () => {
  it('says who it is', () => {
    expect(anthropic({ model: 'm' })).toMatchObject({
      id: 'm',
      provider: 'anthropic',
      capabilities: ['tools', 'parallel-tools', 'images', 'files', 'reasoning'],
      imageLimits: { count: 100, bytes: 5_242_880 },
    });
    const other = { provider: 'local', capabilities: [], imageLimits: { count: 1 } } as const;
    expect(anthropic({ model: 'm', ...other })).toMatchObject(other);
  });

  it.each([
    ['https://api.anthropic.com', undefined],
    ['https://x.test', 'https://x.test'],
    ['https://x.test', 'https://x.test/v1'],
    ['http://127.0.0.1:1234/api/anthropic', 'http://127.0.0.1:1234/api/anthropic//#part'],
    ['https://x.test/a', 'https://x.test/a/v1/'],
  ])('posts to %s/v1/messages', async (base, baseUrl) => {
    const { fetch, calls } = fakedFetch(STOP);
    await outcomeOf({ model: 'm', fetch, ...(baseUrl !== undefined && { baseUrl }) });
    expect(calls.map(([url]) => url)).toEqual([`${base}/v1/messages`]);
  });

  it('keeps the query of the base URL', async () => {
    const { fetch, calls } = fakedFetch(STOP);
    await outcomeOf({ model: 'm', fetch, baseUrl: 'https://x.test/d?beta=true' });
    expect(calls[0]?.[0]).toBe('https://x.test/d/v1/messages?beta=true');
  });

  it('sends its headers, the key, and more headers that replace its own', async () => {
    const { fetch, calls } = fakedFetch(STOP);
    await outcomeOf({ model: 'm', fetch, apiKey: 'k', headers: { Accept: '*/*', 'X-Title': 't' } });
    await outcomeOf({ model: 'm', fetch, apiKey: 'k', headers: { 'X-Api-Key': 'l' }, version: '2030-01-01', betas: ['a-1', 'b-2'] });
    await outcomeOf({ model: 'm', fetch, apiKey: '', betas: [], stream: false });
    const base = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
    const stream = { accept: 'text/event-stream' };
    expect(calls.map(([, init]) => init.headers)).toEqual([
      { ...base, accept: '*/*', 'x-title': 't', 'x-api-key': 'k' },
      { ...base, ...stream, 'anthropic-version': '2030-01-01', 'anthropic-beta': 'a-1,b-2', 'x-api-key': 'l' },
      { ...base, accept: 'application/json' },
    ]);
  });

  it('asks for 8,192 tokens at most, for as many as it is told, and for a request as that says', async () => {
    const { fetch, calls } = fakedFetch(STOP);
    await outcomeOf({ model: 'm', fetch });
    await outcomeOf({ model: 'm', fetch, maxTokens: 7 });
    await outcomeOf({ model: 'm', fetch, maxTokens: 7, body: { metadata: {} } }, { options: { maxTokens: 9 } });
    const bodies = calls.map(([, init]) => JSON.parse(init.body as string) as Record<string, unknown>);
    expect(bodies.map((body) => body['max_tokens'])).toEqual([8_192, 7, 9]);
    expect(bodies.map((body) => 'metadata' in body)).toEqual([false, false, true]);
  });

  it.each<[name: string, options: AnthropicOptions, words: RegExp]>([
    ['no model', {} as AnthropicOptions, /needs `model`/],
    ['an empty model', { model: '' }, /needs `model`/],
    ['a base URL that is none', { model: 'm', baseUrl: 'api.anthropic.com' }, /`baseUrl` is no URL/],
    ['another protocol', { model: 'm', baseUrl: 'ftp://x.test' }, /begins with ftp:/],
    ['a password in the base URL', { model: 'm', baseUrl: 'https://u:p@x.test' }, /`headers`/],
    ['no tokens', { model: 'm', maxTokens: 0 }, /`maxTokens` is 0/],
    ['half a token', { model: 'm', maxTokens: 1.5 }, /`maxTokens` is 1.5/],
    ['a body that is none', { model: 'm', body: null as never }, /`body`/],
    ['a body with messages', { model: 'm', body: { messages: [] } }, /`body.messages`/],
    ['a body with stream', { model: 'm', body: { stream: false } }, /`body.stream`/],
    ['a key over two lines', { model: 'm', apiKey: 'secret-a\nb' }, /`apiKey` cannot be sent/],
    ['a header that is none', { model: 'm', headers: { 'x y': 'secret-a' } }, /the header "x y" cannot be sent/],
    ['a beta that is no header', { model: 'm', betas: ['\u0100'] }, /`betas` cannot be sent/],
    ['a version that is no header', { model: 'm', version: 'a\nb' }, /`version` cannot be sent/],
  ])('refuses %s at once', (_name, options, words) => {
    expect(() => anthropic(options)).toThrow(ConfigError);
    expect(() => anthropic(options)).toThrow(words);
    expect(() => anthropic(options)).not.toThrow(/secret/);
  });

  it('asks anew for each subscriber, and not before', async () => {
    const { fetch, calls } = fakedFetch(TEXT + STOP);
    const answer$ = anthropic({ model: 'm', fetch }).stream(request);
    expect(calls).toHaveLength(0);
    for (const _ of [1, 2]) await new Promise<void>((resolve) => answer$.subscribe({ complete: resolve }));
    expect(calls).toHaveLength(2);
  });

  it('warns of each option that does not reach the model, before everything else', async () => {
    const { fetch } = fakedFetch(TEXT + STOP);
    const { deltas } = await outcomeOf({ model: 'm', fetch }, { options: { seed: 1, responseFormat: 'json' } });
    expect(deltas.slice(0, 2)).toEqual([
      { type: 'warning', text: expect.stringMatching(/seed.* m/), data: { option: 'seed', model: 'm' } },
      { type: 'warning', text: expect.stringMatching(/responseFormat.* m/), data: { option: 'responseFormat', model: 'm' } },
    ]);
    expect(types(deltas)).toEqual(['warning', 'warning', 'text', 'finish']);
  });

  it('refuses them where options are strict, without asking', async () => {
    const { fetch, calls } = fakedFetch(TEXT + STOP);
    const { deltas, error } = await outcomeOf({ model: 'm', fetch, strictOptions: true }, { options: { seed: 1, responseFormat: 'json' } });
    expect(error).toMatchObject({ code: 'unsupported', message: expect.stringMatching(/seed.*responseFormat/) });
    expect([deltas, calls]).toEqual([[], []]);
    expect((await outcomeOf({ model: 'm', fetch, strictOptions: true }, { options: { temperature: 1 } })).error).toBeUndefined();
  });

  it('fails with what the wire cannot carry, without asking', async () => {
    const { fetch, calls } = fakedFetch(STOP);
    const messages = [{ role: 'user', content: [{ type: 'file', mediaType: 'application/zip', data: 'AA==' }] }] as const;
    expect((await outcomeOf({ model: 'm', fetch }, { messages })).error).toMatchObject({ code: 'unsupported' });
    expect(calls).toEqual([]);
  });

  it('gives the same deltas for an answer in one piece, compact or not', async () => {
    const [compact, pretty] = fixtures('anthropic').filter(({ id }) => id.startsWith('fixtures/in-one-piece'));
    const read = async (body: Uint8Array | undefined): Promise<Delta[]> => {
      const { fetch, calls } = fakedFetch(body ?? '', { headers: { 'content-type': 'application/json' } });
      const { deltas } = await outcomeOf({ model: 'm', fetch, stream: false });
      expect(JSON.parse(calls[0]?.[1].body as string)).toMatchObject({ stream: false });
      return deltas;
    };
    const deltas = await read(compact?.body);
    expect(types(deltas)).toEqual([
      ...['reasoning', 'reasoning', 'text', 'source', 'tool-call-start', 'tool-call-arguments', 'tool-call-end'],
      ...['tool-call-start', 'tool-call-end', 'usage', 'finish'],
    ]);
    expect(await read(pretty?.body)).toEqual(deltas);
  });

  it('makes ids by the port of the request', async () => {
    const { fetch } = fakedFetch('data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"f","input":{}}}\n\n');
    expect((await outcomeOf({ model: 'm', fetch })).deltas).toContainEqual({ type: 'tool-call-start', index: 0, id: 'call-made', name: 'f' });
  });

  it('reads on only when the reader is ready', async () => {
    const gate = new Subject<void>();
    const said: string[] = [];
    let fetched: () => void;
    const asked = new Promise<void>((resolve) => (fetched = resolve));
    const fetch = (async () => (fetched(), new Response(TEXT + STOP))) as typeof globalThis.fetch;
    const demand = { ready: () => (said.push('asked'), gate.pipe(take(1))) };
    const done = new Promise<void>((resolve) => {
      anthropic({ model: 'm', fetch }).stream({ ...request, demand }).subscribe({ next: ({ type }) => said.push(type), complete: resolve });
    });
    await asked;
    await new Promise((resolve) => setImmediate(resolve));
    expect(said).toEqual(['asked']);
    gate.next();
    await done;
    expect(said.slice(0, 2)).toEqual(['asked', 'text']);
  });

  it('aborts in the same tick when it is left, and asks nothing of a gate that never opens', async () => {
    let signal: AbortSignal | undefined;
    const fetch = ((_url: string, init: RequestInit) => ((signal = init.signal as AbortSignal), new Promise(() => {}))) as typeof globalThis.fetch;
    const run = anthropic({ model: 'm', fetch }).stream({ ...request, demand: { ready: () => NEVER } }).subscribe();
    expect(signal?.aborted).toBe(false);
    run.unsubscribe();
    expect(signal?.aborted).toBe(true);
  });

  it('completes with the end of the message, whatever follows', async () => {
    const base = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(TEXT + STOP + TEXT);
    });
    const { deltas, error } = await outcomeOf({ model: 'm', baseUrl: base, apiKey: 'k' }, { demand: { ready: () => of(undefined) } });
    expect([types(deltas), error]).toEqual([['text', 'finish'], undefined]);
  });

  it.each<[name: string, status: number, body: string, wanted: object]>([
    ['an overloaded service', 529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', { type: 'overloaded_error', retryable: true }],
    ['a bad request', 400, '{"type":"error","error":{"type":"invalid_request_error","message":"No."}}', { type: 'invalid_request_error', retryable: false }],
    ['a page of a proxy', 502, '<html><h1>502 Bad Gateway</h1></html>', { detail: expect.stringContaining('502 Bad Gateway'), retryable: true }],
  ])('fails with %s', async (_name, status, body, wanted) => {
    const base = await serve((_request, response) => response.writeHead(status).end(body));
    const { deltas, error } = await outcomeOf({ model: 'm', baseUrl: base, apiKey: 'key-of-the-test' });
    expect(error).toMatchObject({ code: 'model-http', status, ...wanted });
    expect(JSON.stringify([deltas, error, error?.detail])).not.toContain('key-of-the-test');
  });
});
