import { describe, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import { remoteOpen } from '../../lib/view/remote-open.ts';

/** A `fetch` that keeps what it is asked. */
function kept() {
  const asked: { url: string; init: RequestInit }[] = [];
  const fetch = ((url: string, init: RequestInit) => (asked.push({ url, init }), Promise.resolve(new Response('yes')))) as unknown as typeof globalThis.fetch;
  return { asked, fetch };
}

describe('remoteOpen', () => {
  it('asks at the address of the runs, with or without a slash at its end', async () => {
    const { asked, fetch } = kept();
    for (const url of ['http://a.example/runs', 'http://a.example/runs/']) {
      await firstValueFrom(remoteOpen({ url, fetch }, '', { headers: {} }));
      await firstValueFrom(remoteOpen({ url, fetch }, '/r1/events', { headers: {} }));
    }
    const [runs, events] = ['http://a.example/runs', 'http://a.example/runs/r1/events'];
    expect(asked.map(({ url }) => url)).toEqual([runs, events, runs, events]);
  });

  it('asks the place for its headers each time, and sends those of the request beside them', async () => {
    const { asked, fetch } = kept();
    let token = 0;
    const said$ = remoteOpen({ url: 'http://a.example/runs', fetch, headers: () => ({ authorization: `t${(token += 1)}` }) }, '', { headers: { accept: 'a/b' }, body: '{}' });
    expect(token).toBe(0);
    await firstValueFrom(said$);
    await firstValueFrom(said$);
    expect(asked.map(({ init }) => init.headers)).toEqual([{ authorization: 't1', accept: 'a/b' }, { authorization: 't2', accept: 'a/b' }]);
    expect(asked.map(({ init }) => [init.method, init.body])).toEqual([['POST', '{}'], ['POST', '{}']]);
  });

  it('takes a path in a page as one of the server that the page is from', async () => {
    const { asked, fetch } = kept();
    const place = globalThis as { location?: { href: string } };
    place.location = { href: 'https://app.example/chat?x=1' };
    try {
      await firstValueFrom(remoteOpen({ url: '/runs', fetch }, '/r1', { headers: {} }));
    } finally {
      delete place.location;
    }
    expect(asked[0]?.url).toBe('https://app.example/runs/r1');
    await expect(firstValueFrom(remoteOpen({ url: '/runs', fetch }, '', { headers: {} }))).rejects.toThrow('Invalid URL');
  });

  it('lets go of the request when it is left', () => {
    let signal: AbortSignal | null | undefined;
    const never = ((_url: string, init: RequestInit) => ((signal = init.signal), new Promise(() => undefined))) as unknown as typeof fetch;
    remoteOpen({ url: 'http://a.example/runs', fetch: never }, '', { headers: {} }).subscribe().unsubscribe();
    expect(signal?.aborted).toBe(true);
  });
});
