import { afterEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { asyncScheduler, lastValueFrom, toArray } from 'rxjs';
import { recordFetch } from '../../lib/bytes/record-fetch.ts';
import type { RecordedChunk, RecordedExchange, RecordFetchOptions } from '../../lib/bytes/record-fetch.ts';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { closeServers, serve } from '../support/loopback.ts';

type Fetch = typeof globalThis.fetch;
const KEY = 'sk-test-0123456789abcdef';
afterEach(closeServers);

/** Records into a list; time goes on by one millisecond with each look at the clock. */
function recorder(fetch: (url: string, init: RequestInit) => Response | Promise<Response>, options: RecordFetchOptions = {}) {
  const records: RecordedExchange[] = [];
  let time = 1_000;
  const recorded = recordFetch((record) => records.push(record), { fetch: fetch as unknown as Fetch, now: () => time++, ...options });
  return { records, fetch: recorded, last: () => records.at(-1) as RecordedExchange };
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** A body whose chunks are these; counts how often it was asked. */
function body(pieces: readonly (string | Uint8Array<ArrayBuffer>)[], failure?: unknown) {
  const asked = { pulls: 0, cancelled: undefined as unknown };
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        const piece = pieces[asked.pulls++];
        if (piece !== undefined) controller.enqueue(typeof piece === 'string' ? bytes(piece) : piece);
        else if (failure === undefined) controller.close();
        else controller.error(failure);
      },
      cancel(reason) {
        asked.cancelled = reason;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, asked };
}

async function chunksOf(response: Response): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) chunks.push(new TextDecoder().decode(chunk));
  return chunks;
}

const decoded = (chunk: RecordedChunk): number[] => [...('text' in chunk ? Buffer.from(chunk.text) : Buffer.from(chunk.base64, 'base64'))];

describe('recordFetch', () => {
  it('passes the exchange on and records it once it has ended', async () => {
    const { fetch, records, last } = recorder(() => new Response(body(['one ', 'two']).stream, { status: 201, statusText: 'Made', headers: { 'content-type': 'text/plain' } }));
    const response = await fetch('https://h/v1/x', { method: 'post', headers: { accept: 'text/plain' }, body: '{"a":[1]}' });
    expect([response.status, response.statusText, response.headers.get('content-type')]).toEqual([201, 'Made', 'text/plain']);
    expect(records).toEqual([]);
    expect(await chunksOf(response)).toEqual(['one ', 'two']);
    expect(records).toEqual([
      {
        request: { method: 'POST', url: 'https://h/v1/x', headers: { accept: 'text/plain' }, body: { a: [1] } },
        response: { at: 1, status: 201, headers: { 'content-type': 'text/plain' } },
        chunks: [
          { at: 2, text: 'one ' },
          { at: 3, text: 'two' },
        ],
        end: { at: 4, how: 'end' },
      },
    ]);
    expect(JSON.parse(JSON.stringify(last()))).toEqual(last());
  });

  it('hands the real fetch what it was handed', async () => {
    const given: unknown[] = [];
    const { fetch } = recorder((...call) => (given.push(call), new Response(null)));
    const [url, init] = [new URL('https://h/x'), { method: 'POST', headers: { authorization: `Bearer ${KEY}` }, body: 'b', signal: new AbortController().signal }];
    await fetch(url, init);
    expect((given[0] as unknown[])[0]).toBe(url);
    expect((given[0] as unknown[])[1]).toBe(init);
  });

  it('keeps what a response says of itself', async () => {
    const real = await fetch(await serve((_request, response) => response.end('x')));
    const { fetch: recorded } = recorder(() => real);
    const response = await recorded('https://h/');
    expect([response.url, response.type, response.redirected, response.ok]).toEqual([real.url, real.type, false, true]);
    expect(await response.text()).toBe('x');
  });

  it.each<[string, [RequestInfo | URL, RequestInit?], object]>([
    ['an address', ['https://h/x'], { method: 'GET', url: 'https://h/x', headers: {} }],
    ['an address object', [new URL('https://h/x')], { method: 'GET', url: 'https://h/x' }],
    ['a request', [new Request('https://h/x', { method: 'PUT', headers: { accept: 'a' } })], { method: 'PUT', url: 'https://h/x', headers: { accept: 'a' } }],
    ['a request and more', [new Request('https://h/x', { method: 'PUT' }), { method: 'POST', headers: { accept: 'b' } }], { method: 'POST', headers: { accept: 'b' } }],
    ['text', ['https://h/x', { method: 'POST', body: 'no json' }], { body: 'no json' }],
    ['a form', ['https://h/x', { method: 'POST', body: new URLSearchParams({ a: '1' }) }], { body: 'a=1' }],
    ['bytes', ['https://h/x', { method: 'POST', body: bytes('{"a":"é"}') }], { body: { a: 'é' } }],
  ])('records %s', async (_what, call, request) => {
    const { fetch, last } = recorder(() => new Response(null, { status: 204 }));
    await fetch(...call);
    expect(last()).toMatchObject({ request, response: { status: 204 }, chunks: [], end: { how: 'end' } });
  });

  it('looks the global fetch up for each exchange', async () => {
    const url = await serve((_request, response) => response.end('x'));
    const records: RecordedExchange[] = [];
    const response = await recordFetch((record) => records.push(record))(url);
    await response.text();
    expect(records[0]).toMatchObject({ chunks: [{ text: 'x' }], end: { how: 'end' } });
    expect(records[0]?.end.at).toBeGreaterThanOrEqual(records[0]?.chunks[0]?.at ?? Infinity);
  });

  it('lets no time go back', async () => {
    const times = [100, 90, 80];
    const { fetch, last } = recorder(() => new Response(null), { now: () => times.shift() ?? 0 });
    await fetch('https://h/');
    expect(last().end.at).toBe(0);
  });
});

