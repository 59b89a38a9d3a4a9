import { RemoteError } from '../index.ts';

/** Titles of the statuses that a door answers with. */
const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed', 406: 'Not Acceptable', 408: 'Request Timeout',
  409: 'Conflict', 410: 'Gone', 413: 'Content Too Large', 415: 'Unsupported Media Type', 429: 'Too Many Requests', 500: 'Internal Server Error', 503: 'Service Unavailable',
};

/**
 * A refusal: it is thrown where it is found, and becomes an answer with a body of `application/problem+json` (RFC 9457):
 * `status`, `title`, `code` for programs, and `detail`, which says what is wrong and what to do.
 *
 * @internal
 */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  /** Of anything that was thrown: what is neither a refusal nor an error of a log is the server's own affair. */
  static of(error: unknown): Problem {
    if (error instanceof Problem) return error;
    if (error instanceof RemoteError && error.status !== undefined && error.status < 500) return new Problem(error.status, error.code, error.message);
    return new Problem(500, 'internal', 'The server failed. Nothing is wrong with the request: try again later.');
  }

  response(): Response {
    const { status, code, message: detail } = this;
    const body = JSON.stringify({ type: 'about:blank', title: TITLES[status] ?? 'Error', status, code, detail });
    return new Response(body, { status, headers: { ...this.headers, 'content-type': 'application/problem+json', 'cache-control': 'no-store' } });
  }
}
