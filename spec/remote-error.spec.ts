import { describe, expect, it } from '@jest/globals';
import { isLoopError, RemoteError } from '../lib/index.ts';

describe('RemoteError', () => {
  it('is an error of the library that says what it was told', () => {
    const error = new RemoteError({ code: 'model-http', message: 'It answered 401.', retryable: false, status: 401 });
    expect(isLoopError(error)).toBe(true);
    expect(error).toMatchObject({ name: 'RemoteError', code: 'model-http', message: 'It answered 401.', retryable: false, status: 401 });
    expect(error.toJSON()).toEqual({ code: 'model-http', message: 'It answered 401.', retryable: false, status: 401 });
  });

  it('has no status where there was none', () => {
    expect(new RemoteError({ code: 'a', message: 'b', retryable: true }).toJSON()).toEqual({ code: 'a', message: 'b', retryable: true });
  });
});
