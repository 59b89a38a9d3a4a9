import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { lastValueFrom, take, tap, toArray } from 'rxjs';
import { open } from '../../lib/bytes/open.ts';
import type { OpenRequest } from '../../lib/bytes/open.ts';
import { closeServers, serve } from '../support/loopback.ts';

const NOW = Date.parse('Sun, 06 Nov 1994 08:49:00 GMT');
afterEach(closeServers);

function requestTo(url: string, more: Partial<OpenRequest> = {}): OpenRequest {
  return { url, headers: { 'content-type': 'application/json' }, body: '{}', now: () => NOW, ...more };
}

async function bodyOf(request: OpenRequest): Promise<string> {
  const chunks = await lastValueFrom(open(request).pipe(toArray()));
  return Buffer.concat(chunks).toString();
}

/** A promise, and what settles it. */
function signal<T = void>(): { promise: Promise<T>; fire: (value: T) => void } {
  let fire!: (value: T) => void;
  return { promise: new Promise<T>((resolve) => (fire = resolve)), fire: (value) => fire(value) };
}

describe('open', () => {
  it('sends the body and headers, and emits what comes back', async () => {
    const seen: Partial<IncomingMessage>[] = [];
    let sent = '';
    const url = await serve((request, response) => {
      seen.push(request);
      request.on('data', (chunk) => (sent += String(chunk)));
      request.on('end', () => response.end('answer'));
    });
    const headers = { 'content-type': 'application/json', authorization: 'Bearer secret-key' };
    expect(await bodyOf(requestTo(url, { body: '{"é":1}', headers }))).toBe('answer');
    expect(seen[0]?.method).toBe('POST');
    expect(seen[0]?.url).toBe('/');
    expect(seen[0]?.headers).toMatchObject(headers);
    expect(sent).toBe('{"é":1}');
  });

  it('sends nothing before it is subscribed, and once for each subscription', async () => {
    let requests = 0;
    const url = await serve((_request, response) => response.end(String((requests += 1))));
    const bytes$ = open(requestTo(url));
    await bodyOf(requestTo(url));
    expect(requests).toBe(1);
    await lastValueFrom(bytes$);
    await lastValueFrom(bytes$);
    expect(requests).toBe(3);
  });

  it('emits each part when it comes', async () => {
    let response!: ServerResponse;
    const url = await serve((_request, answer) => {
      response = answer;
      answer.write('one');
    });
    const said: string[] = [];
    const done = signal();
    open(requestTo(url)).subscribe({
      next(chunk) {
        said.push(Buffer.from(chunk).toString());
        if (said.length === 1) response.write('two');
        else response.end();
      },
      complete: () => done.fire(),
    });
    await done.promise;
    expect(said).toEqual(['one', 'two']);
  });

  it('completes without a value for an answer without a body', async () => {
    const url = await serve((_request, response) => response.writeHead(204).end());
    expect(await bodyOf(requestTo(url))).toBe('');
  });

  it('tells the status before the body', async () => {
    const url = await serve((_request, response) => response.writeHead(203).end('x'));
    const said: unknown[] = [];
    await lastValueFrom(open(requestTo(url, { onStatus: (status) => said.push(status) })).pipe(tap(() => said.push('body'))));
    expect(said).toEqual([203, 'body']);
  });

  it('takes another fetch, looked up at each subscription', async () => {
    const given: unknown[] = [];
    const fetch = (async (...call: unknown[]) => (given.push(call), new Response('faked'))) as typeof globalThis.fetch;
    expect(await bodyOf(requestTo('http://nowhere.invalid/x', { fetch }))).toBe('faked');
    expect(given).toEqual([
      ['http://nowhere.invalid/x', expect.objectContaining({ method: 'POST', body: '{}', redirect: 'manual' })],
    ]);
  });
});

