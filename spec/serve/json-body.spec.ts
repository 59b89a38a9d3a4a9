import { describe, expect, it } from '@jest/globals';
import { jsonBody } from '../../lib/serve/json-body.ts';

const LIMITS = { maxBodyBytes: 40, bodyTimeoutMs: 20 };
const JSON_TYPE = { 'content-type': 'application/json' };
const read = (body: BodyInit | undefined, headers: Record<string, string> = JSON_TYPE, mayBeEmpty = false) =>
  jsonBody(new Request('http://localhost/', { method: 'POST', headers, ...(body !== undefined && { body }), duplex: 'half' } as RequestInit), LIMITS, mayBeEmpty);
const stream = (...chunks: string[]) => new ReadableStream({ start: (to) => { for (const chunk of chunks) to.enqueue(new TextEncoder().encode(chunk)); if (chunks.length > 0) to.close(); } });

describe('jsonBody', () => {
  it('reads JSON, in however many pieces', async () => {
    expect(await read('{"a":"é"}')).toEqual({ a: 'é' });
    expect(await read(stream('{"a', '":1}'), { 'content-type': 'Application/JSON; charset=utf-8' })).toEqual({ a: 1 });
  });

  it('takes nothing for an empty object where that is enough', async () => {
    expect(await read(undefined, {}, true)).toEqual({});
    await expect(read('', JSON_TYPE)).rejects.toMatchObject({ status: 400, message: 'The body is not JSON: it is empty.' });
  });

  it.each([[{}], [{ 'content-type': 'text/plain' }], [{ 'content-type': 'application/jsonp' }]])('refuses %j', async (headers) => {
    await expect(read(new Uint8Array([123, 125]), headers as Record<string, string>)).rejects.toMatchObject({ status: 415, code: 'not-json' });
  });

  it('refuses more than it may hold, without reading on', async () => {
    await expect(read('x'.repeat(41))).rejects.toMatchObject({ status: 413 });
    let pulled = 0;
    const endless = new ReadableStream({ pull: (to) => { pulled += 1; to.enqueue(new Uint8Array(10)); } });
    await expect(read(endless)).rejects.toMatchObject({ status: 413, code: 'body-too-large', message: expect.stringContaining('40 bytes') });
    expect(pulled).toBeLessThan(10);
  });

  it('does not wait for ever', async () => {
    await expect(read(stream())).rejects.toMatchObject({ status: 408, code: 'body-too-slow' });
  });

  it('says where the fault is, and not what stands there', async () => {
    await expect(read('{"a":1,\n "secret" x}')).rejects.toMatchObject({ status: 400, code: 'invalid-json', message: expect.stringMatching(/^The body is not JSON at line 2, column \d+\.$/) });
    await expect(read('{"secret":')).rejects.toMatchObject({ message: expect.not.stringContaining('secret') });
    await expect(read(new Uint8Array([123, 0xff]))).rejects.toMatchObject({ status: 400, message: expect.stringContaining('UTF-8') });
  });

  it('refuses what is nested so deep that nobody could write it down again', async () => {
    const nested = (depth: number) => jsonBody(new Request('http://localhost/', { method: 'POST', headers: JSON_TYPE, body: '['.repeat(depth) + ']'.repeat(depth) }), { ...LIMITS, maxBodyBytes: 5_000 });
    expect(JSON.stringify(await nested(500))).toHaveLength(1_000);
    await expect(nested(501)).rejects.toMatchObject({ status: 400, code: 'invalid-body', message: 'The body is nested deeper than 500 levels: make it flatter.' });
  });

  it('says when a body breaks off', async () => {
    const broken = new ReadableStream({ start: (to) => to.error(new Error('gone')) });
    await expect(read(broken)).rejects.toMatchObject({ status: 400, code: 'body-broken' });
  });
});
