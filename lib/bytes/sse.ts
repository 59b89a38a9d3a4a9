import { Observable } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import { ModelError } from '../errors.ts';
import { relay } from '../relay.ts';

/**
 * Makes values of the frames of one stream: pure, with state of its own. It is handed `emit` each time, so that the
 * usual frame, which makes one value, costs no list.
 */
export interface FrameFold<T> {
  /** `event` is empty where the frame names none. */
  frame(data: string, event: string, emit: (value: T) => void): void;
  /** A comment line: the server is alive. */
  comment(emit: (value: T) => void): void;
  /** The body has ended. Not called after {@link isOver} said so. */
  end(emit: (value: T) => void): void;
  /** Whether the end marker has come: what follows is not read. */
  isOver(): boolean;
}

const MIB = 1_048_576;
const MAX_FRAME_BYTES = 16 * MIB;

/**
 * Reads server-sent events: bytes in, what `start()` makes of each frame out, in the same call as the bytes.
 *
 * Cutting the bytes elsewhere changes nothing, not even inside a character or between CR and LF. The cost is linear in
 * the bytes, whatever their pieces: lines are split as bytes, and only the text of a `data` line is decoded.
 *
 * Two liberties, which real servers need: the last event counts without a blank line after it, and a line that can only
 * be JSON (it begins with a bracket, a quote or white space) is taken as `data`, because servers send an error that way
 * in the middle of a stream, or in place of one. A body that ends inside a line of anything but data gives that rest
 * as a last frame, so that a cut is seen.
 *
 * Contract:
 * - starts: `start()` is called once for each subscription.
 * - leaves: the source is left in the same tick; also when the end marker has come, and then the stream completes.
 * - fails: a frame over `maxFrameBytes` is a {@link ModelError} `model-stream`; what a fold throws is passed on.
 *
 * @param start - makes the fold of one stream
 * @param maxFrameBytes - Default 16 MiB.
 * @internal
 */
export function sse<T>(start: () => FrameFold<T>, maxFrameBytes = MAX_FRAME_BYTES): OperatorFunction<Uint8Array, T> {
  return (bytes$) =>
    new Observable((subscriber) => {
      const fold = start();
      const isOver = (): boolean => subscriber.closed || fold.isOver();
      const lines = new Lines(fold, (value) => subscriber.next(value), isOver, maxFrameBytes);
      relay(bytes$, subscriber, {
        next(chunk) {
          lines.push(chunk);
          if (fold.isOver()) subscriber.complete();
        },
        complete() {
          lines.end();
          subscriber.complete();
        },
      });
    });
}

const [TAB, LF, CR, SPACE, QUOTE, COLON] = [9, 10, 13, 32, 34, 58];
const BRACKETS = [91, 93, 123, 125];
const JSON_STARTS: ReadonlySet<number | undefined> = new Set([TAB, SPACE, QUOTE, ...BRACKETS]);
const BOM = [0xef, 0xbb, 0xbf];
const NOTHING = new Uint8Array(0);

class Lines<T> {
  private readonly fold: FrameFold<T>;
  private readonly emit: (value: T) => void;
  private readonly isOver: () => boolean;
  private readonly maxFrameBytes: number;
  // A mark inside the text belongs to it; the one at the start of the body is cut off before decoding.
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  private first = true;
  /** The last chunk ended in CR: an LF that follows belongs to it. */
  private afterCr = false;
  /** The start of a line whose end has not come; its room is doubled, so that tiny pieces stay linear. */
  private rest = NOTHING;
  private restLength = 0;
  private event = '';
  private data: string | undefined;
  private dataBytes = 0;