describe('the reader', () => {
  it('is not read ahead of', async () => {
    const { stream, asked } = body(['a', 'b', 'c']);
    const { fetch } = recorder(() => new Response(stream));
    const response = await fetch('https://h/');
    const reader = response.body?.getReader();
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked.pulls).toBe(0);
    await reader?.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked.pulls).toBe(1);
  });

  it('may do with its bytes as it likes', async () => {
    const { fetch, last } = recorder(() => new Response(body(['abc']).stream));
    const reader = (await fetch('https://h/')).body?.getReader();
    (await reader?.read())?.value?.fill(0);
    await reader?.read();
    expect(last().chunks).toEqual([{ at: 2, text: 'abc' }]);
  });

  it('that leaves reaches the real body, and ends the record', async () => {
    const { stream, asked } = body(['a', 'b']);
    const { fetch, last } = recorder(() => new Response(stream));
    const reader = (await fetch('https://h/')).body?.getReader();
    await reader?.read();
    await reader?.cancel('enough');
    expect(asked.cancelled).toBe('enough');
    expect(last()).toMatchObject({ chunks: [{ text: 'a' }], end: { how: 'aborted' } });
    expect(last().end).not.toHaveProperty('message');
  });

  it('gets any bytes in the same pieces, and so does the record', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 9 }), { maxLength: 6 }), async (pieces) => {
        const { fetch, last } = recorder(() => new Response(body(pieces.map((piece) => new Uint8Array(piece))).stream));
        const seen: number[][] = [];
        for await (const chunk of (await fetch('https://h/')).body as unknown as AsyncIterable<Uint8Array>) seen.push([...chunk]);
        expect(seen).toEqual(pieces.map((piece) => [...piece]));
        expect(last().chunks.map(decoded)).toEqual(seen);
      }),
    );
  });

  it('is shown where a read ended inside a character', async () => {
    const [first, second] = [bytes('a€').slice(0, 2), bytes('a€').slice(2)];
    const { fetch, last } = recorder(() => new Response(body([first, second]).stream));
    await (await fetch('https://h/')).text();
    expect(last().chunks).toEqual([{ at: 2, base64: 'YeI=' }, { at: 3, base64: 'gqw=' }]);
  });
});

describe('a failure', () => {
  it('to connect is the same failure, and recorded', async () => {
    const error = new TypeError(`fetch failed with ${KEY}`);
    const { fetch, last } = recorder(() => Promise.reject(error));
    await expect(fetch('https://h/')).rejects.toBe(error);
    expect(last()).toMatchObject({ chunks: [], end: { at: 1, how: 'error', message: 'fetch failed with [removed]' } });
    expect(last()).not.toHaveProperty('response');
  });

  it('inside the body is the same failure, and recorded', async () => {
    const error = new TypeError('terminated');
    const { fetch, last } = recorder(() => new Response(body(['a'], error).stream));
    await expect(fetch('https://h/').then((response) => response.text())).rejects.toBe(error);
    expect(last()).toMatchObject({ chunks: [{ text: 'a' }], end: { how: 'error', message: 'terminated' } });
  });

  it('of the sink leaves the exchange alone, and is heard by the host', async () => {
    const reported: (() => void)[] = [];
    const queue = jest.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) => void reported.push(task));
    const failing = recordFetch(
      () => {
        throw new Error('disk full');
      },
      { fetch: (() => Promise.resolve(new Response('x'))) as unknown as Fetch },
    );
    expect(await (await failing('https://h/')).text()).toBe('x');
    queue.mockRestore();
    expect(reported).toHaveLength(1);
    expect(() => reported[0]?.()).toThrow('disk full');
  });
});

