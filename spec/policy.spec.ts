import { describe, expect, it } from '@jest/globals';
import { presets } from '../lib/policy.ts';
import { sequential } from '../lib/schedule.ts';

const retry = { initialDelayMs: 500, factor: 2, maxDelayMs: 8000, maxTotalMs: 15_000, jitter: 0.25, retryAfter: 'respect' };

describe('presets', () => {
  it('are what the documentation says', () => {
    expect(presets).toEqual({
      strict: {
        policy: { budgetEnd: 'error', emptyTruncated: 'accept', keepReasoning: false, streamFailure: 'fail', toolErrorText: 'whole' },
        schedule: sequential,
        retry: { count: 0, ...retry },
        timeouts: { firstDeltaMs: 0, idleMs: 0, stallMs: 0, graceMs: 1000 },
      },
      resilient: {
        policy: { budgetEnd: 'stop', emptyTruncated: 'error', keepReasoning: true, streamFailure: { feedback: 3 }, toolErrorText: 'whole' },
        schedule: expect.any(Function),
        retry: { count: 3, ...retry },
        timeouts: { firstDeltaMs: 60_000, idleMs: 120_000, stallMs: 600_000, graceMs: 1000 },
      },
    });
  });

  it('run up to eight safe tools together in `resilient`', () => {
    const tool = { parallelSafe: true } as never;
    const calls = Array.from({ length: 9 }, (_, index) => ({ call: { id: `c${index}`, name: 'add', arguments: {} }, tool }));
    expect(presets.resilient.schedule(calls)).toMatchObject([{ calls, bound: 8 }]);
  });
});
