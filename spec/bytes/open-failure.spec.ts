import { afterEach, describe, expect, it } from '@jest/globals';
import { open } from '../../lib/bytes/open.ts';
import type { OpenRequest } from '../../lib/bytes/open.ts';
import type { ModelError } from '../../lib/errors.ts';
import { closeServers, serve } from '../support/loopback.ts';

const NOW = Date.parse('Sun, 06 Nov 1994 08:49:00 GMT');
afterEach(closeServers);

interface Failed {
  readonly error: ModelError;
  readonly said: string;
}

function failureOf(url: string, more: Partial<OpenRequest> = {}): Promise<Failed> {
  let said = '';
  return new Promise((resolve, reject) => {
    open({ url: `${url}/v1/chat?key=in-the-query`, headers: {}, body: '{}', now: () => NOW, ...more }).subscribe({
      next: (chunk) => (said += Buffer.from(chunk).toString()),
      error: (error: ModelError) => resolve({ error, said }),
      complete: () => reject(new Error('It completed.')),
    });
  });
}

async function answered(status: number, headers: Record<string, string>, body = ''): Promise<ModelError> {
  const url = await serve((_request, response) => response.writeHead(status, headers).end(body));
  return (await failureOf(url)).error;
}

const BAD = JSON.stringify({ error: { message: 'Slow down', type: 'requests', code: 'rate_limit_exceeded' } });
const SPENT = JSON.stringify({ error: { message: 'Pay', type: 'insufficient_quota', code: 'insufficient_quota' } });

describe('a failure status', () => {
  it('is a ModelError with what the answer says', async () => {
    const error = await answered(429, { 'retry-after': '2' }, BAD);
    expect(error).toMatchObject({ code: 'model-http', status: 429, retryable: true, retryAfterMs: 2_000, type: 'requests', detail: BAD });
    expect(error.message).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1\/chat answered 429 \(requests\)\. It may be tried again in 2000 ms\.$/);
  });

  it.each([
    [400, false, 'The request was refused; `detail` holds the answer.'],
    [401, false, 'Check the API key and what it may use.'],
    [403, false, 'Check the API key and what it may use.'],
    [404, false, 'Check the base URL and the model name.'],
    [402, false, 'The account is out of quota or credit.'],
    [422, false, 'The request was refused; `detail` holds the answer.'],
    [408, true, 'It may be tried again.'],
    [409, true, 'It may be tried again.'],
    [500, true, 'It may be tried again.'],
    [529, true, 'It may be tried again.'],
  ])('%i is retryable: %s, and says what to do', async (status, retryable, advice) => {
    const error = await answered(status, {}, '<html>');
    expect(error).toMatchObject({ code: 'model-http', status, retryable, retryAfterMs: undefined, detail: '<html>' });
    expect(error.message.endsWith(`answered ${status}. ${advice}`)).toBe(true);
  });

  it('of an empty account is fatal, and the wait it names is not kept', async () => {
    const error = await answered(429, { 'retry-after': '2' }, SPENT);
    expect(error).toMatchObject({ status: 429, retryable: false, retryAfterMs: undefined, type: 'insufficient_quota' });
    expect(error.message).toContain('out of quota or credit');
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['zero', { 'retry-after': '0' }, 0],
    ['parts of a second', { 'retry-after': '1.2345' }, 1_235],
    ['a date', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }, 37_000],
    ['a date of the second form', { 'retry-after': 'Sunday, 06-Nov-94 08:49:37 GMT' }, 37_000],
    ['a date of the oldest form', { 'retry-after': 'Sun Nov  6 08:49:37 1994' }, 37_000],
    ['a date that is past', { 'retry-after': 'Sun, 06 Nov 1994 08:00:00 GMT' }, 0],
    ['milliseconds', { 'retry-after-ms': '250' }, 250],
    ['milliseconds before seconds', { 'retry-after-ms': '250.5', 'retry-after': '9' }, 251],
    ['seconds after nonsense', { 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
    ['nonsense', { 'retry-after': 'soon 5' }, undefined],
    ['nonsense that begins like a date', { 'retry-after': 'Sunday maybe' }, undefined],
    ['a negative', { 'retry-after': '-5' }, undefined],
    ['nothing', {}, undefined],
  ])('reads Retry-After as %s', async (_name, headers, retryAfterMs) => {
    expect((await answered(503, headers)).retryAfterMs).toBe(retryAfterMs);
  });

  it('keeps 2,000 characters of a long body, and does not read one without an end', async () => {
    expect((await answered(500, {}, 'x'.repeat(100_000))).detail).toBe('x'.repeat(2_000));
    let closed!: () => void;
    const left = new Promise<void>((resolve) => (closed = resolve));
    const url = await serve((request, response) => {
      request.socket.on('close', closed);
      response.writeHead(500).write('y'.repeat(200_000));
    });
    expect((await failureOf(url)).error.detail).toBe('y'.repeat(2_000));
    await left;
  });

  it('keeps what came of a body that breaks off', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(500, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    expect((await failureOf(url)).error).toMatchObject({ code: 'model-http', status: 500 });
  });

  it('never shows the key, though the answer repeats it, nor the query', async () => {
    const url = await serve((request, response) => response.writeHead(401).end(`bad key: ${request.headers.authorization}`));
    const { error } = await failureOf(url, { headers: { authorization: 'Bearer sk-0123456789' } });
    expect(error.detail).toBe('bad key: Bearer [removed]');
    expect(JSON.stringify({ ...error, message: error.message })).not.toMatch(/sk-0123|in-the-query/);
  });

  it('of a redirect is fatal, and nothing goes where it points', async () => {
    let followed = 0;
    const elsewhere = await serve((_request, response) => response.end(String((followed += 1))));
    const error = await answered(307, { location: elsewhere });
    expect(error).toMatchObject({ code: 'model-http', status: 307, retryable: false });
    expect(error.message).toContain('set the base URL to where the service is');
    expect(followed).toBe(0);
  });
});

describe('a broken exchange', () => {
  it('is transient when nobody listens', async () => {
    const url = await serve(() => undefined);
    await closeServers();
    const { error } = await failureOf(url);
    expect(error).toMatchObject({ code: 'model-transport', retryable: true, status: undefined });
    expect(error.message).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1\/chat could not be reached \(ECONNREFUSED\)\. It may be tried again\.$/);
    expect((error.cause as Error).name).toBe('TypeError');
  });

  it('is transient when the body breaks off, after what had come', async () => {
    const url = await serve((_request, response) => {
      response.write('half', () => setImmediate(() => response.destroy()));
    });
    const { error, said } = await failureOf(url);
    expect(error).toMatchObject({ code: 'model-transport', retryable: true });
    expect(error.message).toMatch(/^The answer of http:\S+\/v1\/chat broke off/);
    expect(said).toBe('half');
  });

  it('is transient when fetch throws, also at once and something that is no error', async () => {
    const throwing = (() => {
      throw 'no network';
    }) as unknown as typeof globalThis.fetch;
    const { error } = await failureOf('http://nowhere.invalid', { fetch: throwing });
    expect(error).toMatchObject({ code: 'model-transport', retryable: true, cause: 'no network' });
    expect(error.message).toBe('http://nowhere.invalid/v1/chat could not be reached. It may be tried again.');
  });
});
