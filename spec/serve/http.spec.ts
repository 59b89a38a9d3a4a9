import { afterEach, describe, expect, it } from '@jest/globals';
import { map, VirtualTimeScheduler } from 'rxjs';
import { memoryRunLog } from '../../lib/serve/http.ts';
import { BASE, closeDoors, doorOf, eventsIn, framesIn, get, heldTurn, post, readUntil } from './door.ts';

afterEach(closeDoors);

const STREAM = { accept: 'text/event-stream' };
const PROMPT = { prompt: 'hi', runId: 'r1' };
const ANSWER = [{ text: ['Hel', 'lo'] }];

async function problem(answer: Promise<Response>) {
  const response = await answer;
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const { code, detail, status } = (await response.json()) as { code: string; detail: string; status: number };
  expect(status).toBe(response.status);
  expect(detail.length).toBeGreaterThan(20);
  return [status, code];
}

describe('POST /runs', () => {
  it('streams the events of a run to who accepts a stream', async () => {
    const response = await doorOf(ANSWER)(post('', PROMPT, STREAM));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no', location: '/runs/r1',
    });
    const text = await response.text();
    expect(eventsIn(text).map(({ type }) => type)).toEqual(['run-start', 'step-start', 'delta', 'delta', 'delta', 'step-end', 'done']);
    expect(framesIn(text).map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  });

  it('answers others with 202 and the place of the run', async () => {
    const response = await doorOf(ANSWER)(post('', PROMPT));
    expect(response.status).toBe(202);
    expect(response.headers.get('location')).toBe('/runs/r1');
    expect(await response.json()).toEqual({ runId: 'r1', events: '/runs/r1/events' });
  });

  it('makes an id where none is given', async () => {
    const response = await doorOf(ANSWER, { ids: () => 'made' })(post('', { prompt: 'hi' }));
    expect(await response.json()).toMatchObject({ runId: 'made' });
  });

  it('tells the host what was asked, and lets it refuse', async () => {
    const asked: unknown[] = [];
    const door = doorOf([], {
      authorize: () => ({ subject: 'ann' }),
      start: (body, context) => {
        asked.push([body, context.runId, context.subject, context.request?.headers.get('x-plan')]);
        return new Response('no', { status: 402 });
      },
    });
    const response = await door(post('', { ...PROMPT, colour: 'red' }, { 'x-plan': 'free' }));
    expect([response.status, await response.text()]).toEqual([402, 'no']);
    expect(asked).toEqual([[{ ...PROMPT, colour: 'red' }, 'r1', 'ann', 'free']]);
    expect(await problem(door(get('/r1')))).toEqual([404, 'run-gone']);
  });

  it('takes an id once', async () => {
    const door = doorOf([...ANSWER, ...ANSWER]);
    await (await door(post('', PROMPT, STREAM))).text();
    expect(await problem(door(post('', PROMPT)))).toEqual([409, 'run-exists']);
  });

  it('runs so many at the same time, and says when to try again', async () => {
    const held = heldTurn();
    const door = doorOf([held.turn()], { limits: { maxRuns: 1 } });
    await door(post('', PROMPT));
    const refused = await door(post('', { prompt: 'hi' }));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    held.finish();
    expect((await door(post('', { prompt: 'hi' }))).status).toBe(202);
  });

  it('tells nobody why the server failed, but the host', async () => {
    const errors: unknown[] = [];
    const door = doorOf([], { start: () => Promise.reject(new Error('secret')), onError: (error) => errors.push(error) });
    const response = await door(post('', PROMPT));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    expect(errors).toEqual([new Error('secret')]);
  });
});