describe('leaving open', () => {
  it('aborts in the same tick while the answer is awaited', () => {
    const signals: AbortSignal[] = [];
    const fetch = ((_url: unknown, init: RequestInit) => {
      signals.push(init.signal as AbortSignal);
      return new Promise(() => {});
    }) as typeof globalThis.fetch;
    const subscription = open(requestTo('http://nowhere.invalid/', { fetch })).subscribe();
    expect(signals[0]?.aborted).toBe(false);
    subscription.unsubscribe();
    expect(signals[0]?.aborted).toBe(true);
  });

  it('closes the connection before the answer began', async () => {
    const [arrived, closed] = [signal(), signal()];
    const url = await serve((request) => {
      request.socket.on('close', () => closed.fire());
      arrived.fire();
    });
    const subscription = open(requestTo(url)).subscribe();
    await arrived.promise;
    subscription.unsubscribe();
    await closed.promise;
  });

  it('closes the connection in the middle of the body, and says nothing more', async () => {
    const closed = signal();
    const url = await serve((request, response) => {
      request.socket.on('close', () => closed.fire());
      response.write('one');
    });
    const said: string[] = [];
    await lastValueFrom(open(requestTo(url)).pipe(take(1))).then((chunk) => said.push(Buffer.from(chunk).toString()));
    await closed.promise;
    expect(said).toEqual(['one']);
  });

  it('does not abort an exchange that has ended', async () => {
    let aborted: AbortSignal | undefined;
    const fetch = (async (_url: unknown, init: RequestInit) => {
      aborted = init.signal as AbortSignal;
      return new Response('all');
    }) as unknown as typeof globalThis.fetch;
    await bodyOf(requestTo('http://nowhere.invalid/', { fetch }));
    expect(aborted?.aborted).toBe(false);
  });

  it('cancels the body of a fetch that did not listen', async () => {
    const cancelled = signal();
    const answer = signal<Response>();
    const body = new ReadableStream<Uint8Array>({ cancel: () => cancelled.fire() });
    const fetch = (() => answer.promise) as unknown as typeof globalThis.fetch;
    open(requestTo('http://nowhere.invalid/', { fetch })).subscribe().unsubscribe();
    answer.fire(new Response(body));
    await cancelled.promise;
  });

  it('ignores a fetch that fails afterwards', async () => {
    const errors: unknown[] = [];
    const failed = Promise.reject(new TypeError('late'));
    const fetch = (() => failed) as unknown as typeof globalThis.fetch;
    open(requestTo('http://nowhere.invalid/', { fetch })).subscribe({ error: (error) => errors.push(error) }).unsubscribe();
    await failed.catch(() => undefined);
    expect(errors).toEqual([]);
  });

  it('keeps the connection for the next request when the end marker has come', async () => {
    const sockets = new Set<unknown>();
    const ended = signal();
    let first: ServerResponse | undefined;
    const url = await serve((request, response) => {
      sockets.add(request.socket);
      response.write('[DONE]');
      if (first === undefined) first = response;
      else response.end();
    });
    const watched = (async (...call: Parameters<typeof globalThis.fetch>) => {
      const { body } = await globalThis.fetch(...call);
      return new Response(body?.pipeThrough(new TransformStream({ flush: () => ended.fire() })) ?? null);
    }) as typeof globalThis.fetch;
    await lastValueFrom(open(requestTo(url, { fetch: watched, isOver: () => true })).pipe(take(1)));
    first?.end();
    await ended.promise;
    // The client frees the connection in the turn after.
    await new Promise((resolve) => setImmediate(resolve));
    await bodyOf(requestTo(url));
    expect(sockets.size).toBe(1);
  });

  it('aborts all the same when more follows the end marker', async () => {
    const closed = signal();
    const response = signal<ServerResponse>();
    const url = await serve((request, answer) => {
      request.socket.on('close', () => closed.fire());
      answer.write('[DONE]');
      response.fire(answer);
    });
    await lastValueFrom(open(requestTo(url, { isOver: () => true })).pipe(take(1)));
    (await response.promise).write('and more');
    await closed.promise;
  });

  it('aborts all the same when nothing follows the end marker for a second', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      let aborted: AbortSignal | undefined;
      const body = new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(new Uint8Array([1])) });
      const fetch = (async (_url: unknown, init: RequestInit) => {
        aborted = init.signal as AbortSignal;
        return new Response(body);
      }) as unknown as typeof globalThis.fetch;
      await lastValueFrom(open(requestTo('http://nowhere.invalid/', { fetch, isOver: () => true })).pipe(take(1)));
      jest.advanceTimersByTime(999);
      expect(aborted?.aborted).toBe(false);
      jest.advanceTimersByTime(1);
      expect(aborted?.aborted).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  });
});
