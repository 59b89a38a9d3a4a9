import type { Delta } from '../delta.ts';
import { ModelError } from '../errors.ts';

const MALFORMED_LIMIT = 10;
const DETAIL_LENGTH = 2_000;

/**
 * What becomes of the frames of one stream that are no JSON: each is told as `unknown` and the stream goes on. After the
 * tenth a retryable {@link ModelError} `model-stream` is thrown: what speaks so is not the wire that was asked for.
 *
 * @internal
 */
export function malformedFrames(): (data: string, emit: (delta: Delta) => void) => void {
  let count = 0;
  return (data, emit) => {
    count += 1;
    emit({ type: 'unknown', raw: data });
    if (count < MALFORMED_LIMIT) return;
    throw new ModelError('model-stream', `${MALFORMED_LIMIT} frames of one stream could not be read as JSON.`, {
      retryable: true,
      detail: data.slice(0, DETAIL_LENGTH),
    });
  };
}
