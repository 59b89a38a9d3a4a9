import { afterEach, describe, expect, it } from '@jest/globals';
import { catchError, lastValueFrom, of, Subscription, take, toArray } from 'rxjs';
import { isLoopError } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { remoteLoop } from '../../lib/view/remote.ts';
import type { RemoteLoopOptions } from '../../lib/view/remote.ts';
import { closeDoors, doorOf, heldTurn, post } from '../serve/door.ts';

const url = 'http://localhost/runs';
const ANSWER = [{ text: ['Hel', 'lo'] }];
const RETRY = { initialDelayMs: 1, maxDelayMs: 2 };
afterEach(closeDoors);

type Fetch = typeof globalThis.fetch;

/** A handler as a `fetch`; `spoil` stands between the two. */
function through(door: (request: Request) => Promise<Response>, spoil = (response: Response, _at: number): Response => response) {
  const requests: Request[] = [];
  const fetch = (async (input: string, init: RequestInit) => {
    requests.push(new Request(input, init));
    return spoil(await door(new Request(input, init)), requests.length - 1);
  }) as Fetch;
  return { fetch, requests };
}

/** The body cut after so many bytes: with an error, or as if it had ended. */
function cut(response: Response, length: number, how: 'error' | 'end'): Response {
  let left = length;
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk.subarray(0, left));
        left -= chunk.length;
        if (left > 0) return;
        if (how === 'error') controller.error(new TypeError('terminated'));
        else controller.terminate();
      },
    }),
  );
  return new Response(body ?? null, response);
}

const all = (options: Partial<RemoteLoopOptions>): Promise<(LoopEvent | string)[]> =>
  lastValueFrom(
    remoteLoop({ url, retry: RETRY, ...options }).pipe(
      catchError((error: unknown) => of(isLoopError(error) ? `${error.code}: ${error.message}` : String(error))),
      toArray(),
    ),
  );
const types = (said: readonly (LoopEvent | string)[]): string[] => said.map((one) => (typeof one === 'string' ? one : one.type));
const WHOLE = ['run-start', 'step-start', 'delta', 'delta', 'delta', 'step-end', 'done'];

