import { Observable } from 'rxjs';
import { remembered } from '../remembered.ts';
import type { McpClient } from './mcp-client.ts';
import { mcpMethod } from './mcp-method.ts';
import type { McpVersion } from './mcp-version.ts';

const CHANGED = 'notifications/tools/list_changed';

/** A client has room for one handler of a kind: those who listen to one client share it. */
const listenersOf = remembered((_client: McpClient) => new Set<() => void>());

/**
 * Emits when a server says that its tools have changed; never completes.
 *
 * Contract:
 * - starts: the first to listen sets the client's handler, in the place of whatever handler it had.
 * - leaves: the last to leave removes it.
 *
 * @internal
 */
export function mcpChanges(client: McpClient, version: McpVersion): Observable<void> {
  return new Observable((subscriber) => {
    const listeners = listenersOf(client);
    const listener = (): void => subscriber.next();
    if (listeners.size === 0) {
      const handler = (): void => [...listeners].forEach((one) => one());
      client.setNotificationHandler?.(mcpMethod(CHANGED, version), handler as never);
    }
    listeners.add(listener);
    subscriber.add(() => {
      listeners.delete(listener);
      if (listeners.size === 0) client.removeNotificationHandler?.(CHANGED);
    });
    if (client.getProtocolEra?.() === 'modern') subscriber.add(subscribed(client));
  });
}

/** From protocol 2026-07-28 on a server tells changes to those who subscribed to them. */
function subscribed(client: McpClient): () => void {
  const ignored = (): void => undefined;
  const opened = client.listen?.({ toolsListChanged: true });
  // A server that takes no subscription has tools that do not change.
  opened?.then(ignored, ignored);
  return () => void opened?.then((subscription) => subscription.close()).then(ignored, ignored);
}
