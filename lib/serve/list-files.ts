import * as z from 'zod';
import { defineTool } from '../index.ts';
import { BoundedLines } from './bounded-lines.ts';
import { glob } from './glob.ts';
import type { InsideRoot } from './inside-root.ts';
import { rootPath } from './root-path.ts';
import { RootWalk } from './root-walk.ts';
import type { WalkLimits } from './root-walk.ts';
import { shownPath } from './shown-path.ts';

/** More than a model can use at once. */
const MAX_PATHS = 500;
/** Entries of one folder that are read. */
const MAX_ENTRIES = 50_000;

/**
 * The tool that lists a folder inside the root, or the files below it whose paths match a pattern. At most 500 lines.
 *
 * @internal
 */
export function listFiles(root: InsideRoot, limits?: WalkLimits) {
  return defineTool({
    name: 'list_files',
    description: 'Lists a folder, or, with a glob, all files below it that match. Folders end in /.',
    input: z.object({
      path: z.string().default('').describe('A folder, relative to the root. Default: the root.'),
      glob: z.string().optional().describe('Such as *.ts (in any folder), src/**/*.md or **/*.{js,ts}; relative to path.'),
    }),
    run: ({ path, glob: pattern }, { signal }) => {
      if (pattern === undefined) return listing(root, path);
      return matching(rootPath(path), glob(pattern), new RootWalk(root, signal, limits));
    },
  });
}

async function listing(root: InsideRoot, path: string): Promise<string> {
  const lines = new BoundedLines(MAX_PATHS);
  const { entries, isCut } = await root.folder(path, MAX_ENTRIES);
  for (const entry of entries) {
    const mark = entry.isDirectory() ? '/' : entry.isFile() ? '' : entry.isSymbolicLink() ? ' (link)' : ' (no file)';
    if (!lines.add(`${shownPath(entry.name)}${mark}`)) break;
  }
  if (entries.length === 0) return '(the folder is empty)';
  const total = `${entries.length}${isCut ? ' or more' : ''}`;
  return lines.text(lines.count < entries.length || isCut ? `${lines.count} of ${total} entries are shown; give a glob` : '');
}

async function matching(start: string, matches: (path: string) => boolean, walk: RootWalk): Promise<string> {
  const lines = new BoundedLines(MAX_PATHS);
  for await (const file of walk.files(start)) {
    if (!matches(start === '' ? file : file.slice(start.length + 1))) continue;
    if (!lines.add(shownPath(file))) return lines.text(`${lines.count} files are shown, there are more; give a narrower path or glob`);
  }
  return lines.text(lines.count === 0 ? 'no file matches' : '', walk.stopped);
}
