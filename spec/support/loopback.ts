import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const servers = new Set<Server>();

/** A server on this machine alone, on a free port; gives its address. {@link closeServers} ends it. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Ends every server of this file with its connections. The turn at the end is for the test runner, which fails a test
 * for a rejection that nobody handled and hears of one only when the turn that made it is over.
 */
export async function closeServers(): Promise<void> {
  for (const server of servers) {
    servers.delete(server);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await new Promise((resolve) => setImmediate(resolve));
}
