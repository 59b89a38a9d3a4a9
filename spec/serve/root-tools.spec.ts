import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { rootTools } from '../../lib/serve/root-tools.ts';
import { temporaryRoot } from './temporary-root.ts';
import type { TemporaryRoot } from './temporary-root.ts';

let root: TemporaryRoot;
beforeEach(async () => {
  root = await temporaryRoot({ 'a.txt': 'A' });
});
afterEach(() => root.remove());

describe('rootTools', () => {
  it('are the three that read', async () => {
    expect((await rootTools(root.path)).map(({ name }) => name)).toEqual(['list_files', 'read_file', 'search_files']);
  });

  it('tell a model what each argument means', async () => {
    const described = (await rootTools(root.path)).flatMap(({ name, parameters }) => {
      const properties = parameters['properties'] as Record<string, { readonly description?: string }>;
      return Object.entries(properties).map(([argument, { description }]) => `${name}.${argument}: ${typeof description}`);
    });
    expect(described).toHaveLength(9);
    expect(described.filter((one) => !one.endsWith(': string'))).toEqual([]);
  });

  it.each([
    ['none', 'There is no folder'],
    ['a.txt', 'There is no folder'],
    ['a.txt/b', 'There is no folder'],
    ['x'.repeat(300), 'The folder cannot be opened:'],
  ])('need a folder, not %s', async (name, reason) => {
    const refused = rootTools(join(root.path, name));
    await expect(refused).rejects.toMatchObject({ code: 'config', message: expect.stringContaining(reason) });
    await expect(refused).rejects.toThrow('Give --root the path of one.');
  });
});
