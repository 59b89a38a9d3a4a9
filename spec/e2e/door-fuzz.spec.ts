import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Agent, request as ask } from 'node:http';
import { connect } from 'node:net';
import { listen } from '../../lib/serve/node-listener.ts';
import type { Listening } from '../../lib/serve/node-listener.ts';
import { doorOf, heldTurn, post } from '../serve/door.ts';

const SEED = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 2 ** 31);
const LIMIT = 2_048;
const errors: unknown[] = [];
const held = heldTurn();
const door = doorOf([held.turn()], { limits: { maxBodyBytes: LIMIT, bodyTimeoutMs: 300 }, onError: (error) => errors.push(error) });
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
let server: Listening;

beforeAll(async () => {
  server = await listen(door);
  await door(post('', { prompt: 'hi', runId: 'r1' }));
});
afterAll(async () => {
  agent.destroy();
  await server.close();
});

interface Input {
  readonly method: string;
  readonly path: string;
  readonly type?: string | undefined;
  readonly body?: Uint8Array | string;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

function send({ method, path, type, body }: Input): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = { ...(type !== undefined && { 'content-type': type }), ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) };
    const request = ask(`${server.url}${path}`, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    // The server may answer and close before it has read a body that is too large.
    request.on('error', (error: NodeJS.ErrnoException) => (error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve({ status: 413, text: '' }) : reject(error)));
    request.end(body);
  });
}

/** The same without a socket, which is where most of the time would go. */
async function hand({ method, path, type, body }: Input): Promise<Answered> {
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  const response = await door(new Request(`http://localhost${path}`, { method, headers, ...(body !== undefined && { body: typeof body === 'string' ? body : Uint8Array.from(body) }) }));
  return { status: response.status, text: await response.text() };
}

const JSON_TYPE = 'application/json';
const bytes = fc.uint8Array({ maxLength: 200 });
const garbage = fc.oneof(bytes, fc.string(), fc.constantFrom('', '{', '[1,', '"', 'nul', '{"prompt":"a"}x', '\ufeff', '{"prompt":"\\ud800'));
const wrongShape = fc.oneof(
  fc.anything({ withNullPrototype: false }).filter((value) => !(typeof value === 'object' && value !== null && ('prompt' in value || 'messages' in value))),
  fc.record({ prompt: fc.oneof(fc.integer(), fc.constant(''), fc.constant(null), fc.array(fc.string())) }),
  fc.record({ messages: fc.oneof(fc.string(), fc.constant([]), fc.array(fc.anything(), { minLength: 1, maxLength: 3 })) }),
  fc.record({ prompt: fc.constant('a'), runId: fc.oneof(fc.constant('../../etc/passwd'), fc.constant(''), fc.integer(), fc.constant('a'.repeat(129)), fc.constant('a\0b')) }),
  fc.record({ prompt: fc.constant('a'), threadId: fc.oneof(fc.integer(), fc.constant(''), fc.constant('t'.repeat(300))) }),
);
const asJson = (value: unknown): string => JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one)) ?? 'null';
const forged = fc.oneof(fc.constantFrom('r2', 'R1', '..', '%2e%2e', '..%2f..%2fetc', 'r1%00', 'a'.repeat(300), '__proto__', 'constructor'), fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 3 }));
const action = fc.constantFrom('', '/events', '/steer', '/answers', '/cancel');

