import { defer, EMPTY, expand, reduce } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer } from '../answer.ts';
import { ToolError } from '../errors.ts';
import type { McpClient, McpPage, McpTool } from './mcp-client.ts';

const MAX_PAGES = 64;

/**
 * All tools of a server, page after page.
 *
 * Contract:
 * - starts: on subscribing, a request for each page.
 * - leaves: no further page is asked for.
 * - fails: as the client does; with a {@link ToolError} past 64 pages and at a cursor that came before. Newer clients walk
 *   the pages themselves, within the same bound.
 *
 * @internal
 */
export function mcpListing(client: McpClient): Observable<readonly McpTool[]> {
  return defer(() => {
    const cursors = new Set<string>();
    const page = (cursor?: string): Observable<McpPage> => defer(() => answer(client.listTools(cursor === undefined ? undefined : { cursor })));
    const next = ({ nextCursor: cursor }: McpPage): Observable<McpPage> => {
      // An empty one is no cursor: servers that mean "no more" send it.
      if (cursor === undefined || cursor === null || cursor === '') return EMPTY;
      if (cursors.has(cursor)) throw endless(`the cursor ${JSON.stringify(cursor.slice(0, 100))} came twice`);
      cursors.add(cursor);
      if (cursors.size >= MAX_PAGES) throw endless(`there are more than ${MAX_PAGES} pages`);
      return page(cursor);
    };
    return page().pipe(
      expand(next),
      reduce((all: readonly McpTool[], { tools }) => [...all, ...tools], []),
    );
  });
}

function endless(why: string): ToolError {
  return new ToolError('provider', `the list does not end: ${why}. The server is at fault`, { retryable: false });
}
