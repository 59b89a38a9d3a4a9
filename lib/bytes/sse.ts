import { Observable } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import { ModelError } from '../errors.ts';
import { relay } from '../relay.ts';
import { lines } from './lines.ts';

/**
 * Makes values of the frames of one stream: pure, with state of its own. It is handed `emit` each time, so that the
 * usual frame, which makes one value, costs no list.
 */
export interface FrameFold<T> {
  /** `event` is empty where the frame names none; `id` is the last one that the stream has said, empty before it. */
  frame(data: string, event: string, emit: (value: T) => void, id?: string): void;
  /** A comment line: the server is alive. */
  comment(emit: (value: T) => void): void;
  /** The body has ended. Not called after {@link isOver} said so. */
  end(emit: (value: T) => void): void;
  /** Whether the end marker has come: what follows is not read. */
  isOver(): boolean;
}

const MAX_FRAME_BYTES = 16 * 1_048_576;

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
      const emit = (value: T): void => subscriber.next(value);
      const isOver = (): boolean => subscriber.closed || fold.isOver();
      // A mark inside the text belongs to it; the one at the start of the body is no part of a line.
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      let event = '';
      let id = '';
      let data: string | undefined;
      let dataBytes = 0;

      const bound = (more: number): void => {
        if (dataBytes + more <= maxFrameBytes) return;
        const what = `One frame of the stream is larger than ${maxFrameBytes} bytes`;
        throw new ModelError('model-stream', `${what}: check that the base URL is that of the wire.`);
      };

      const decode = (bytes: Uint8Array, from: number, to: number): string =>
        from < to ? decoder.decode(bytes.subarray(from, to)) : '';

      const addData = (bytes: Uint8Array, from: number, to: number): void => {
        const text = decode(bytes, from, to);
        data = data === undefined ? text : `${data}\n${text}`;
      };

      const dispatch = (): void => {
        const [said, name] = [data, event];
        event = '';
        data = undefined;
        dataBytes = 0;
        if (said !== undefined) fold.frame(said, name, emit, id);
      };

      const read = (bytes: Uint8Array, from: number, to: number): void => {
        bound(to - from);
        if (from === to) return dispatch();
        const head = bytes[from];
        if (head === COLON) return fold.comment(emit);
        // "data", then a colon or the end of the line.
        const isData = head === 100 && bytes[from + 1] === 97 && bytes[from + 2] === 116 && bytes[from + 3] === 97;
        const isNamed = isData && (from + 4 === to || (from + 4 < to && bytes[from + 4] === COLON));
        if (isNamed || JSON_STARTS.has(head)) {
          dataBytes += to - from;
          let at = isNamed ? Math.min(from + 5, to) : from;
          if (isNamed && at < to && bytes[at] === SPACE) at += 1;
          addData(bytes, at, to);
        } else if (head === 101 || head === 105) {
          const [, field, value = ''] = /^(event|id)(?:: ?(.*))?$/s.exec(decode(bytes, from, to)) ?? [];
          if (field === 'event') event = value;
          if (field === 'id') id = value;
        }
      };

      const source = lines(read, isOver, bound);

      relay(bytes$, subscriber, {
        next(chunk) {
          source.push(chunk);
          if (fold.isOver()) subscriber.complete();
        },
        complete() {
          const rest = source.rest();
          if (rest.length > 0) {
            const before = data;
            read(rest, 0, rest.length);
            const saidNothing = data === before || data === '';
            if (saidNothing && rest[0] !== COLON) {
              data = before;
              addData(rest, 0, rest.length);
            }
          }
          if (!isOver()) dispatch();
          if (!isOver()) fold.end(emit);
          subscriber.complete();
        },
      });
    });
}

const [TAB, SPACE, QUOTE, COLON] = [9, 32, 34, 58];
const BRACKETS = [91, 93, 123, 125];
const JSON_STARTS: ReadonlySet<number | undefined> = new Set([TAB, SPACE, QUOTE, ...BRACKETS]);
