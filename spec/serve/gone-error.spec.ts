import { describe, expect, it } from '@jest/globals';
import { goneError } from '../../lib/serve/gone-error.ts';

describe('goneError', () => {
  it('names the run, and says what to do', () => {
    expect(goneError('r1').toJSON()).toEqual({ code: 'run-gone', message: expect.stringMatching(/run r1 .*(Start|take)/), retryable: false, status: 404 });
  });
});
