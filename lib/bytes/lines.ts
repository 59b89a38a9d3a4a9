/** See {@link lines}. */
export interface Lines {
  push(chunk: Uint8Array): void;
  /** What has come of a line that has no end; it is given away. */
  rest(): Uint8Array;
}

const [LF, CR] = [10, 13];
const BOM = [0xef, 0xbb, 0xbf];
const MIB = 1_048_576;
const NOTHING = /* @__PURE__ */ new Uint8Array(0);

/**
 * Splits bytes at CR, LF and CRLF, wherever they are cut, without their ends and without the mark at the start of the
 * body. Linear in the bytes, whatever their pieces: a line that comes in one piece is not copied.
 *
 * @param read - takes a line: its bytes are those from `from` to `to`, and are good for this call alone
 * @param isOver - asked after each line: the others are not read
 * @param bound - told how long a line has become that is not whole yet; throws where that is too long
 * @internal
 */
export function lines(
  read: (bytes: Uint8Array, from: number, to: number) => void,
  isOver: () => boolean,
  bound: (length: number) => void,
): Lines {
  let first = true;
  /** The last chunk ended in CR: an LF that follows belongs to it. */
  let afterCr = false;
  /** The start of a line whose end has not come; its room is doubled, so that tiny pieces stay linear. */
  let kept = NOTHING;
  let length = 0;

  const unmarked = (bytes: Uint8Array, from: number, to: number): number => {
    const isMarked = first && BOM.every((byte, i) => from + i < to && bytes[from + i] === byte);
    first = false;
    return isMarked ? from + 3 : from;
  };

  const keep = (chunk: Uint8Array, from: number, to: number): void => {
    const whole = length + to - from;
    bound(whole);
    if (whole > kept.length) {
      const room = new Uint8Array(Math.max(whole, kept.length * 2, 256));
      room.set(kept.subarray(0, length));
      kept = room;
    }
    kept.set(chunk.subarray(from, to), length);
    length = whole;
  };

  const rest = (): Uint8Array => {
    const line = kept.subarray(unmarked(kept, 0, length), length);
    length = 0;
    if (kept.length > MIB) kept = NOTHING;
    return line;
  };

  return {
    rest,
    push(chunk) {
      if (chunk.length === 0) return;
      let at = afterCr && chunk[0] === LF ? 1 : 0;
      afterCr = false;
      // Each is looked up again only once it is passed: a chunk is scanned once for each of the two.
      let lf = chunk.indexOf(LF, at);
      let cr = chunk.indexOf(CR, at);
      while (lf !== -1 || cr !== -1) {
        const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
        if (length === 0) read(chunk, first ? unmarked(chunk, at, end) : at, end);
        else {
          keep(chunk, at, end);
          const line = rest();
          read(line, 0, line.length);
        }
        if (isOver()) return;
        at = end + 1;
        if (end === cr) {
          if (at === chunk.length) afterCr = true;
          else if (chunk[at] === LF) at += 1;
          cr = chunk.indexOf(CR, at);
        }
        if (lf !== -1 && lf < at) lf = chunk.indexOf(LF, at);
      }
      if (at < chunk.length) keep(chunk, at, chunk.length);
    },
  };
}
