import { describe, expect, it } from '@jest/globals';
import { TimeoutError } from 'rxjs';
import { ModelError, RemoteError } from '../../lib/index.ts';
import { remoteErrorOf } from '../../lib/view/remote-error-of.ts';

const http = (status: number, detail: string, retryable = false) => remoteErrorOf(new ModelError('model-http', 'm', { status, detail, retryable }));

describe('remoteErrorOf', () => {
  it('says what the server said', () => {
    expect(http(404, '{"code":"run-gone","detail":"No such run."}').toJSON()).toEqual({ code: 'run-gone', message: 'No such run.', retryable: false, status: 404 });
  });

  it.each(['', '<html>', '[]', '{"code":4}', 'null'])('makes its own words of a body such as %j', (body) => {
    expect(http(502, body, true)).toMatchObject({ code: 'remote-http', retryable: true, status: 502, message: expect.stringContaining('502') });
  });

  it('never tries a conflict again', () => {
    expect(http(409, '', true).retryable).toBe(false);
  });

  it('names what has no status', () => {
    expect(remoteErrorOf(new ModelError('model-transport', 'gone', { retryable: true }))).toMatchObject({ code: 'remote-transport', retryable: true });
    expect(remoteErrorOf(new TimeoutError())).toMatchObject({ code: 'remote-timeout', retryable: true });
    const wrong = new TypeError('"Bearer secret" is no header.');
    expect(remoteErrorOf(wrong)).toMatchObject({ code: 'config', retryable: false, cause: wrong, message: expect.not.stringContaining('secret') });
    const own = new RemoteError({ code: 'x', message: 'y', retryable: false });
    expect(remoteErrorOf(own)).toBe(own);
  });
});
