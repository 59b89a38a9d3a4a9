import { createHash } from 'node:crypto';
import type { HttpHandler } from './http.ts';
import { Problem } from './problem.ts';

/**
 * A door with a page at `/`. The page is one file: its scripts and styles are inside, and nothing else may run or be asked for
 * but this server. Who may see runs is asked of the door, not of the page: that is the same for everybody.
 *
 * @param page - the page's text; asked for once, when somebody wants it
 * @internal
 */
export function withPage(handler: HttpHandler, page: () => Promise<string>): HttpHandler {
  let made: Promise<{ readonly text: string; readonly headers: Readonly<Record<string, string>> }> | undefined;
  const handle = async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname !== '/') return handler(request);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return new Problem(405, 'wrong-method', 'This path takes GET alone: the runs are at another one.', { allow: 'GET, HEAD' }).response();
    }
    made ??= page().then((html) => ({ text: html, headers: headersOf(html) }));
    const { text, headers } = await made;
    return new Response(request.method === 'HEAD' ? null : text, { headers });
  };
  return Object.assign(handle, { isGuarded: handler.isGuarded, recover: () => handler.recover(), close: () => handler.close() });
}

function headersOf(html: string): Readonly<Record<string, string>> {
  const markup = html.replace(SCRIPT, '');
  const policy = [
    "default-src 'none'",
    `script-src ${hashes(html, SCRIPT)}`,
    `style-src ${hashes(markup, /<style[^>]*>([\s\S]*?)<\/style>/g)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  };
}

const SCRIPT = /<script[^>]*>([\s\S]*?)<\/script>/g;

/** What is inside of each element, by its hash: nothing else runs, whatever a run says. */
function hashes(html: string, element: RegExp): string {
  return [...html.matchAll(element)].map(([, inside = '']) => `'sha256-${createHash('sha256').update(inside).digest('base64')}'`).join(' ');
}
