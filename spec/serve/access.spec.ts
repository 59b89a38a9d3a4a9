import { describe, expect, it } from '@jest/globals';
import { EMPTY, of } from 'rxjs';
import { access } from '../../lib/serve/access.ts';

const at = (url: string, headers: Record<string, string> = {}): Request => new Request(url, { headers });
const OWN = at('http://localhost/runs');

describe('access', () => {
  it('is for this machine alone where nobody checks who asks', async () => {
    expect(await access(OWN, { cors: [] })).toBeUndefined();
    await expect(access(at('http://rebound.example/runs'), { cors: [] })).rejects.toMatchObject({ status: 403, code: 'not-loopback' });
  });

  it.each([
    ['true', true, undefined],
    ['a subject', { subject: 'ann' }, 'ann'],
    ['a promise', Promise.resolve({ subject: 'ann' }), 'ann'],
    ['an Observable', of(true), undefined],
  ])('lets in with %s', async (_name, answer, subject) => {
    expect(await access(at('http://server.example/runs'), { cors: [], authorize: () => answer as never })).toBe(subject);
  });

  it.each([['false', false], ['nothing', undefined], ['an empty answer', EMPTY], ['something else', 'yes'], ['null', null]])('keeps out with %s', async (_name, answer) => {
    await expect(access(OWN, { cors: [], authorize: () => answer as never })).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
  });

  it('lets in pages of its own origin and of the list alone', async () => {
    const page = (origin: string) => access(at('http://localhost/runs', { origin }), { cors: ['https://app.example'] });
    await expect(page('http://localhost')).resolves.toBeUndefined();
    await expect(page('https://app.example')).resolves.toBeUndefined();
    for (const origin of ['https://evil.example', 'null', 'http://localhost:8080']) await expect(page(origin)).rejects.toMatchObject({ status: 403, code: 'origin-refused' });
  });
});
