import { Redaction } from './redaction.ts';

/** One exchange, as JSON. Times are whole milliseconds since the request was made. */
export interface RecordedExchange {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    /** Parsed where it was JSON, else its text. Absent where there was none, or it was a stream or a form. */
    readonly body?: unknown;
  };
  /** Absent where none came. */
  readonly response?: { readonly at: number; readonly status: number; readonly headers: Readonly<Record<string, string>> };
  /** The body of the response, one for each read. */
  readonly chunks: readonly RecordedChunk[];
  /** `aborted`: by the signal, or because the reader left. `error`: no connection, or it broke off. */
  readonly end: { readonly at: number; readonly how: 'end' | 'aborted' | 'error'; readonly message?: string };
}

/** `text` where the bytes are UTF-8 by themselves, else `base64`: a read may end inside a character. */
export type RecordedChunk = { readonly at: number; readonly text: string } | { readonly at: number; readonly base64: string };

export interface RecordFetchOptions {
  /** What makes the request. Default: the global `fetch`, looked up for each exchange. */
  readonly fetch?: typeof globalThis.fetch;
  /** Milliseconds from any start, never going back. Default: `performance.now()`. */
  readonly now?: () => number;
  /** Texts to take out wherever they stand, beside those that are found by their name or their look. Default: none. */
  readonly secrets?: readonly string[];
}

/**
 * A `fetch` for an adapter's option of that name, which also records each exchange: one record for `sink`, when the
 * exchange has ended. Keys, cookies and what names an account are taken out of URL, headers and bodies; what cannot be
 * told apart from other text is not, so look through a record before you publish it.
 *
 * The exchange goes on as without it: the same request, the same chunks at the same time, read only when the reader reads.
 *
 * Contract:
 * - starts: with each call. A body is kept in memory until its exchange has ended; one that is neither read to its end
 *   nor left is never recorded.
 * - leaves: aborting the signal and cancelling the body reach the real exchange, and end the record.
 * - fails: as the real `fetch` does, with the same error. What `sink` throws is reported to the host, as an error that
 *   nobody caught; the exchange goes on.
 *
 * @example Record what a service sends
 * ```ts
 * import { openaiChat } from 'rx-tool-loop/openai-chat';
 * import { recordFetch } from 'rx-tool-loop/record';
 *
 * const fetch = recordFetch((exchange) => console.log(JSON.stringify(exchange)));
 * const model = openaiChat({ model: 'gpt-5-mini', apiKey: 'sk-...', fetch });
 * ```
 * @public
 */
export function recordFetch(sink: (exchange: RecordedExchange) => void, options: RecordFetchOptions = {}): typeof globalThis.fetch {
  const { now = () => performance.now(), secrets = [] } = options;
  return async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const startedAt = now();
    const exchange = new Exchange(sink, new Redaction(secrets), () => Math.max(0, Math.round(now() - startedAt)), input, init);
    try {
      const response = await (options.fetch ?? globalThis.fetch)(input, init);
      return exchange.answered(response);
    } catch (error) {
      exchange.failed(error);
      throw error;
    }
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

class Exchange {
  private readonly sink: (exchange: RecordedExchange) => void;
  private readonly redaction: Redaction;
  private readonly at: () => number;
  private readonly asked: { readonly method: string; readonly url: string; readonly headers: Headers; readonly body: string | undefined };
  private readonly signal: AbortSignal | undefined;
  private readonly chunks: { readonly at: number; readonly bytes: Uint8Array }[] = [];
  private answer: { readonly at: number; readonly status: number; readonly headers: Headers } | undefined;
  private isOver = false;

  constructor(sink: (exchange: RecordedExchange) => void, redaction: Redaction, at: () => number, input: RequestInfo | URL, init: RequestInit = {}) {
    this.sink = sink;
    this.redaction = redaction;
    this.at = at;
    const request = typeof input === 'object' && 'url' in input ? input : undefined;
    this.asked = {
      method: (init.method ?? request?.method ?? 'GET').toUpperCase(),
      url: request?.url ?? String(input),
      headers: new Headers(init.headers ?? request?.headers),
      body: textOf(init.body),
    };
    this.signal = init.signal ?? request?.signal;
    this.signal?.addEventListener('abort', this.abort);
  }

  failed(error: unknown): void {
    this.end(this.signal?.aborted === true ? 'aborted' : 'error', error);
  }

  /** The same response, whose body is recorded while it is read. */
  answered(response: Response): Response {
    const { status, statusText, headers, url, redirected, type, body } = response;
    this.answer = { at: this.at(), status, headers };
    if (body === null) {
      this.end('end');
      return response;
    }
    const recorded = new Response(this.recorded(body.getReader()), { status, statusText, headers });
    return Object.defineProperties(recorded, { url: { value: url }, redirected: { value: redirected }, type: { value: type } });
  }

  private recorded(reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read();
            if (done) {
              this.end('end');
              return controller.close();
            }
            // A copy: the reader may do with its bytes as it likes.
            this.chunks.push({ at: this.at(), bytes: value.slice() });
            controller.enqueue(value as Uint8Array<ArrayBuffer>);
          } catch (error) {
            this.failed(error);
            throw error;
          }
        },
        cancel: (reason: unknown) => {
          this.end('aborted');
          return reader.cancel(reason);
        },
      },
      // Nothing is read ahead: a slow reader slows the server down as before.
      { highWaterMark: 0 },
    );
  }

  private readonly abort = (): void => this.end('aborted');

  private end(how: RecordedExchange['end']['how'], error?: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.signal?.removeEventListener('abort', this.abort);
    try {
      this.sink(this.record(how, error));
    } catch (fault) {
      queueMicrotask(() => {
        throw fault;
      });
    }
  }

  private record(how: RecordedExchange['end']['how'], error: unknown): RecordedExchange {
    const { redaction, asked, answer, chunks } = this;
    const end: Mutable<RecordedExchange['end']> = { at: this.at(), how };
    // What is taken out of these is looked for in the bodies.
    const [url, sent, received] = [redaction.url(asked.url), redaction.headers(asked.headers), answer && redaction.headers(answer.headers)];
    const body = asked.body === undefined ? {} : { body: redactedBody(asked.body, redaction) };
    if (how === 'error') end.message = redaction.text(error instanceof Error ? error.message : String(error));
    return {
      request: { method: asked.method, url, headers: sent, ...body },
      ...(answer && received && { response: { at: answer.at, status: answer.status, headers: received } }),
      chunks: redaction.bytes(chunks.map(({ bytes }) => bytes)).map((bytes, n) => ({ at: chunks[n]?.at ?? 0, ...encoded(bytes) })),
      end,
    };
  }
}

function textOf(body: BodyInit | null | undefined): string | undefined {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return new TextDecoder().decode(body);
  return undefined;
}

function redactedBody(text: string, redaction: Redaction): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return redaction.text(text);
  }
  return redaction.json(value);
}

function encoded(bytes: Uint8Array): { readonly text: string } | { readonly base64: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) };
  }
}