describe('an abort', () => {
  it('before the answer reaches the real fetch, and is recorded in the same tick', async () => {
    const url = await serve(() => undefined);
    const { fetch: recorded, last, records } = recorder((at, init) => fetch(at, init));
    const controller = new AbortController();
    const asking = recorded(url, { signal: controller.signal });
    controller.abort();
    expect(records).toHaveLength(1);
    expect(last()).toMatchObject({ end: { how: 'aborted' } });
    await expect(asking).rejects.toMatchObject({ name: 'AbortError' });
    expect(records).toHaveLength(1);
  });

  it('inside the body closes the connection', async () => {
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    const url = await serve((request, response) => {
      request.socket.on('close', close);
      response.write('one');
    });
    const { fetch: recorded, last, records } = recorder((at, init) => fetch(at, init));
    const controller = new AbortController();
    const reader = (await recorded(url, { signal: controller.signal })).body?.getReader();
    await reader?.read();
    controller.abort();
    await closed;
    await expect(reader?.read()).rejects.toMatchObject({ name: 'AbortError' });
    expect(records).toHaveLength(1);
    expect(last()).toMatchObject({ chunks: [{ text: 'one' }], end: { how: 'aborted' } });
  });

  it('after the end changes nothing', async () => {
    const { fetch, records } = recorder(() => new Response('x'));
    const controller = new AbortController();
    await (await fetch('https://h/', { signal: controller.signal })).text();
    controller.abort();
    expect(records).toEqual([expect.objectContaining({ end: { at: 3, how: 'end' } })]);
  });
});

describe('secrets', () => {
  it('are in no part of a record', async () => {
    const said = `data: {"echo":"${KEY}","org":"acme-company-7","name":"Jane Doe"}\n\n`;
    const [first, second] = [bytes(said).slice(0, 20), bytes(said).slice(20)];
    const headers = { 'openai-organization': 'acme-company-7', 'set-cookie': 'session=abc' };
    const { fetch, last } = recorder(() => new Response(body([first, second]).stream, { headers }), { secrets: ['Jane Doe'] });
    const response = await fetch(`https://h/x?key=${KEY}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'x-api-key': KEY, cookie: 'a=b' },
      body: JSON.stringify({ user: 'jane', messages: [{ role: 'user', content: `I am Jane Doe, my key is ${KEY}` }] }),
    });
    expect(await response.text()).toBe(said);
    const text = JSON.stringify(last());
    for (const secret of [KEY, '0123456789abcdef', 'acme', 'Jane', 'jane', 'session=', 'a=b']) expect(text).not.toContain(secret);
    expect(last().request.body).toEqual({ user: '[removed]', messages: [{ role: 'user', content: 'I am [removed], my key is [removed]' }] });
    expect(last().chunks.flatMap(decoded)).toHaveLength(bytes(said).length);
  });
});

describe('with an adapter', () => {
  it('records what a model was asked and said, and answers the same', async () => {
    const stream = 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    const url = await serve((_request, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream));
    const ask = (fetching?: Fetch) => {
      const model = openaiChat({ model: 'm', baseUrl: url, apiKey: KEY, ...(fetching && { fetch: fetching }) });
      const request = { system: undefined, messages: [], tools: [], toolChoice: 'auto', options: {}, demand: undefined, scheduler: asyncScheduler, ids: () => 'id' } as const;
      return lastValueFrom(model.stream(request).pipe(toArray()));
    };
    const { fetch: recorded, last } = recorder((at, init) => fetch(at, init));
    expect(await ask(recorded)).toEqual(await ask());
    expect(last()).toMatchObject({ request: { method: 'POST', headers: { authorization: '[removed]' }, body: { model: 'm', stream: true } }, response: { status: 200 }, end: { how: 'end' } });
    expect(Buffer.from(last().chunks.flatMap(decoded)).toString()).toBe(stream);
  });
});
