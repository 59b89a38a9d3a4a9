/**
 * The headers that let a page of another origin read an answer; none where its origin is not in the list.
 *
 * @internal
 */
export function corsHeaders(request: Request, origins: readonly string[]): Readonly<Record<string, string>> {
  if (origins.length === 0) return {};
  const origin = request.headers.get('origin');
  if (origin === null || !origins.includes(origin)) return { vary: 'origin' };
  return { vary: 'origin', 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true', 'access-control-expose-headers': 'location, retry-after' };
}

/**
 * The answer to a preflight.
 *
 * @internal
 */
export function preflight(request: Request, origins: readonly string[]): Response {
  const headers = corsHeaders(request, origins);
  if (!('access-control-allow-origin' in headers)) return new Response(null, { status: 204, headers });
  const allowed = { 'access-control-allow-methods': 'GET, POST', 'access-control-allow-headers': 'authorization, content-type, last-event-id', 'access-control-max-age': '600' };
  return new Response(null, { status: 204, headers: { ...headers, ...allowed } });
}
