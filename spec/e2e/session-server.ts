import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SessionServer {
  readonly baseUrl: string;
  /** The JSON bodies of the requests, in order. */
  readonly requests: Record<string, unknown>[];
  close(): Promise<void>;
}

/** A loopback server that gives request n the body n, byte for byte, and 410 to any further one. */
export async function sessionServer(bodies: readonly Uint8Array[]): Promise<SessionServer> {
  const requests: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const body = bodies[requests.length];
      requests.push(JSON.parse(text) as Record<string, unknown>);
      if (body === undefined) response.writeHead(410).end();
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
