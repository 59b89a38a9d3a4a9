import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../index.ts';
import type { HttpHandler } from './http.ts';
import { isLoopback } from './is-loopback.ts';
import { Problem } from './problem.ts';

/**
 * Mounts a handler on a server of `node:http`: `createServer(nodeListener(handler)).listen(8080)`. A handler without
 * `authorize` answers on addresses of this machine alone; on others every request gets 403.
 *
 * A client that reads slowly slows its own answer; one that leaves cancels it.
 *
 * @public
 */
export function nodeListener(handler: HttpHandler): RequestListener {
  return (incoming, outgoing) => {
    void serve(handler, incoming, outgoing).catch(() => outgoing.destroy());
  };
}

export interface ListenOptions {
  /** Default 0: any that is free. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
}

export interface Listening {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Ends the runs softly, then the connections and the server. */
  close(): Promise<void>;
}

/** Until a request's headers, and the whole request, are there. */
const [HEADERS_MS, REQUEST_MS] = [10_000, 30_000];

/**
 * A server of its own for a handler: with time limits against slow senders; it calls `recover()`.
 *
 * Rejects with a {@link ConfigError} for a host that other machines can reach where the handler has no `authorize`, and with
 * the system's error where the port is taken.
 *
 * @public
 */
export async function listen(handler: HttpHandler, { port = 0, host = '127.0.0.1' }: ListenOptions = {}): Promise<Listening> {
  if (!handler.isGuarded && !isLoopback(host)) {
    throw new ConfigError(`listen: other machines can reach ${host}, and nobody checks who asks. Give httpHandler the option authorize, or listen on 127.0.0.1.`);
  }
  let open: () => void = () => undefined;
  const recovered = new Promise<void>((resolve) => (open = resolve));
  // Until then a run that goes on looks like one that has ended, and nothing that it waits for is open.
  const patient = Object.assign((request: Request) => recovered.then(() => handler(request)), handler);
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1_000 }, nodeListener(patient));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // Only where the port is ours: a second server of the same folder must not go on with the runs of the first.
  await handler.recover().catch((error: unknown) => {
    server.close();
    server.closeAllConnections();
    throw error;
  });
  open();
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await handler.close();
      server.closeIdleConnections();
      // Those who watch get the ending; who does not read it is not waited for.
      const timer = setTimeout(() => server.closeAllConnections(), 1_000);
      await closed;
      clearTimeout(timer);
    },
  };
}

async function serve(handler: HttpHandler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const left = new AbortController();
  outgoing.on('close', () => left.abort());
  outgoing.on('error', () => undefined);
  const response = await answerTo(handler, incoming, left.signal);
  if (left.signal.aborted) return void response.body?.cancel();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  if (reader === undefined) return void outgoing.end();
  outgoing.flushHeaders();
  left.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done || left.signal.aborted) break;
    if (!outgoing.write(value)) await drained(outgoing, left.signal);
  }
  outgoing.end();
}

async function answerTo(handler: HttpHandler, incoming: IncomingMessage, signal: AbortSignal): Promise<Response> {
  const local = incoming.socket.localAddress;
  if (!handler.isGuarded && (local === undefined || !isLoopback(local))) {
    return new Problem(403, 'not-loopback', 'Other machines can reach this address, and nobody checks who asks: give httpHandler the option authorize.').response();
  }
  let request: Request;
  try {
    request = requestOf(incoming, signal);
  } catch {
    return new Problem(400, 'invalid-request', 'The request cannot be read: check its method, its target and its Host header.', { connection: 'close' }).response();
  }
  return handler(request);
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', headers, url = '/' } = incoming;
  const scheme = 'encrypted' in incoming.socket ? 'https' : 'http';
  // The target is a path; a whole address in it would choose another host than the header says.
  if (!url.startsWith('/')) throw new TypeError('no path');
  const address = new URL(`${scheme}://${headers.host ?? 'invalid host'}${url}`);
  const pairs = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]));
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(address, { method, headers: pairs, signal, ...(hasBody && { body: bodyOf(incoming), duplex: 'half' }) } as RequestInit);
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const iterator = incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(new Uint8Array(value));
      },
      cancel: async () => void (await iterator.return?.()),
    },
    { highWaterMark: 0 },
  );
}

function drained(outgoing: ServerResponse, left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      outgoing.off('drain', go);
      left.removeEventListener('abort', go);
      resolve();
    };
    outgoing.on('drain', go);
    left.addEventListener('abort', go);
    if (left.aborted) go();
  });
}
