import { afterEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { withPage } from '../../lib/serve/with-page.ts';
import { closeDoors, doorOf, get } from './door.ts';

afterEach(closeDoors);

const PAGE = `<!doctype html><style>b{}</style><p>Hi</p><script type="module">const a = '<style>x</style>';</script>`;
const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const ask = (path: string, method = 'GET') => new Request(`http://localhost${path}`, { method });

describe('withPage', () => {
  it('answers / with the page, and everything else as the door does', async () => {
    const door = withPage(doorOf([]), () => Promise.resolve(PAGE));
    const response = await door(ask('/?x=1'));
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([200, 'text/html; charset=utf-8', PAGE]);
    expect((await door(get('/r1'))).status).toBe(404);
    expect((await door(ask('/index.html'))).status).toBe(404);
  });

  it('lets run what is in the page, and nothing else', async () => {
    const { headers } = await withPage(doorOf([]), () => Promise.resolve(PAGE))(ask('/'));
    const policy = (headers.get('content-security-policy') ?? '').split('; ');
    expect(policy).toEqual([
      "default-src 'none'",
      `script-src ${hash("const a = '<style>x</style>';")}`,
      `style-src ${hash('b{}')}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual(['nosniff', 'no-referrer']);
  });

  it('takes GET and HEAD alone', async () => {
    const door = withPage(doorOf([]), () => Promise.resolve(PAGE));
    expect(await (await door(ask('/', 'HEAD'))).text()).toBe('');
    const refused = await door(ask('/', 'POST'));
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('reads the page once, when somebody wants it', async () => {
    let reads = 0;
    const door = withPage(doorOf([]), () => Promise.resolve((reads++, PAGE)));
    await door(get('/r1'));
    expect(reads).toBe(0);
    await Promise.all([door(ask('/')), door(ask('/'))]);
    expect(reads).toBe(1);
  });

  it('is as guarded as its door, recovers and ends with it', async () => {
    const open = doorOf([]);
    expect(withPage(open, () => Promise.resolve(PAGE)).isGuarded).toBe(false);
    const guarded = withPage(doorOf([], { authorize: () => true }), () => Promise.resolve(PAGE));
    expect([guarded.isGuarded, await guarded.recover()]).toEqual([true, 0]);
    await guarded.close();
    const late = await guarded(new Request('http://localhost/runs', { method: 'POST', body: '{"prompt":"x"}', headers: { 'content-type': 'application/json' } }));
    expect(late.status).toBe(503);
  });
});