describe('remoteLoop', () => {
  it('does nothing before it is subscribed, and starts a run for each subscription', async () => {
    const { fetch, requests } = through(doorOf([...ANSWER, ...ANSWER]));
    const run$ = remoteLoop({ url, body: { prompt: 'hi' }, fetch });
    expect(requests).toEqual([]);
    const [first, second] = [await lastValueFrom(run$.pipe(toArray())), await lastValueFrom(run$.pipe(toArray()))];
    expect([types(first), types(second)]).toEqual([WHOLE, WHOLE]);
    expect(first[0]?.runId).not.toBe(second[0]?.runId);
  });

  it('watches a run that has an id, from where it is told to', async () => {
    const door = doorOf(ANSWER);
    const { fetch } = through(door);
    await all({ body: { prompt: 'hi', runId: 'r1' }, fetch });
    expect(types(await all({ runId: 'r1', fetch }))).toEqual(WHOLE);
    expect(types(await all({ runId: 'r1', after: 5, fetch }))).toEqual(['step-end', 'done']);
  });

  it.each(['error', 'end'] as const)('sees every event once, whatever byte the connection breaks at (%s)', async (how) => {
    const whole = await all({ body: { prompt: 'hi', runId: 'r1' }, fetch: through(doorOf(ANSWER, { ids: () => 'r1' })).fetch });
    for (let length = 1; length < 700; length += 31) {
      const { fetch, requests } = through(doorOf(ANSWER), (response, at) => (at < 2 ? cut(response, length, how) : response));
      const said = await all({ body: { prompt: 'hi', runId: 'r1' }, fetch });
      expect(types(said)).toEqual(types(whole));
      expect(requests.length).toBeGreaterThan(1);
    }
  });

  it('completes where a run has ended and there is nothing after what it has', async () => {
    const door = doorOf(ANSWER);
    const { fetch, requests } = through(door);
    const said = await all({ fetch, body: { prompt: 'hi', runId: 'r1' } });
    const told: string[] = [];
    expect(await all({ fetch, runId: 'r1', after: said.length, onConnection: (now) => told.push(now) })).toEqual([]);
    expect([told, requests.length]).toEqual([['open'], 2]);
  });

  it('asks from the last event on', async () => {
    const { fetch, requests } = through(doorOf(ANSWER), (response, at) => (at === 0 ? cut(response, 300, 'error') : response));
    await all({ body: { prompt: 'hi', runId: 'r1' }, fetch });
    expect(requests.map(({ method, url: address }) => `${method} ${new URL(address).pathname}`)).toEqual(['POST /runs', 'GET /runs/r1/events']);
    expect(requests[1]?.headers.get('last-event-id')).toMatch(/^[1-6]$/);
  });

  it('finds the run whose first answer was lost, and starts no second one', async () => {
    const { fetch, requests } = through(doorOf(ANSWER), (response, at) => {
      if (at === 0) throw new TypeError('lost');
      return response;
    });
    expect(types(await all({ body: { prompt: 'hi' }, fetch }))).toEqual(WHOLE);
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET']);
  });

  it('does not take the run of somebody else for its own', async () => {
    const door = doorOf([...ANSWER, ...ANSWER]);
    await door(post('', { prompt: 'hi', runId: 'r1' }));
    expect(types(await all({ body: { prompt: 'hi', runId: 'r1' }, fetch: through(door).fetch }))).toEqual([expect.stringMatching(/^run-exists: /)]);
  });

  it('tells when the connection is lost, each time that it is tried, and when it is there again', async () => {
    const { fetch } = through(doorOf(ANSWER), (response, at) => {
      if (at > 0 && at < 3) throw new TypeError('offline');
      return at === 0 ? cut(response, 300, 'error') : response;
    });
    const told: string[] = [];
    await all({ body: { prompt: 'hi' }, fetch, onConnection: (now) => void told.push(now) });
    expect(told).toEqual(['open', 'lost', 'lost', 'lost', 'open']);
  });

  it('does not call a connection lost that is not made again', async () => {
    const told: string[] = [];
    const fetch = (() => Promise.reject(new TypeError('offline'))) as Fetch;
    await all({ body: { prompt: 'hi' }, fetch, retry: { count: 0 }, onConnection: (now) => void told.push(now) });
    expect(told).toEqual([]);
  });

  it('survives a spell without a network', async () => {
    const { fetch, requests } = through(doorOf(ANSWER), (response, at) => {
      if (at > 0 && at < 6) throw new TypeError('offline');
      return at === 0 ? cut(response, 300, 'error') : response;
    });
    expect(types(await all({ body: { prompt: 'hi' }, fetch }))).toEqual(WHOLE);
    expect(requests).toHaveLength(7);
  });

  it('takes a connection for lost on which nothing comes', async () => {
    const silent = (): Response => new Response(new ReadableStream({}), { headers: { 'content-type': 'text/event-stream' } });
    const { fetch, requests } = through(doorOf(ANSWER), (response, at) => (at === 0 ? silent() : response));
    expect(types(await all({ body: { prompt: 'hi' }, fetch, idleMs: 20 }))).toEqual(WHOLE);
    expect(requests.length).toBeGreaterThan(1);
  });

  it('is told when the server does not know the run', async () => {
    expect(await all({ runId: 'r9', fetch: through(doorOf(ANSWER)).fetch })).toEqual([expect.stringMatching(/^run-gone: There is no run r9 here/)]);
  });

  it('ends with the error of the run, and does not ask again', async () => {
    const broken = { id: 'm', provider: 'p', capabilities: [], stream: () => { throw new Error('secret'); } };
    const { fetch, requests } = through(doorOf([], { start: () => ({ model: broken }) }));
    expect(types(await all({ body: { prompt: 'hi' }, fetch }))).toEqual(['run-start', 'step-start', 'other: The run failed.']);
    expect(requests).toHaveLength(1);
  });

  it('gives up after so many connections in a row, and says what was wrong', async () => {
    let asked = 0;
    const fetch = (() => ((asked += 1), Promise.reject(new TypeError('offline')))) as Fetch;
    const said = await all({ runId: 'r1', fetch, retry: { ...RETRY, count: 3 } });
    expect(said).toEqual([expect.stringMatching(/^remote-transport: /)]);
    expect(asked).toBe(4);
  });

  it('gives up where the waits together are too long', async () => {
    let asked = 0;
    const fetch = (() => ((asked += 1), Promise.reject(new TypeError('offline')))) as Fetch;
    await all({ runId: 'r1', fetch, retry: { initialDelayMs: 2, factor: 1, jitter: 0, maxTotalMs: 5 } });
    expect(asked).toBe(3);
  });

  it('tries again what the server says may be tried, and nothing else', async () => {
    const answered = (status: number) => {
      let asked = 0;
      const fetch = (async () => ((asked += 1), new Response('<html>', { status }))) as Fetch;
      return all({ runId: 'r1', fetch, retry: { ...RETRY, count: 2 } }).then((said) => [asked, said[0]]);
    };
    expect(await answered(502)).toEqual([3, expect.stringMatching(/^remote-http: .* 502/)]);
    expect(await answered(401)).toEqual([1, expect.stringMatching(/^remote-http: .* 401/)]);
  });

  it.each<[string, Partial<RemoteLoopOptions>]>([
    ['an address that is none', { url: '/runs' }],
    ['headers that throw', { headers: () => { throw new Error('secret'); } }],
    ['a body that is no JSON', { body: { prompt: 'hi', seen: 1n } }],
  ])('does not try again what cannot be asked: %s', async (_what, options) => {
    const { fetch, requests } = through(doorOf(ANSWER));
    expect(await all({ body: { prompt: 'hi' }, fetch, ...options })).toEqual(['config: The server of the runs cannot be asked: check url, headers and body.']);
    expect(requests).toEqual([]);
  });

  it('asks for its headers each time', async () => {
    let token = 0;
    const { fetch, requests } = through(doorOf(ANSWER), (response, at) => (at === 0 ? cut(response, 300, 'error') : response));
    await all({ body: { prompt: 'hi' }, fetch, headers: () => ({ authorization: `Bearer ${(token += 1)}` }) });
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer 1', 'Bearer 2']);
  });

  it('stops watching when it is left, and the run goes on', async () => {
    const held = heldTurn();
    const { fetch, requests } = through(doorOf([held.turn()]));
    await lastValueFrom(remoteLoop({ url, body: { prompt: 'hi', runId: 'r1' }, fetch }).pipe(take(3)));
    held.finish();
    expect(types(await all({ runId: 'r1', fetch })).at(-1)).toBe('done');
    expect(requests).toHaveLength(2);
  });

  it('cancels the run when it is left, if that is asked for', async () => {
    const { fetch } = through(doorOf([heldTurn().turn()]));
    await lastValueFrom(remoteLoop({ url, body: { prompt: 'hi', runId: 'r1' }, fetch, cancelOnLeave: true }).pipe(take(3)));
    expect((await all({ runId: 'r1', fetch })).at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'aborted' } });
  });

  it('cancels a run, too, that comes to its server after the word that cancels it', async () => {
    const door = doorOf([heldTurn().turn()]);
    const { fetch, requests } = through(async (request) => {
      // On a slow way, and not to be called back.
      if (requests.length === 1) await new Promise((resolve) => setTimeout(resolve, 50));
      return door(new Request(request, { signal: null }));
    });
    remoteLoop({ url, body: { prompt: 'hi', runId: 'r1' }, fetch, cancelOnLeave: true }).subscribe().unsubscribe();
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(requests.map(({ method, url: address }) => `${method} ${new URL(address).pathname}`)).toEqual(['POST /runs', 'POST /runs/r1/cancel', 'POST /runs/r1/cancel']);
    expect((await all({ runId: 'r1', fetch })).at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'aborted' } });
  });

  it('cancels nothing when it has come to its end', async () => {
    const { fetch, requests } = through(doorOf(ANSWER));
    const subscription = new Subscription();
    await new Promise<void>((resolve) => subscription.add(remoteLoop({ url, body: { prompt: 'hi' }, fetch, cancelOnLeave: true }).subscribe({ complete: resolve })));
    subscription.unsubscribe();
    expect(requests).toHaveLength(1);
  });

  it('refuses to start and to watch at the same time', () => {
    expect(() => remoteLoop({ url })).toThrow('give either body, which starts a run, or runId');
    expect(() => remoteLoop({ url, runId: 'r1', body: {} })).toThrow(expect.objectContaining({ code: 'config' }));
  });
});
