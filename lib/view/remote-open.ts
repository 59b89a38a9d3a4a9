import { asyncScheduler, defer } from 'rxjs';
import type { Observable } from 'rxjs';
import { open } from '../bytes/open.ts';
import type { OpenRequest } from '../bytes/open.ts';
import type { RemotePlace } from './remote-place.ts';

/**
 * One request to the runs of a server, with the headers that the place has now. Leaving aborts it.
 *
 * @param path - behind the address of the runs: empty, or beginning with `/`
 * @param asked - `headers` go beside those of the place
 * @internal
 */
export function remoteOpen({ url, headers, fetch, scheduler = asyncScheduler }: RemotePlace, path: string, asked: Pick<OpenRequest, 'headers' | 'body' | 'isOver' | 'onStatus'>): Observable<Uint8Array> {
  return defer(() => {
    const given = typeof headers === 'function' ? headers() : headers;
    const address = absolute(`${url.replace(/\/$/, '')}${path}`);
    return open({ ...asked, url: address, headers: { ...given, ...asked.headers }, fetch, now: () => scheduler.now() });
  });
}

/** In a page a path is of the page's own server. */
function absolute(url: string): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  return new URL(url, location?.href).href;
}
