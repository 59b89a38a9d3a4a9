import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import * as z from 'zod';
import { defineTool, ToolError } from '../index.ts';
import type { InsideRoot } from './inside-root.ts';
import { quoted } from './quoted.ts';

/** Bytes of text in one answer, about 25,000 tokens. */
const MAX_BYTES = 100_000;
const MAX_LINES = 2_000;
/** How far into a file a line is looked for. Reading this much takes well under a second. */
const MAX_SCAN = 64 * 1_048_576;
const CHUNK = 65_536;
const LF = 10;

/**
 * The tool that reads a text file inside the root, or some of its lines. At most 2,000 lines and 100,000 bytes at once.
 *
 * @internal
 */
export function readFile(root: InsideRoot) {
  return defineTool({
    name: 'read_file',
    description: 'Reads a text file, or some of its lines. A last line in parentheses tells what was left out.',
    input: z.object({
      path: z.string().describe('A file, relative to the root.'),
      startLine: z.int().min(1).default(1).describe('The first line to read, counted from 1. Default 1.'),
      lines: z.int().min(1).max(MAX_LINES).default(MAX_LINES).describe(`How many lines. Default ${MAX_LINES}.`),
    }),
    run: async ({ path, startLine, lines }, { signal }) => {
      const handle = await root.file(path);
      try {
        const slice = await sliceOf(handle, path, startLine, startLine + lines, signal);
        return answerOf(slice, path, startLine);
      } finally {
        await handle.close();
      }
    },
  });
}

interface Slice {
  readonly bytes: Buffer;
  /** Line in which the bytes end; 0 in an empty file. */
  readonly last: number;
  /** Why there is no more. */
  readonly end: 'file' | 'lines' | 'bytes';
  /** The bytes end in the middle of their last line. */
  readonly isBroken: boolean;
}

/** The bytes of lines `from` to `to` (excluded). A line feed is never a part of another character of UTF-8. */
async function sliceOf(handle: FileHandle, path: string, from: number, to: number, signal: AbortSignal): Promise<Slice> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  const pieces: Buffer[] = [];
  let [line, room, scanned, afterLf] = [1, MAX_BYTES, 0, true];
  const slice = (end: Slice['end']): Slice => ({
    bytes: Buffer.concat(pieces),
    last: afterLf ? line - 1 : line,
    end,
    isBroken: end === 'bytes' && !afterLf,
  });
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK);
    if (bytesRead === 0) return slice('file');
    const chunk = buffer.subarray(0, bytesRead);
    if (chunk.includes(0)) throw new ToolError('invalid-input', `${quoted(path)} is no text in UTF-8: it holds NUL bytes.`);
    for (let at = 0; at < bytesRead; ) {
      if (line >= to) return slice('lines');
      if (room === 0) return slice('bytes');
      const lf = chunk.indexOf(LF, at);
      const end = Math.min(lf < 0 ? bytesRead : lf + 1, line < from ? Infinity : at + room);
      if (line >= from) {
        pieces.push(Buffer.from(chunk.subarray(at, end)));
        room -= end - at;
      }
      afterLf = end === lf + 1;
      if (afterLf) line += 1;
      at = end;
    }
    scanned += bytesRead;
    if (scanned >= MAX_SCAN && line < from) {
      throw new ToolError('invalid-input', `Line ${from} of ${quoted(path)} lies beyond its first ${MAX_SCAN / 1_048_576} MiB, which are all that is read.`);
    }
  }
}

function answerOf({ bytes, last, end, isBroken }: Slice, path: string, startLine: number): string {
  if (bytes.length === 0 && last === 0) return '(the file is empty)';
  if (bytes.length === 0) throw new ToolError('invalid-input', `${quoted(path)} ends with line ${last}; startLine is ${startLine}.`);
  const whole = isBroken ? bytes.subarray(0, characterEnd(bytes)) : bytes;
  const notes = [
    isUtf8(whole) ? '' : 'what is no UTF-8 is shown as \ufffd',
    isBroken ? `line ${last} is cut: ${MAX_BYTES} bytes are read at once; go on with startLine ${last + 1}` : '',
    end === 'lines' || (end === 'bytes' && !isBroken) ? `there is more: go on with startLine ${last + 1}` : '',
  ];
  // A mark at the start of the file is no part of the text, and is left out by the decoder.
  const text = new TextDecoder().decode(whole).replace(/\n$/, '');
  return [text, ...notes.filter((note) => note !== '').map((note) => `(${note})`)].join('\n');
}

/** Where the last whole character ends: the bytes may have been cut inside one. */
function characterEnd(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? start : bytes.length;
}