describe('GET /runs/:id/events', () => {
  it('gives the rest after every position', async () => {
    const door = doorOf(ANSWER);
    const frames = framesIn(await (await door(post('', PROMPT, STREAM))).text());
    for (let after = 0; after <= frames.length; after += 1) {
      const byHeader = await (await door(get('/r1/events', { 'last-event-id': String(after) }))).text();
      const byQuery = await (await door(get(`/r1/events?after=${after}`))).text();
      expect(framesIn(byHeader)).toEqual(frames.slice(after));
      expect(byQuery).toBe(byHeader);
    }
    expect((await door(get(`/r1/events?after=${frames.length}`))).status).toBe(204);
    for (const wrong of ['-1', '1.5', 'x', '8', '9'.repeat(20)]) expect(await problem(door(get(`/r1/events?after=${wrong}`)))).toEqual([400, 'invalid-position']);
  });

  it('follows a run that goes on', async () => {
    const held = heldTurn();
    const door = doorOf([held.turn()]);
    await door(post('', PROMPT));
    const reader = (await door(get('/r1/events'))).body?.getReader();
    if (reader === undefined) throw new Error('no body');
    expect(await readUntil(reader, '"text":"a"')).toContain('run-start');
    held.say('more');
    await readUntil(reader, '"text":"more"');
    held.finish();
    await readUntil(reader, '"type":"done"');
  });

  it('ends with the masked error of a run that fails', async () => {
    const door = doorOf([], { start: () => ({ model: { id: 'm', provider: 'p', capabilities: [], stream: () => { throw new Error('secret'); } } }) });
    const frames = framesIn(await (await door(post('', PROMPT, STREAM))).text());
    expect(frames.at(-1)).toMatchObject({ event: 'error', data: JSON.stringify({ code: 'other', message: 'The run failed.', retryable: false }) });
    expect(framesIn(await (await door(get('/r1/events'))).text())).toEqual(frames);
  });

  it('writes other formats, from the start even where a watcher goes on in the middle', async () => {
    const counted = { headers: { 'x-counted': '1' }, encode: map((_event: unknown, at: number) => `data: ${at}\n\n`) };
    const door = doorOf(ANSWER, { formats: { counted } });
    await (await door(post('', PROMPT, STREAM))).text();
    const response = await door(get('/r1/events?format=counted&after=5'));
    expect(response.headers.get('x-counted')).toBe('1');
    expect(await response.text()).toBe('id: 6\ndata: 5\n\nid: 7\ndata: 6\n\n');
    expect(await problem(door(get('/r1/events?format=odd')))).toEqual([400, 'unknown-format']);
    expect(await problem(door(get('/r1/events?format=toString')))).toEqual([400, 'unknown-format']);
  });

  it('gives a late watcher a snapshot and the rest', async () => {
    const held = heldTurn();
    const snapshot = { initial: () => 0, fold: (count: number) => count + 1 };
    const door = doorOf([held.turn()], { snapshot: snapshot as never });
    await door(post('', PROMPT));
    const body = door(get('/r1/events?snapshot=1')).then((response) => response.text());
    await new Promise(setImmediate);
    held.finish();
    const frames = framesIn(await body);
    expect(frames[0]).toEqual({ id: '3', event: 'snapshot', data: '3' });
    expect(frames.slice(1).map(({ id }) => id)).toEqual(['4', '5', '6']);
    expect(framesIn(await (await door(get('/r1/events?snapshot=1'))).text())).toEqual([{ id: '6', event: 'snapshot', data: '6' }]);
    expect(await problem(doorOf(ANSWER)(get('/r1/events?snapshot=1')))).toEqual([404, 'run-gone']);
  });

  it('gives no snapshot of an earlier run that had the same id', async () => {
    let folded = 0;
    const door = doorOf(ANSWER, { log: memoryRunLog({ maxRuns: 1 }), snapshot: { initial: () => 0, fold: () => (folded += 1) } });
    for (const runId of ['r1', 'r2', 'r1']) {
      await (await door(post('', { prompt: 'hi', runId }, STREAM))).text();
      await (await door(get(`/${runId}/events?snapshot=1`))).text();
    }
    expect(folded).toBe(21);
  });

  it('lets so many watch one run', async () => {
    const held = heldTurn();
    const door = doorOf([held.turn()], { limits: { maxWatchers: 1 } });
    await door(post('', PROMPT));
    const reader = (await door(get('/r1/events'))).body?.getReader();
    await reader?.read();
    expect(await problem(door(get('/r1/events')))).toEqual([429, 'too-many-watchers']);
    await reader?.cancel();
    expect((await door(get('/r1/events'))).status).toBe(200);
  });

  it('says that events are gone which the log no longer keeps', async () => {
    const door = doorOf(ANSWER, { log: memoryRunLog({ maxEvents: 4 }) });
    await door(post('', PROMPT));
    expect(await problem(door(get('/r1/events')))).toEqual([410, 'events-gone']);
    expect(framesIn(await (await door(get('/r1/events?after=5'))).text()).map(({ id }) => id)).toEqual(['6', '7']);
  });

  it('sends a comment where nothing comes, and not one more to a reader that stands still', async () => {
    const scheduler = new VirtualTimeScheduler();
    scheduler.maxFrames = 100_000;
    const held = heldTurn();
    const door = doorOf([held.turn()], { scheduler, heartbeatMs: 1_000, limits: { maxRunMs: Infinity } });
    await door(post('', PROMPT));
    const reader = (await door(get('/r1/events'))).body?.getReader();
    if (reader === undefined) throw new Error('no body');
    await readUntil(reader, '"text":"a"');
    const next = reader.read();
    scheduler.flush();
    expect(new TextDecoder().decode((await next).value)).toBe(': alive\n\n');
  });
});

