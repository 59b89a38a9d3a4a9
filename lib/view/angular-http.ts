import type { HttpClient, HttpErrorResponse, HttpEvent, HttpEventType, HttpResponseBase } from '@angular/common/http';
import { Subscription } from 'rxjs';

// By their numbers: an import of the values would bring the whole module, which a plain program cannot load uncompiled.
const HEADERS: HttpEventType.ResponseHeader = 2;
const PROGRESS: HttpEventType.DownloadProgress = 3;
const RESPONSE: HttpEventType.Response = 4;

/** A `Response` with one of these has no body. */
const EMPTY_STATUS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Angular's `HttpClient` as a `fetch`, so that interceptors see the requests of models and of runs on a server. For text in UTF-8.
 *
 * It understands the address as a text or URL, and of the options `method`, `headers`, `body`, `signal` and `redirect` (as far as Angular
 * does: with `withFetch()` before version 22, not with `withXhr()`). Use it where an interceptor is needed: `HttpClient` keeps the whole
 * answer in memory, and does not wait for a slow reader.
 *
 * Contract:
 * - starts: one request for each call, like every `fetch`.
 * - leaves: an aborted `signal` and a cancelled body unsubscribe from `HttpClient`, which aborts the request.
 * - fails: rejects where no answer comes; a status is none. A body that breaks off, and one that an interceptor begins anew after some of it
 *   was read, errors its stream.
 *
 * @param http - from `inject(HttpClient)`
 *
 * @example A model whose requests go through interceptors
 * ```ts
 * import { HttpClient, provideHttpClient, withFetch } from '@angular/common/http';
 * import { inject } from '@angular/core';
 * import { provideToolLoop } from 'rx-tool-loop/angular';
 * import { httpClientFetch } from 'rx-tool-loop/angular-http';
 * import { openaiChat } from 'rx-tool-loop/openai-chat';
 *
 * export const providers = [
 *   provideHttpClient(withFetch()),
 *   provideToolLoop(() => ({ model: openaiChat({ model: 'gpt-5-mini', baseUrl: `${location.origin}/llm`, fetch: httpClientFetch(inject(HttpClient)) }) })),
 * ];
 * ```
 * @public
 */
export function httpClientFetch(http: HttpClient): typeof globalThis.fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      if (typeof input !== 'string' && !(input instanceof URL)) throw new TypeError('httpClientFetch: give the address as a text or URL, and the rest as options.');
      const { method = 'GET', headers, body, signal, redirect } = init;
      if (signal?.aborted === true) throw signal.reason;

      const exchange = new Exchange(resolve, reject);
      const abort = (): void => exchange.fail(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      exchange.subscription.add(() => signal?.removeEventListener('abort', abort));
      const events$ = http.request(method, String(input), {
        observe: 'events',
        responseType: 'text',
        reportProgress: true,
        headers: Object.fromEntries(new Headers(headers)),
        body: ArrayBuffer.isView(body) ? new TextDecoder().decode(body) : body,
        ...(redirect !== undefined && { redirect }),
      });
      exchange.subscription.add(events$.subscribe(exchange));
    });
}

/** One request, and what is known of its answer. */
class Exchange {
  readonly subscription = new Subscription();
  private readonly resolve: (response: Response) => void;
  private readonly reject: (error: unknown) => void;
  private readonly encoder = new TextEncoder();
  private readonly body: ReadableStream<Uint8Array>;
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private isTold = false;
  /** Letters of the body that were passed on. */
  private length = 0;

  constructor(resolve: (response: Response) => void, reject: (error: unknown) => void) {
    this.resolve = resolve;
    this.reject = reject;
    this.body = new ReadableStream({
      start: (controller) => void (this.controller = controller),
      cancel: () => this.end(),
    });
  }

  next(event: HttpEvent<string>): void {
    if (event.type === HEADERS) {
      if (this.length > 0) return this.fail(new TypeError('The answer was begun anew after a part of it had been read: an interceptor must not repeat a request by then.'));
      // What is no success may yet be repeated by an interceptor, with a fresh token say.
      if (event.ok) this.tell(event);
    } else if (event.type === PROGRESS) {
      if (this.isTold) this.say((event as { readonly partialText?: string }).partialText);
    } else if (event.type === RESPONSE) {
      this.whole(event, event.body);
    }
  }

  error(error: unknown): void {
    const { status = 0, error: body } = error as Partial<HttpErrorResponse>;
    // A status is an answer; Angular tells of it in the way that it tells of failures.
    if (!this.isTold && status >= 300 && (typeof body === 'string' || body === null)) return this.whole(error as HttpErrorResponse, body);
    this.fail(new TypeError('HttpClient got no whole answer.', { cause: body ?? error }));
  }

  complete(): void {
    this.fail(new TypeError('HttpClient ended without an answer.'));
  }

  fail(error: unknown): void {
    this.reject(error);
    this.controller?.error(error);
    this.end();
  }

  private whole(response: HttpResponseBase, body: string | null): void {
    this.tell(response);
    this.say(body ?? '');
    this.controller?.close();
    this.end();
  }

  private end(): void {
    this.controller = undefined;
    this.subscription.unsubscribe();
  }

  private tell({ status, statusText, headers }: HttpResponseBase): void {
    if (this.isTold) return;
    this.isTold = true;
    const pairs = headers.keys().flatMap((name) => (headers.getAll(name) ?? []).map((value): [string, string] => [name, value]));
    this.resolve(new Response(EMPTY_STATUS.has(status) ? null : this.body, { status, statusText, headers: pairs }));
  }

  /** Angular tells the whole text so far, each time. */
  private say(text = ''): void {
    const more = text.slice(this.length);
    if (more === '') return;
    this.length = text.length;
    this.controller?.enqueue(this.encoder.encode(more));
  }
}
