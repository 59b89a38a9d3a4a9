import { ConfigError } from '../index.ts';
import type { Tool } from '../index.ts';
import { InsideRoot } from './inside-root.ts';
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';
import { searchFiles } from './search-files.ts';

/**
 * The read-only file tools of `--root`: `list_files`, `read_file` and `search_files`.
 *
 * @throws ConfigError when there is no such folder.
 * @internal
 */
export async function rootTools(folder: string): Promise<readonly Tool[]> {
  const root = await InsideRoot.at(folder).catch((error: unknown) => {
    const code = (error as { readonly code?: unknown } | null)?.code;
    const why = code === 'ENOENT' || code === 'ENOTDIR' ? 'There is no folder' : 'The folder cannot be opened:';
    throw new ConfigError(`${why} ${JSON.stringify(folder)}. Give --root the path of one.`, { cause: error });
  });
  return [listFiles(root), readFile(root), searchFiles(root)];
}
