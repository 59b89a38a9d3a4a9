import { describe, expect, it } from '@jest/globals';
import { route } from '../../lib/serve/route.ts';

const asked = (method: string, path: string, base = '/runs') => () => route({ method, url: `http://localhost${path}` }, base);

describe('route', () => {
  it.each([
    ['POST', '/runs', { action: 'start' }],
    ['GET', '/runs/r1', { action: 'status', runId: 'r1' }],
    ['GET', '/runs/r1/events?after=3', { action: 'events', runId: 'r1' }],
    ['POST', '/runs/r1/steer', { action: 'steer', runId: 'r1' }],
    ['POST', '/runs/r1/answers', { action: 'answers', runId: 'r1' }],
    ['POST', '/runs/r1/cancel', { action: 'cancel', runId: 'r1' }],
  ])('reads %s %s', (method, path, found) => expect(asked(method, path)()).toEqual(found));

  it('stands where it is told to', () => expect(asked('POST', '/api/runs', '/api/runs')()).toEqual({ action: 'start' }));

  it.each(['/', '/runsx', '/runs/r1/', '/runs/r1/start', '/runs/r1/toString', '/runs/r1/events/x', '/api/runs'])('finds nothing at %s', (path) => {
    expect(asked('GET', path)).toThrow(expect.objectContaining({ status: 404, code: 'no-such-path' }));
  });

  it.each(['/runs/', '/runs/a.b', '/runs/%2e%2e%2f', `/runs/${'a'.repeat(129)}`])('takes %s for no id of a run', (path) => {
    expect(asked('GET', path)).toThrow(expect.objectContaining({ status: 404, code: 'run-gone' }));
  });

  it.each([['GET', '/runs', 'POST'], ['PUT', '/runs/r1', 'GET'], ['POST', '/runs/r1/events', 'GET'], ['GET', '/runs/r1/cancel', 'POST']])('refuses %s %s', (method, path, allow) => {
    expect(asked(method, path)).toThrow(expect.objectContaining({ status: 405, code: 'wrong-method', headers: { allow: `${allow}, OPTIONS` } }));
  });

  it('lists runs where that is wanted', () => {
    const listing = (method: string) => () => route({ method, url: 'http://localhost/runs' }, '/runs', true);
    expect(listing('GET')()).toEqual({ action: 'list' });
    expect(listing('POST')()).toEqual({ action: 'start' });
    expect(listing('PUT')).toThrow(expect.objectContaining({ status: 405, headers: { allow: 'GET, POST, OPTIONS' } }));
  });
});
