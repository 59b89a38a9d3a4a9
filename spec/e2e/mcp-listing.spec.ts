import { describe, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import { fromMcp } from '../../lib/invoke/from-mcp.ts';
import type { FromMcpOptions } from '../../lib/invoke/from-mcp.ts';
import { connection } from './mcp-connection.ts';
import type { Version } from './mcp-connection.ts';

async function listed(version: Version, mode: string, options: FromMcpOptions = {}): Promise<string[]> {
  const open = await connection(version, 'stdio', { mode });
  try {
    const tools = await firstValueFrom(fromMcp(open.client, options));
    return tools.map(({ name }) => name);
  } finally {
    await open.close();
  }
}

describe.each<[Version]>([[1], [2]])('with package %d, the list of a server', (version) => {
  it('is read page after page', async () => {
    expect(await listed(version, 'pages')).toEqual(['page0', 'page1', 'page2']);
  });

  it('that does not end is the fault of the server', async () => {
    const error = { code: 'tool', kind: version === 1 ? 'provider' : 'other', message: expect.stringMatching(/^fromMcp: the tools of the server cannot be listed: .*(64|twice).*[.]$/) };
    await expect(listed(version, 'endless')).rejects.toMatchObject(error);
    await expect(listed(version, 'cycle')).rejects.toMatchObject(error);
  });

  it('holds names that providers refuse, which have to be changed', async () => {
    await expect(listed(version, 'names')).rejects.toMatchObject({ code: 'config', message: expect.stringMatching(/"notes.read" is no name that providers take.*by rename, or leave it out by filter\.$/) });
    expect(await listed(version, 'names', { rename: ({ name }) => name.replace('.', '_dot_').replace('/', '-') })).toEqual(['notes_dot_read', 'notes-read', 'plain']);
    expect(await listed(version, 'names', { filter: ({ name }) => name === 'plain', prefix: 's1_' })).toEqual(['s1_plain']);
  });

  it('may not come to two tools of one name', async () => {
    const rename = ({ name }: { name: string }): string => name.replace(/[^a-z]/g, '_');
    await expect(listed(version, 'names', { rename })).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('"notes.read" and "notes/read" of the server are both called "notes_read"') });
  });
});
