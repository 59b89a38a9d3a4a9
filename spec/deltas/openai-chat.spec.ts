import { afterEach, describe, expect, it } from '@jest/globals';
import { lastValueFrom, take, toArray } from 'rxjs';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import type { OpenaiChatOptions } from '../../lib/deltas/openai-chat.ts';
import type { ModelRequest } from '../../lib/model.ts';
import { answerOf } from '../support/answer-of.ts';
import { fixtures } from '../support/corpus.ts';
import { fakedFetch } from '../support/faked-fetch.ts';
import { closeServers, serve } from '../support/loopback.ts';
import { modelRequest } from '../support/model-request.ts';

const request = modelRequest();

afterEach(closeServers);

const outcomeOf = (options: OpenaiChatOptions, change?: Partial<ModelRequest>): ReturnType<typeof answerOf> => answerOf(openaiChat(options), change);

const TEXT = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';
const STOP = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const DONE = 'data: [DONE]\n\n';

describe('openaiChat', () => {
  it('says who it is', () => {
    expect(openaiChat({ model: 'm' })).toMatchObject({ id: 'm', provider: 'openai', capabilities: ['tools', 'parallel-tools', 'images', 'files', 'json-schema'] });
    // Of the compatible servers only some hold a model to a schema.
    expect(openaiChat({ model: 'm', baseUrl: 'http://127.0.0.1:1/v1' }).capabilities).toEqual(['tools', 'parallel-tools', 'images', 'files']);
    expect(openaiChat({ model: 'm', provider: 'local', capabilities: [] })).toMatchObject({ provider: 'local', capabilities: [] });
  });

  it.each([
    ['https://api.openai.com/v1', undefined],
    ['http://127.0.0.1:1234/v1', 'http://127.0.0.1:1234/v1/'],
    ['http://127.0.0.1:1234', 'http://127.0.0.1:1234'],
    ['https://x.test/a/b', 'https://x.test/a/b//#part'],
  ])('posts to %s/chat/completions', async (base, baseUrl) => {
    const { fetch, calls } = fakedFetch(STOP + DONE);
    await outcomeOf({ model: 'm', fetch, ...(baseUrl !== undefined && { baseUrl }) });
    expect(calls.map(([url]) => url)).toEqual([`${base}/chat/completions`]);
  });

  it('keeps the query of the base URL', async () => {
    const { fetch, calls } = fakedFetch(STOP + DONE);
    await outcomeOf({ model: 'm', fetch, baseUrl: 'https://x.test/deployments/d?api-version=1' });
    expect(calls[0]?.[0]).toBe('https://x.test/deployments/d/chat/completions?api-version=1');
  });

  it('sends its headers, the key, and more headers that replace its own', async () => {
    const { fetch, calls } = fakedFetch(STOP + DONE);
    await outcomeOf({ model: 'm', fetch, apiKey: 'k', headers: { Accept: '*/*', 'X-Title': 't' } });
    await outcomeOf({ model: 'm', fetch, apiKey: 'k', headers: { Authorization: 'Basic x' } });
    await outcomeOf({ model: 'm', fetch, apiKey: '' });
    await outcomeOf({ model: 'm', fetch, apiKey: undefined });
    const json = { 'content-type': 'application/json' };
    const sse = { accept: 'text/event-stream' };
    expect(calls.map(([, { headers }]) => headers)).toEqual([
      { ...json, accept: '*/*', authorization: 'Bearer k', 'x-title': 't' },
      { ...json, ...sse, authorization: 'Basic x' },
      { ...json, ...sse },
      { ...json, ...sse },
    ]);
    expect(JSON.parse(new TextDecoder().decode(calls[0]?.[1].body as Uint8Array))).toMatchObject({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
  });

  it.each<[options: object, message: RegExp]>([
    [{}, /needs `model`/],
    [{ model: '' }, /needs `model`/],
    [{ model: 5 }, /needs `model`/],
    [{ model: 'm', baseUrl: 'api.test/v1' }, /`baseUrl` must be an http/],
    [{ model: 'm', baseUrl: '' }, /`baseUrl` must be an http/],
    [{ model: 'm', baseUrl: 'ftp://x.test' }, /`baseUrl` must be an http/],
    [{ model: 'm', baseUrl: 'https://user:hush@x.test' }, /without a user name/],
    [{ model: 'm', apiKey: 'hush\nhush' }, /the header "authorization" holds what cannot be sent/],
    [{ model: 'm', headers: { 'x-a': 'hush→' } }, /the header "x-a" holds what cannot be sent/],
    [{ model: 'm', headers: { 'x a': 'hush' } }, /the header "x a" holds what cannot be sent/],
    [{ model: 'm', body: { messages: [] } }, /`body` cannot hold `messages`/],
    [{ model: 'm', body: { tools: [] } }, /`body` cannot hold `tools`/],
    [{ model: 'm', body: { stream: false } }, /`body` cannot hold `stream`/],
  ])('throws a ConfigError for %j, without what is secret', (options, message) => {
    let thrown: Error | undefined;
    try {
      openaiChat(options as OpenaiChatOptions);
    } catch (error) {
      thrown = error as Error;
    }
    expect(thrown).toMatchObject({ code: 'config' });
    expect(thrown?.message).toMatch(message);
    expect(thrown?.message).not.toContain('hush');
  });
});

describe('the stream of openaiChat', () => {
  it('asks nothing until subscribed, and anew for each subscription', async () => {
    const { fetch, calls } = fakedFetch(TEXT + STOP + DONE);
    const deltas$ = openaiChat({ model: 'm', fetch }).stream(request);
    expect(calls).toHaveLength(0);
    const first = await lastValueFrom(deltas$.pipe(toArray()));
    const second = await lastValueFrom(deltas$.pipe(toArray()));
    expect(calls).toHaveLength(2);
    expect(first.map(({ type }) => type)).toEqual(['text', 'alive', 'finish']);
    expect(second).toEqual(first);
  });

  it('takes ids from the run where the wire has none', async () => {
    const call = 'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"f"}}]}}]}\n\n';
    const { fetch } = fakedFetch(call + STOP + DONE);
    const { deltas } = await outcomeOf({ model: 'm', fetch });
    expect(deltas[1]).toEqual({ type: 'tool-call-start', index: 0, id: 'call-made', name: 'f' });
  });

  it('completes at the end marker, though the body goes on', async () => {
    const url = await serve((_request, response) => response.write(TEXT + STOP + DONE));
    const { deltas, error } = await outcomeOf({ model: 'm', baseUrl: url });
    expect(error).toBeUndefined();
    expect(deltas.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  it('closes the connection when the reader leaves', async () => {
    let closed!: () => void;
    const left = new Promise<void>((resolve) => (closed = resolve));
    const url = await serve((incoming, response) => {
      incoming.socket.on('close', closed);
      response.write(TEXT);
    });
    const [delta] = await lastValueFrom(openaiChat({ model: 'm', baseUrl: url }).stream(request).pipe(take(1), toArray()));
    expect(delta?.type).toBe('text');
    await left;
  });

  it('fails with what came when the body breaks off', async () => {
    const url = await serve((_request, response) => {
      response.write(TEXT + STOP, () => setImmediate(() => response.destroy()));
    });
    const { deltas, error } = await outcomeOf({ model: 'm', baseUrl: url });
    expect(deltas.map(({ type }) => type)).toEqual(['text', 'alive']);
    expect(error).toMatchObject({ code: 'model-transport', retryable: true });
  });

  it('measures a Retry-After date on the clock of the run', async () => {
    const headers = { 'retry-after': new Date(request.scheduler.now() + 60_000).toUTCString() };
    const { fetch } = fakedFetch('', { status: 503, headers });
    const { error } = await outcomeOf({ model: 'm', fetch });
    expect(error?.retryAfterMs).toBe(60_000);
  });

  it('reads an error that stands in place of a stream', async () => {
    const bare = fixtures('openai-chat').find(({ id }) => id === 'fixtures/bare-error');
    const { fetch } = fakedFetch(bare?.body ?? '', { headers: { 'content-type': 'application/json' } });
    const { deltas, error } = await outcomeOf({ model: 'm', fetch });
    expect(deltas).toEqual([]);
    expect(error).toMatchObject({ code: 'model-stream', type: 'requests', retryable: true });
    expect(error?.detail).toContain('Rate limit reached');
  });

  it('completes without a finish for a body that says nothing', async () => {
    for (const body of ['', '<html></html>', ': only a comment\n']) {
      const { deltas, error } = await outcomeOf({ model: 'm', fetch: fakedFetch(body).fetch });
      expect(error).toBeUndefined();
      expect(deltas.filter(({ type }) => type !== 'alive' && type !== 'unknown')).toEqual([]);
    }
  });
});