  constructor(fold: FrameFold<T>, emit: (value: T) => void, isOver: () => boolean, maxFrameBytes: number) {
    this.fold = fold;
    this.emit = emit;
    this.isOver = isOver;
    this.maxFrameBytes = maxFrameBytes;
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    if (this.afterCr && chunk.length > 0) {
      if (chunk[0] === LF) at = 1;
      this.afterCr = false;
    }
    // Each is looked up again only once it is passed: a chunk is scanned once for each of the two.
    let lf = chunk.indexOf(LF, at);
    let cr = chunk.indexOf(CR, at);
    while (lf !== -1 || cr !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      this.line(chunk, at, end);
      if (this.isOver()) return;
      at = end + 1;
      if (end === cr) {
        if (at === chunk.length) this.afterCr = true;
        else if (chunk[at] === LF) at += 1;
        cr = chunk.indexOf(CR, at);
      }
      if (lf !== -1 && lf < at) lf = chunk.indexOf(LF, at);
    }
    if (at < chunk.length) this.keep(chunk, at, chunk.length);
  }

  end(): void {
    if (this.restLength > 0) {
      const rest = this.take();
      const before = this.data;
      this.whole(rest, 0, rest.length);
      const saidNothing = this.data === before || this.data === '';
      if (saidNothing && rest[0] !== COLON) {
        this.data = before;
        this.addData(rest, 0, rest.length);
      }
    }
    if (!this.isOver()) this.dispatch();
    if (!this.isOver()) this.fold.end(this.emit);
  }

  private line(chunk: Uint8Array, from: number, to: number): void {
    if (this.restLength === 0) return this.whole(chunk, from, to);
    this.keep(chunk, from, to);
    const line = this.take();
    this.whole(line, 0, line.length);
  }

  private keep(chunk: Uint8Array, from: number, to: number): void {
    const length = this.restLength + to - from;
    this.bound(length);
    if (length > this.rest.length) {
      const room = new Uint8Array(Math.max(length, this.rest.length * 2, 256));
      room.set(this.rest.subarray(0, this.restLength));
      this.rest = room;
    }
    this.rest.set(chunk.subarray(from, to), this.restLength);
    this.restLength = length;
  }

  private take(): Uint8Array {
    const line = this.rest.subarray(0, this.restLength);
    this.restLength = 0;
    if (this.rest.length > MIB) this.rest = NOTHING;
    return line;
  }

  private whole(bytes: Uint8Array, start: number, to: number): void {
    let from = start;
    this.bound(to - from);
    if (this.first) {
      this.first = false;
      if (BOM.every((byte, i) => from + i < to && bytes[from + i] === byte)) from += 3;
    }
    if (from === to) return this.dispatch();
    const head = bytes[from];
    if (head === COLON) return this.fold.comment(this.emit);
    // "data", then a colon or the end of the line.
    const isData = head === 100 && bytes[from + 1] === 97 && bytes[from + 2] === 116 && bytes[from + 3] === 97;
    if (isData && ends(bytes, from + 4, to)) {
      const value = Math.min(from + 5, to);
      this.dataBytes += to - start;
      this.addData(bytes, value < to && bytes[value] === SPACE ? value + 1 : value, to);
    } else if (JSON_STARTS.has(head)) {
      this.dataBytes += to - start;
      this.addData(bytes, from, to);
    } else if (head === 101) {
      const [name, value] = fieldOf(this.decoder.decode(bytes.subarray(from, to)));
      if (name === 'event') this.event = value;
    }
  }

  private addData(bytes: Uint8Array, from: number, to: number): void {
    const text = from < to ? this.decoder.decode(bytes.subarray(from, to)) : '';
    this.data = this.data === undefined ? text : `${this.data}\n${text}`;
  }

  private dispatch(): void {
    const { data, event } = this;
    this.event = '';
    if (data === undefined) return;
    this.data = undefined;
    this.dataBytes = 0;
    this.fold.frame(data, event, this.emit);
  }

  private bound(more: number): void {
    if (this.dataBytes + more <= this.maxFrameBytes) return;
    const what = `One frame of the stream is larger than ${this.maxFrameBytes} bytes`;
    throw new ModelError('model-stream', `${what}: check that the base URL is that of the wire.`);
  }
}

function ends(bytes: Uint8Array, at: number, to: number): boolean {
  return at === to || (at < to && bytes[at] === COLON);
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}
