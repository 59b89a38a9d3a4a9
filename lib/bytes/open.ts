import { Observable } from 'rxjs';
import type { Subscription } from 'rxjs';
import type { Demand } from '../demand.ts';
import { ModelError } from '../errors.ts';
import { providerFault } from './provider-fault.ts';

export interface OpenRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or UTF-8. Without one it is a GET. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Default: the global `fetch`, looked up when the exchange starts. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Epoch milliseconds: what a `Retry-After` date is measured against. */
  readonly now: () => number;
  /**
   * Asked on leaving: has the wire's own end marker come? Then the rest of the body is read away (for a second at most)
   * instead of aborted, because an aborted connection cannot serve the next request.
   */
  readonly isOver?: () => boolean;
  /** Told the status of an answer, before its body. */
  readonly onStatus?: (status: number) => void;
  /** Asked before each read. Default: nothing waits. */
  readonly demand?: Demand | undefined;
}

const LINGER_MS = 1_000;
const FAILURE_BODY_BYTES = 65_536;

/**
 * Sends a POST, or a GET where there is no body, and emits the body of its answer, one value for each network read. The only `fetch` of the library.
 *
 * Contract:
 * - starts: on subscribing; every subscription is one exchange.
 * - leaves: the exchange is aborted in the same tick, if it has not ended.
 * - fails: a status other than 2xx is a {@link ModelError} `model-http` (with `status`, `type`, `detail`,
 *   `retryAfterMs`); no connection, or a body that breaks off, is `model-transport`, which may be tried again.
 *   A redirect is a failure too: following it would carry the credentials to wherever it points.
 *
 * @returns cold, any number of chunks, none of them empty
 * @internal
 */
export function open(request: OpenRequest): Observable<Uint8Array> {
  return new Observable((subscriber) => {
    const controller = new AbortController();
    let ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asking: Subscription | undefined;

    /** Undefined while the gate is open: a promise for each read would cost a tick. */
    const demanded = (): Promise<void> | undefined => {
      if (request.demand === undefined || subscriber.closed) return undefined;
      let open = false;
      let proceed = (): void => {
        open = true;
      };
      asking = request.demand.ready().subscribe({ complete: () => proceed() });
      if (open) return undefined;
      return new Promise((resolve) => {
        proceed = resolve;
      });
    };

    const exchange = async (): Promise<void> => {
      let connected = false;
      try {
        const response = await (request.fetch ?? globalThis.fetch)(request.url, {
          headers: request.headers,
          ...(request.body === undefined ? {} : { method: 'POST', body: request.body }),
          redirect: 'manual',
          signal: controller.signal,
        });
        connected = true;
        request.onStatus?.(response.status);
        const reader = response.body?.getReader();
        if (subscriber.closed) return void (await reader?.cancel()); // a `fetch` that does not listen to its signal
        if (!response.ok) throw failure(request, response, await textOf(reader, request.headers));
        for (;;) {
          const wait = demanded();
          if (wait !== undefined) await wait;
          const read = await reader?.read();
          if (read === undefined || read.done) break;
          if (subscriber.closed) return controller.abort(); // it said more after its end marker
          if (read.value.length > 0) subscriber.next(read.value);
        }
        ended = true;
        subscriber.complete();
      } catch (error) {
        if (subscriber.closed) return;
        subscriber.error(error instanceof ModelError ? error : broken(request, connected, error));
      } finally {
        clearTimeout(timer);
      }
    };
    void exchange();

    return () => {
      asking?.unsubscribe();
      if (ended) return;
      if (request.isOver?.() !== true) return controller.abort();
      timer = setTimeout(() => controller.abort(), LINGER_MS);
      // Node: an idle connection alone does not keep the process.
      (timer as { unref?: () => void }).unref?.();
    };
  });
}

type Reader = ReadableStreamDefaultReader<Uint8Array> | undefined;

/** The start of a failure's body; what lies past it is aborted. */
async function textOf(reader: Reader, headers: OpenRequest['headers']): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (reader !== undefined && text.length < FAILURE_BODY_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The status says enough; what came of the body is kept.
  }
  return withoutSecrets(text, headers);
}

/** Some proxies answer with the request they were sent. */
function withoutSecrets(text: string, headers: OpenRequest['headers']): string {
  let safe = text;
  for (const [name, value] of Object.entries(headers)) {
    if (!/auth|key|token|secret|cookie/i.test(name)) continue;
    const secret = value.replace(/^\w+ /, '');
    if (secret.length >= 8) safe = safe.replaceAll(secret, '[removed]');
  }
  return safe;
}

function failure(request: OpenRequest, response: Response, body: string): ModelError {
  // A browser shows a redirect as status 0.
  const status = response.status;
  const fault = providerFault(body, status);
  const retryAfterMs = fault.retryable ? retryAfter(response.headers, request.now()) : undefined;
  const name = fault.type === undefined ? '' : ` (${fault.type})`;
  const message = `${placeOf(request)} answered ${status}${name}. ${advice(status, fault.retryable, retryAfterMs)}`;
  return new ModelError('model-http', message, {
    ...fault,
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function advice(status: number, retryable: boolean, retryAfterMs: number | undefined): string {
  if (retryable) return `It may be tried again${retryAfterMs === undefined ? '' : ` in ${retryAfterMs} ms`}.`;
  if (status < 400) return 'Redirects are not followed: set the base URL to where the service is.';
  if (status === 401 || status === 403) return 'Check the API key and what it may use.';
  if (status === 404) return 'Check the base URL and the model name.';
  if (status === 402 || status === 429) return 'The account is out of quota or credit.';
  return 'The request was refused; `detail` holds the answer.';
}

/** `retry-after-ms`, or `retry-after` as seconds or as an HTTP date, in milliseconds from now. */
function retryAfter(headers: Headers, now: number): number | undefined {
  const exact = numberIn(headers.get('retry-after-ms'));
  if (exact !== undefined) return Math.ceil(exact);
  const value = headers.get('retry-after');
  const seconds = numberIn(value);
  if (seconds !== undefined) return Math.ceil(seconds * 1_000);
  // All three forms of an HTTP date begin with the day of the week; the oldest leaves out that it means GMT.
  if (value === null || !/^(mon|tue|wed|thu|fri|sat|sun)/i.test(value)) return undefined;
  const at = Date.parse(/gmt/i.test(value) ? value : `${value} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function numberIn(value: string | null): number | undefined {
  return value !== null && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

function broken(request: OpenRequest, connected: boolean, cause: unknown): ModelError {
  const what = connected ? `The answer of ${placeOf(request)} broke off` : `${placeOf(request)} could not be reached`;
  // Node's fetch puts the system's word for it one level down.
  const code = (cause as { cause?: { code?: unknown } } | null | undefined)?.cause?.code;
  const why = typeof code === 'string' ? ` (${code})` : '';
  return new ModelError('model-transport', `${what}${why}. It may be tried again.`, { retryable: true, cause });
}

/** Without the query, which can hold a key. */
function placeOf(request: OpenRequest): string {
  const { origin, pathname } = new URL(request.url);
  return origin + pathname;
}
