import { describe, expect, it } from '@jest/globals';
import { RemoteError } from '../../lib/index.ts';
import { Problem } from '../../lib/serve/problem.ts';

describe('Problem', () => {
  it('becomes an answer for people and programs', async () => {
    const response = new Problem(405, 'wrong-method', 'Use GET.', { allow: 'GET' }).response();
    expect([response.status, response.headers.get('allow'), response.headers.get('content-type')]).toEqual([405, 'GET', 'application/problem+json']);
    expect(await response.json()).toEqual({ type: 'about:blank', title: 'Method Not Allowed', status: 405, code: 'wrong-method', detail: 'Use GET.' });
  });

  it('is made of an error of a log', () => {
    expect(Problem.of(new RemoteError({ code: 'run-gone', message: 'Gone.', retryable: false, status: 404 }))).toMatchObject({ status: 404, code: 'run-gone', message: 'Gone.' });
  });

  it.each([new Error('secret'), 'secret', undefined, new RemoteError({ code: 'log-damaged', message: 'secret', retryable: false, status: 500 })])('tells nothing of %p', (error) => {
    const problem = Problem.of(error);
    expect(problem).toMatchObject({ status: 500, code: 'internal' });
    expect(problem.message).not.toContain('secret');
  });
});