const inputs: fc.Arbitrary<Input> = fc.oneof(
  garbage.map((body): Input => ({ method: 'POST', path: '/runs', type: JSON_TYPE, body })),
  wrongShape.map((value): Input => ({ method: 'POST', path: '/runs', type: JSON_TYPE, body: asJson(value).slice(0, LIMIT) })),
  fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', undefined).map((type): Input => ({ method: 'POST', path: '/runs', type, body: '{"prompt":"a"}' })),
  fc.integer({ min: LIMIT + 1, max: LIMIT * 8 }).map((length): Input => ({ method: 'POST', path: '/runs', type: JSON_TYPE, body: 'x'.repeat(length) })),
  fc.tuple(fc.constantFrom('PUT', 'DELETE', 'PATCH', 'GET', 'QUERY', 'PROPFIND'), fc.constantFrom('/runs', '/runs/r1/steer', '/runs/r1/cancel')).map(([method, path]): Input => ({ method, path })),
  fc.tuple(fc.constantFrom('PUT', 'DELETE', 'POST'), fc.constantFrom('/runs/r1', '/runs/r1/events')).map(([method, path]): Input => ({ method, path })),
  fc.tuple(forged, action).map(([id, act]): Input => (act === '' || act === '/events' ? { method: 'GET', path: `/runs/${id}${act}` } : { method: 'POST', path: `/runs/${id}${act}`, type: JSON_TYPE, body: '{}' })),
  fc.tuple(fc.constantFrom('steer', 'answers'), garbage).map(([act, body]): Input => ({ method: 'POST', path: `/runs/r1/${act}`, type: JSON_TYPE, body })),
  fc.dictionary(fc.string(), fc.constantFrom<unknown>({ type: 'approve' }, { type: 'decline' }, { type: 'result', content: 'x' }, { type: 'suspend' }, 3, null)).map(
    (answers): Input => ({ method: 'POST', path: '/runs/r1/answers', type: JSON_TYPE, body: asJson({ answers }).slice(0, LIMIT) }),
  ),
  fc.constantFrom('-1', 'x', '1e9', '99999999999999999999', '%00').map((after): Input => ({ method: 'GET', path: `/runs/r1/events?after=${after}` })),
  fc.constantFrom('xml', '__proto__', 'toString', '').map((format): Input => ({ method: 'GET', path: `/runs/r1/events?format=${format}` })),
  fc.webPath().filter((path) => !path.startsWith('/runs')).map((path): Input => ({ method: 'GET', path: path.startsWith('/') ? path : `/${path}` })),
);

describe('a door that is sent what is wrong', () => {
  it(`answers each of 10,000 inputs with a clear 4xx, and lives (seed ${SEED})`, async () => {
    const all = fc.sample(inputs, { numRuns: 10_000, seed: SEED });
    const wrong: unknown[] = [];
    const worker = async (): Promise<void> => {
      for (let input = all.pop(); input !== undefined; input = all.pop()) {
        const { status, text } = await (all.length % 5 === 0 ? send(input) : hand(input));
        const isClear = status === 413 && text === '' ? true : hasWords(text, status);
        if (status < 400 || status > 499 || !isClear) wrong.push({ input, status, text });
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(errors).toEqual([]);
    expect((await send({ method: 'GET', path: '/runs/r1' })).status).toBe(200);
  }, 180_000);

  it('closes a connection that sends no HTTP', async () => {
    for (const junk of fc.sample(fc.uint8Array({ minLength: 1, maxLength: 300 }), { numRuns: 100, seed: SEED })) {
      expect(await rawAnswer([Buffer.from(junk), '\r\n\r\n'])).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
    }
    expect(await rawAnswer(['GET http://evil.example/runs/r1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'])).toMatch(/^HTTP\/1\.1 400 /);
    expect(await rawAnswer(['GET /runs/r1 HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'])).toMatch(/^HTTP\/1\.1 400 /);
    expect(await rawAnswer(['GET /runs/r1 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'])).toMatch(/^HTTP\/1\.1 403 /);
    expect((await send({ method: 'GET', path: '/runs/r1' })).status).toBe(200);
  }, 60_000);

  it('ends requests whose headers or body never come', async () => {
    const head = 'POST /runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
    const slow = Array.from({ length: 20 }, () => rawAnswer([head], false));
    const headless = Array.from({ length: 20 }, () => rawAnswer(['POST /runs HTTP/1.1\r\nHost: local'], false));
    expect((await send({ method: 'GET', path: '/runs/r1' })).status).toBe(200);
    for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*body-too-slow/);
    for (const answer of await Promise.all(headless)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  }, 60_000);
});

function hasWords(text: string, status: number): boolean {
  try {
    const problem = JSON.parse(text) as { status?: unknown; code?: unknown; detail?: unknown };
    return problem.status === status && typeof problem.code === 'string' && typeof problem.detail === 'string' && problem.detail.length > 20;
  } catch {
    return false;
  }
}

/** What comes back for these bytes, until the server closes. */
function rawAnswer(pieces: readonly (string | Uint8Array)[], end = true): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    for (const piece of pieces) socket.write(piece);
    if (end) socket.end();
  });
}