describe('a run behind a door', () => {
  it('is told of where it stands', async () => {
    const held = heldTurn();
    const door = doorOf([held.turn()]);
    await door(post('', { ...PROMPT, threadId: 't1' }));
    const status = async () => (await door(get('/r1'))).json();
    expect(await status()).toEqual({ runId: 'r1', threadId: 't1', status: 'running', position: 3, requests: [], watchers: 0 });
    held.finish();
    expect(await status()).toMatchObject({ status: 'done', position: 6 });
  });

  it('does not notice that a watcher leaves', async () => {
    const held = heldTurn();
    const door = doorOf([held.turn()]);
    const response = await door(post('', PROMPT, STREAM));
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    held.finish();
    expect(eventsIn(await (await door(get('/r1/events'))).text()).at(-1)?.type).toBe('done');
  });

  it('ends softly when it is cancelled, and is left the second time', async () => {
    const door = doorOf([heldTurn().turn(), heldTurn().turn()]);
    const end = async (): Promise<unknown> => eventsIn(await (await door(get('/r1/events'))).text()).at(-1);
    await door(post('', PROMPT));
    expect(await (await door(post('/r1/cancel'))).json()).toEqual({ runId: 'r1', status: 'cancelling' });
    expect(await end()).toMatchObject({ type: 'done', outcome: { reason: 'aborted' } });
    expect(await (await door(post('/r1/cancel'))).json()).toEqual({ runId: 'r1', status: 'ended' });
    await door(post('', { prompt: 'hi', runId: 'r2' }));
    await door(post('/r2/cancel?hard=1'));
    expect(framesIn(await (await door(get('/r2/events'))).text()).at(-1)).toMatchObject({ event: 'error', data: expect.stringContaining('"cancelled"') });
  });

  it('hears what is said to it', async () => {
    const held = heldTurn();
    const door = doorOf([held.turn(), { text: 'ok' }]);
    await door(post('', PROMPT));
    expect((await door(post('/r1/steer', { message: 'be brief' }))).status).toBe(202);
    held.finish();
    const events = eventsIn(await (await door(get('/r1/events'))).text());
    expect(events.find(({ type }) => type === 'steering')).toMatchObject({ messages: [{ role: 'user', content: [{ type: 'text', text: 'be brief' }] }] });
    expect(await problem(door(post('/r1/steer', { message: 'late' })))).toEqual([409, 'run-ended']);
    expect(await problem(door(post('/r1/steer', { message: 3 })))).toEqual([400, 'invalid-body']);
  });

  it('is cancelled where nobody watches it, if that is asked for', async () => {
    const scheduler = new VirtualTimeScheduler();
    scheduler.maxFrames = 10_000;
    const door = doorOf([heldTurn().turn()], { scheduler, onAbandoned: 'cancel', abandonedAfterMs: 5_000 });
    await door(post('', PROMPT));
    scheduler.flush();
    expect(eventsIn(await (await door(get('/r1/events'))).text()).at(-1)).toMatchObject({ outcome: { reason: 'aborted' } });
  });

  it('is ended when its time is over', async () => {
    const scheduler = new VirtualTimeScheduler();
    scheduler.maxFrames = 10_000;
    const door = doorOf([heldTurn().turn()], { scheduler, limits: { maxRunMs: 5_000 } });
    await door(post('', PROMPT));
    scheduler.flush();
    expect(eventsIn(await (await door(get('/r1/events'))).text()).at(-1)).toMatchObject({ outcome: { reason: 'aborted' } });
  });

  it('belongs to the subject that started it', async () => {
    const door = doorOf(ANSWER, { authorize: (request) => ({ subject: request.headers.get('x-user') ?? '' }) });
    await door(post('', PROMPT, { 'x-user': 'ann' }));
    expect((await door(get('/r1', { 'x-user': 'ann' }))).status).toBe(200);
    for (const path of ['', '/events']) expect(await problem(door(get(`/r1${path}`, { 'x-user': 'bob' })))).toEqual([404, 'run-gone']);
    for (const path of ['/steer', '/answers', '/cancel']) expect(await problem(door(post(`/r1${path}`, {}, { 'x-user': 'bob' })))).toEqual([404, 'run-gone']);
  });
});

describe('a door that closes', () => {
  it('ends its runs softly, and begins no other', async () => {
    const door = doorOf([heldTurn().turn()]);
    await door(post('', PROMPT));
    await door.close();
    expect(eventsIn(await (await door(get('/r1/events'))).text()).at(-1)).toMatchObject({ outcome: { reason: 'aborted' } });
    expect(await problem(door(post('', { prompt: 'hi' })))).toEqual([503, 'closing']);
  });
});

describe('a request that is wrong', () => {
  it.each([
    ['another path', new Request('http://localhost/'), 404, 'no-such-path'],
    ['a path below', get('/r1/events/more'), 404, 'no-such-path'],
    ['an unknown action', get('/r1/start'), 404, 'no-such-path'],
    ['a forged id', get('/..%2Fetc'), 404, 'run-gone'],
    ['an unknown id', get('/r9'), 404, 'run-gone'],
    ['the wrong method', get(''), 405, 'wrong-method'],
    ['no content type', new Request(BASE, { method: 'POST', body: new Uint8Array([123, 125]) }), 415, 'not-json'],
    ['another content type', post('', {}, { 'content-type': 'text/plain' }), 415, 'not-json'],
    ['no prompt', post('', {}), 400, 'invalid-body'],
    ['another host', new Request('http://evil.example/runs/r1'), 403, 'not-loopback'],
    ['a page of elsewhere', get('/r1', { origin: 'https://evil.example' }), 403, 'origin-refused'],
  ])('with %s is refused', async (_name, request, status, code) => {
    expect(await problem(doorOf(ANSWER)(request))).toEqual([status, code]);
  });

  it('says which method would be right', async () => {
    expect((await doorOf(ANSWER)(get(''))).headers.get('allow')).toBe('POST, OPTIONS');
  });
});
