/** A `fetch` that answers at once, and what it was called with. */
export function fakedFetch(body: string | Uint8Array, init?: ResponseInit): { fetch: typeof fetch; calls: [url: string, init: RequestInit][] } {
  const calls: [string, RequestInit][] = [];
  const fake = async (url: string, given: RequestInit): Promise<Response> => {
    calls.push([url, given]);
    return new Response(body as BodyInit, init);
  };
  return { fetch: fake as typeof fetch, calls };
}
