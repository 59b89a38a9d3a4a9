import * as z from 'zod';
import { defineTool, isLoopError, ToolError } from '../index.ts';
import { BoundedLines } from './bounded-lines.ts';
import { glob } from './glob.ts';
import type { InsideRoot } from './inside-root.ts';
import { quoted } from './quoted.ts';
import { rootPath } from './root-path.ts';
import { RootWalk } from './root-walk.ts';
import type { WalkLimits } from './root-walk.ts';
import { shownPath } from './shown-path.ts';

const MAX_HITS = 200;
/** Larger files are seldom written by hand: only their beginning is searched. */
const MAX_FILE = 2 * 1_048_576;
/** Characters of a line that are shown, and how many of them stand before the hit. */
const [SHOWN, BEFORE] = [240, 80];

/**
 * The tool that finds a text in the files below a folder of the root: one line a hit, at most 200. The text is taken as it
 * is, never as a regular expression, so that no pattern can hold the run.
 *
 * @internal
 */
export function searchFiles(root: InsideRoot, limits?: WalkLimits) {
  return defineTool({
    name: 'search_files',
    description: 'Finds a text in files and shows each line that holds it, as path:line: text. It is no regular expression.',
    input: z.object({
      text: z.string().min(1).max(1_000).regex(/^[^\n\r]*$/, 'must be of one line').describe('What to find, literally.'),
      path: z.string().default('').describe('A folder or file, relative to the root. Default: the root.'),
      glob: z.string().optional().describe('Which files: such as *.ts (in any folder) or src/**/*.md; relative to path.'),
      ignoreCase: z.boolean().default(false).describe('Whether a is also A. Default: false.'),
    }),
    run: ({ text, path, glob: pattern, ignoreCase }, { signal }) => {
      const fold = ignoreCase ? (line: string): string => line.toLowerCase() : (line: string): string => line;
      const matches = pattern === undefined ? () => true : glob(pattern);
      return search(root, rootPath(path), { fold, needle: fold(text), matches }, new RootWalk(root, signal, limits));
    },
  });
}

interface Wanted {
  readonly matches: (path: string) => boolean;
  readonly fold: (line: string) => string;
  readonly needle: string;
}

async function search(root: InsideRoot, start: string, wanted: Wanted, walk: RootWalk): Promise<string> {
  const isFolder = await root.isFolder(start);
  const lines = new BoundedLines(MAX_HITS);
  let large = 0;
  for await (const file of isFolder ? walk.files(start) : [start]) {
    if (isFolder && !wanted.matches(start === '' ? file : file.slice(start.length + 1))) continue;
    const found = await readable(root, file, isFolder);
    if (found === undefined) continue;
    if (found.isCut) large += 1;
    for (const hit of hitsIn(found.text, wanted)) {
      if (!lines.add(`${shownPath(file)}:${hit}`)) return lines.text(`${lines.count} lines are shown, there are more; give a narrower path, glob or text`);
    }
  }
  const partly = large === 0 ? '' : `of ${large} large ${large === 1 ? 'file' : 'files'} only the first ${MAX_FILE / 1_048_576} MiB were searched`;
  return lines.text(lines.count === 0 ? 'nothing found' : '', partly, walk.stopped);
}

interface Found {
  readonly text: string;
  readonly isCut: boolean;
}

/** Undefined for what is binary, and for what a walk met and cannot read: it goes on. */
async function readable(root: InsideRoot, file: string, isMet: boolean): Promise<Found | undefined> {
  try {
    const bytes = await beginningOf(root, file);
    if (bytes.includes(0)) {
      if (isMet) return undefined;
      throw new ToolError('invalid-input', `${quoted(file)} is no text in UTF-8: it holds NUL bytes.`);
    }
    return { text: bytes.toString('utf8', 0, MAX_FILE), isCut: bytes.length > MAX_FILE };
  } catch (error) {
    if (isMet && isLoopError(error)) return undefined;
    throw error;
  }
}

/** One byte more than is searched, where there is one. */
async function beginningOf(root: InsideRoot, file: string): Promise<Buffer> {
  const handle = await root.file(file);
  try {
    const { size } = await handle.stat();
    // Not all files know their size (those of /proc say 0), so there is room for some more.
    const buffer = Buffer.allocUnsafe(Math.min(size + 4_096, MAX_FILE + 1));
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
    }
  } catch (error) {
    throw new ToolError('other', 'The file cannot be read.', { cause: error });
  } finally {
    await handle.close();
  }
}

/** `line: text` for each line that holds the text. */
function* hitsIn(text: string, { fold, needle }: Wanted): Generator<string> {
  // Most files hold nothing: they are not cut into lines.
  if (!fold(text).includes(needle)) return;
  let number = 0;
  for (const line of text.split('\n')) {
    number += 1;
    const at = fold(line).indexOf(needle);
    if (at >= 0) yield `${number}: ${around(line, at)}`;
  }
}

function around(line: string, at: number): string {
  const clean = line.replace(/\r$/, '');
  if (clean.length <= SHOWN) return clean;
  const start = Math.max(0, Math.min(at - BEFORE, clean.length - SHOWN));
  const end = start + SHOWN;
  return `${start > 0 ? '…' : ''}${clean.slice(start, end)}${end < clean.length ? '…' : ''}`;
}
