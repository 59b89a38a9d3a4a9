import { describe, expect, it } from '@jest/globals';
import { malformedFrames } from '../../lib/bytes/malformed-frames.ts';
import type { Delta } from '../../lib/delta.ts';
import type { ModelError } from '../../lib/errors.ts';

describe('malformedFrames', () => {
  it('tells each of ten as unknown, and fails at the tenth', () => {
    const said: Delta[] = [];
    const malformed = malformedFrames();
    for (let nth = 1; nth < 10; nth++) malformed(`<${nth}>`, (delta) => said.push(delta));
    let failure: ModelError | undefined;
    try {
      malformed('x'.repeat(3_000), (delta) => said.push(delta));
    } catch (error) {
      failure = error as ModelError;
    }
    expect(said).toHaveLength(10);
    expect(said[0]).toEqual({ type: 'unknown', raw: '<1>' });
    expect(failure).toMatchObject({ code: 'model-stream', retryable: true, detail: 'x'.repeat(2_000) });
  });

  it('counts for each stream by itself', () => {
    for (let stream = 0; stream < 3; stream++) {
      const malformed = malformedFrames();
      expect(() => Array.from({ length: 9 }, () => malformed('x', () => undefined))).not.toThrow();
    }
  });
});
