import { describe, expect, it } from '@jest/globals';
import { of, throwError } from 'rxjs';
import type { McpClient, McpPage } from '../../lib/invoke/mcp-client.ts';
import { mcpListing } from '../../lib/invoke/mcp-listing.ts';

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

/** A client that answers at once, so that what it says can be looked at without waiting. */
function listed(pageOf: (cursor: string | undefined) => McpPage) {
  const asked: (string | undefined)[] = [];
  const client = {
    listTools: (params?: { cursor?: string }) => {
      asked.push(params?.cursor);
      return of(pageOf(params?.cursor));
    },
    callTool: () => throwError(() => new Error('called')),
  } as unknown as McpClient;
  let said: unknown;
  mcpListing(client).subscribe({ next: (tools) => (said = tools.map(({ name }) => name)), error: (error: unknown) => (said = error) });
  return { said, asked };
}

describe('mcpListing', () => {
  it.each([undefined, '', null])('ends at the cursor %j', (nextCursor) => {
    expect(listed(() => ({ tools: [tool('a')], nextCursor } as McpPage))).toEqual({ said: ['a'], asked: [undefined] });
  });

  it('joins the pages in order', () => {
    const next: Record<string, string> = { '': 'x', x: 'y' };
    const { said, asked } = listed((cursor = '') => ({ tools: [tool(`a${cursor}`), tool(`b${cursor}`)], nextCursor: next[cursor] }));
    expect(said).toEqual(['a', 'b', 'ax', 'bx', 'ay', 'by']);
    expect(asked).toEqual([undefined, 'x', 'y']);
  });

  it('takes 64 pages and no more', () => {
    const pages = (last: number) => listed((cursor = '1') => ({ tools: [tool(`t${cursor}`)], nextCursor: Number(cursor) < last ? String(Number(cursor) + 1) : undefined }));
    expect(pages(64).said).toHaveLength(64);
    const { said, asked } = pages(65);
    expect(said).toMatchObject({ code: 'tool', kind: 'provider', retryable: false, message: 'the list does not end: there are more than 64 pages. The server is at fault' });
    expect(asked).toHaveLength(64);
  });

  it('knows a cursor again', () => {
    const { said, asked } = listed((cursor) => ({ tools: [], nextCursor: cursor === 'x' ? 'y' : 'x' }));
    expect(said).toMatchObject({ message: expect.stringContaining('the cursor "x" came twice') });
    expect(asked).toEqual([undefined, 'x', 'y']);
  });
});
