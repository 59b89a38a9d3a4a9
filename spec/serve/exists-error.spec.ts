import { describe, expect, it } from '@jest/globals';
import { existsError } from '../../lib/serve/exists-error.ts';

describe('existsError', () => {
  it('names the run, and says what to do', () => {
    expect(existsError('r1').toJSON()).toEqual({ code: 'run-exists', message: expect.stringMatching(/run r1 .*(Start|take)/), retryable: false, status: 409 });
  });
});
