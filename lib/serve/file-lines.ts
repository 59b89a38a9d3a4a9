import type { FileHandle } from 'node:fs/promises';

/** A line of a file, without its end. */
export interface FileLine {
  readonly bytes: Buffer;
  /** Where it begins. */
  readonly from: number;
  /** Where the next one begins. */
  readonly end: number;
}

const CHUNK = 65_536;

/**
 * The complete lines of a file from an offset on, one after another; a rest without a line end is not given. In memory at
 * once: one chunk, and what there is of the line that it ends in.
 *
 * @internal
 */
export async function* fileLines(file: FileHandle, offset: number): AsyncGenerator<FileLine> {
  let from = offset;
  let at = offset;
  let begun: Buffer[] = [];
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    let chunk = buffer.subarray(0, bytesRead);
    for (let cut = chunk.indexOf(LF); cut >= 0; cut = chunk.indexOf(LF)) {
      const bytes = Buffer.concat([...begun, chunk.subarray(0, cut)]);
      const end = from + bytes.length + 1;
      yield { bytes, from, end };
      begun = [];
      from = end;
      chunk = chunk.subarray(cut + 1);
    }
    if (chunk.length > 0) begun.push(chunk);
  }
}

const LF = 10;
