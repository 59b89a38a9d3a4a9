import { Observable } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import { ModelError } from '../errors.ts';
import { relay } from '../relay.ts';
import { lines } from './lines.ts';
import type { FrameFold } from './sse.ts';

const MAX_FRAME_BYTES = 16 * 1_048_576;

/**
 * Reads JSON texts that line ends set apart: bytes in, what `start()` makes of each line out, in the same call as the
 * bytes. Blank lines are left out, and the last line counts without an end.
 *
 * Cutting the bytes elsewhere changes nothing. The cost is linear in the bytes, whatever their pieces.
 *
 * Contract:
 * - starts: `start()` is called once for each subscription.
 * - leaves: the source is left in the same tick; also when the fold is over, and then the stream completes.
 * - fails: a line over `maxFrameBytes` is a {@link ModelError} `model-stream`; what a fold throws is passed on.
 *
 * @param start - makes the fold of one stream
 * @param maxFrameBytes - Default 16 MiB.
 * @internal
 */
export function ndjson<T>(start: () => FrameFold<T>, maxFrameBytes = MAX_FRAME_BYTES): OperatorFunction<Uint8Array, T> {
  return (bytes$) =>
    new Observable((subscriber) => {
      const fold = start();
      const emit = (value: T): void => subscriber.next(value);
      const isOver = (): boolean => subscriber.closed || fold.isOver();
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

      const bound = (length: number): void => {
        if (length <= maxFrameBytes) return;
        const what = `One line of the stream is larger than ${maxFrameBytes} bytes`;
        throw new ModelError('model-stream', `${what}: check that the base URL is that of the wire.`);
      };

      const read = (bytes: Uint8Array, from: number, to: number): void => {
        bound(to - from);
        const text = decoder.decode(bytes.subarray(from, to)).trim();
        if (text !== '') fold.frame(text, '', emit);
      };

      const source = lines(read, isOver, bound);

      relay(bytes$, subscriber, {
        next(chunk) {
          source.push(chunk);
          if (fold.isOver()) subscriber.complete();
        },
        complete() {
          const rest = source.rest();
          read(rest, 0, rest.length);
          if (!isOver()) fold.end(emit);
          subscriber.complete();
        },
      });
    });
}
