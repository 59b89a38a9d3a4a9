import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { asyncScheduler } from 'rxjs';

/** What the server does with one request. */
export interface Reply {
  /** Default 200. */
  readonly status?: number;
  /** Over the server's own: `content-type: text/event-stream`, and `connection: close`, so that an open socket is a leak. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Before the head is sent. */
  readonly delayMs?: number;
  /** No head is sent: the ending comes first. */
  readonly headless?: true;
  readonly gzip?: true;
  /** Sends so many bytes of the body (after `gzip`) and no more. */
  readonly cutAt?: number;
  /** Default `whole`: one write. */
  readonly write?: 'whole' | 'byte by byte';
  /** What the ending waits for. A broken connection takes with it what its reader has not read yet. */
  readonly until?: Promise<unknown>;
  /**
   * What follows the bytes: the end of the body, a socket that is reset, a socket that is closed inside the body, nothing
   * ever again, or one text again and again. Default `end`.
   */
  readonly ending?: 'end' | 'reset' | 'close' | 'stall' | { readonly repeat: string; readonly everyMs: number; readonly onRepeat?: () => void };
}

export interface Recorded {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** Times of the runs' default scheduler, milliseconds. */
  readonly at: number;
  readonly answeredAt: number;
}

export interface FaultServer {
  /** Without a path. */
  readonly origin: string;
  /** In order. */
  readonly requests: readonly Recorded[];
  /** Answers that their reader left before they had ended. */
  readonly aborted: () => number;
  /**
   * Waits, five seconds at most, until no socket that brought a request is open; how many are open then. Node's fetch
   * connects anew after an abort, without a request: such a socket is not the reader's.
   */
  quiet(): Promise<number>;
  close(): Promise<void>;
}

const QUIET_MS = 5_000;
const running = new Set<FaultServer>();

/**
 * A server on this machine alone that answers request n as reply n says, and 410 past the last one; or as the function
 * says, which is given the number of the request, from 0. {@link closeFaultServers} ends it.
 */
export async function faultServer(script: readonly Reply[] | ((request: number) => Reply)): Promise<FaultServer> {
  const requests: (Recorded & { answeredAt: number })[] = [];
  const sockets = new Set<Socket>();
  const asking = new Set<Socket>();
  let aborted = 0;
  let onSocketEnd = (): void => undefined;

  const server = createServer((request, response) => {
    let text = '';
    asking.add(request.socket);
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const reply = typeof script === 'function' ? script(requests.length) : (script[requests.length] ?? { status: 410 });
      const at = asyncScheduler.now();
      const recorded = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) as Recorded['body'], at, answeredAt: at };
      requests.push(recorded);
      const broken = { byServer: false };
      response.on('close', () => !response.writableFinished && !broken.byServer && (aborted += 1));
      // Its reader may leave at any moment.
      response.on('error', () => undefined);
      void send(reply, response, broken, recorded);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      asking.delete(socket);
      onSocketEnd();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const self: FaultServer = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    aborted: () => aborted,
    quiet: () =>
      new Promise((resolve) => {
        const settle = (): void => {
          clearTimeout(bound);
          onSocketEnd = () => undefined;
          resolve(asking.size);
        };
        const bound = setTimeout(settle, QUIET_MS);
        onSocketEnd = () => asking.size === 0 && settle();
        onSocketEnd();
      }),
    close: () =>
      new Promise((resolve) => {
        running.delete(self);
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  running.add(self);
  return self;
}

/**
 * Ends every fault server of this file. The turn at the end is for the test runner, which fails a test for a rejection
 * that nobody handled and hears of one only when the turn that made it is over.
 */
export async function closeFaultServers(): Promise<void> {
  for (const server of [...running]) await server.close();
  await new Promise((resolve) => setImmediate(resolve));
}

async function send(reply: Reply, response: ServerResponse, broken: { byServer: boolean }, recorded: { answeredAt: number }): Promise<void> {
  const { status = 200, headers, body = '', delayMs = 0, cutAt, write = 'whole', until, ending = 'end' } = reply;
  if (delayMs > 0) await wait(delayMs);
  recorded.answeredAt = asyncScheduler.now();
  if (reply.headless === undefined && !response.destroyed) {
    const own = { 'content-type': 'text/event-stream', connection: 'close', ...(reply.gzip && { 'content-encoding': 'gzip' }) };
    response.writeHead(status, { ...own, ...headers });
    response.flushHeaders();
    const whole = reply.gzip ? gzipSync(body) : Buffer.from(body);
    await put(response, whole.subarray(0, cutAt), write);
  }
  await until;
  if (response.destroyed) return;
  if (ending === 'end') response.end();
  if (ending === 'reset' || ending === 'close') {
    broken.byServer = true;
    if (ending === 'reset') response.socket?.resetAndDestroy();
    else response.destroy();
  }
  while (typeof ending === 'object' && !response.destroyed) {
    response.write(ending.repeat);
    await wait(ending.everyMs);
    ending.onRepeat?.();
  }
}

async function put(response: ServerResponse, bytes: Uint8Array, write: Reply['write']): Promise<void> {
  if (write === 'whole') return void (bytes.length > 0 && response.write(bytes));
  response.socket?.setNoDelay(true);
  for (let at = 0; at < bytes.length && !response.destroyed; at += 1) {
    response.write(bytes.subarray(at, at + 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
