import { describe, expect, it } from '@jest/globals';
import { ModelError } from '../../lib/index.ts';
import { readHttpOptions } from '../../lib/serve/http-options.ts';

const start = () => ({ model: [] });

describe('readHttpOptions', () => {
  it('decides every option', () => {
    expect(readHttpOptions({ start })).toMatchObject({
      path: '/runs', cors: [], onAbandoned: 'run', abandonedAfterMs: 60_000, heartbeatMs: 15_000,
      maxBodyBytes: 1_048_576, bodyTimeoutMs: 10_000, maxRuns: 100, maxRunMs: 3_600_000, maxWatchers: 1_000, graceMs: 10_000,
    });
    expect(readHttpOptions({ start, limits: { maxRuns: 3 } })).toMatchObject({ maxRuns: 3, maxWatchers: 1_000 });
    expect(readHttpOptions({ start }).newId()).toMatch(/^run_[0-9a-f]{32}$/);
  });

  it('masks errors that are not the library’s', () => {
    const { mask } = readHttpOptions({ start });
    expect(mask(new Error('secret'))).toEqual({ code: 'other', message: 'The run failed.', retryable: false });
    expect(mask(new ModelError('model-http', 'It answered 401.', { status: 401 }))).toMatchObject({ code: 'model-http', status: 401 });
  });

  it('takes waits as long as a timer holds, and for ever', () => {
    expect(readHttpOptions({ start, heartbeatMs: Infinity, limits: { maxRunMs: 2 ** 31 - 1, graceMs: Infinity } })).toMatchObject({ heartbeatMs: Infinity, maxRunMs: 2 ** 31 - 1, graceMs: Infinity });
  });

  it.each([
    [{}, 'start is no function; give one that answers with the options of a run'],
    [{ start, path: 'runs' }, 'path is "runs"; give one such as /runs'],
    [{ start, path: '/runs/' }, 'path is "/runs/"'],
    [{ start, onAbandoned: 'stop' }, 'onAbandoned is "stop"; give "run" or "cancel"'],
    [{ start, cors: ['*'] }, 'cors has "*"; give origins such as https://app.example'],
    [{ start, cors: ['https://app.example/'] }, 'cors has'],
    [{ start, limits: { maxRun: 3 } }, 'limits.maxRun is no limit; the limits are maxBodyBytes'],
    [{ start, limits: { maxRuns: -1 } }, 'limits.maxRuns is -1; give a number of 0 or more'],
    [{ start, limits: { maxRunMs: 2 ** 31 } }, 'limits.maxRunMs is 2147483648; give 2147483647, which is 24 days, or less, or Infinity for none'],
    [{ start, abandonedAfterMs: 2 ** 31 }, 'abandonedAfterMs is 2147483648'],
    [{ start, heartbeatMs: 0 }, 'heartbeatMs is 0; give a number of 1 or more'],
  ])('refuses %j', (options, message) => {
    expect(() => readHttpOptions(options as never)).toThrow(expect.objectContaining({ code: 'config', message: expect.stringContaining(`httpHandler: ${message}`) }));
  });
});
