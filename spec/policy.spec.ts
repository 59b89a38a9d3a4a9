import { describe, expect, it } from '@jest/globals';
import { presets } from '../lib/policy.ts';
import { sequential } from '../lib/schedule.ts';

const retry = { initialDelayMs: 500, factor: 2, maxDelayMs: 8000, maxTotalMs: 15_000, jitter: 0.25, retryAfter: 'respect' };

const callByCall = { toolCommit: 'each', unknownTool: 'feedback', invalidScope: 'call', outputFailure: 'error', onStop: 'abort' };

describe('presets', () => {
  it('are what the documentation says', () => {
    expect(presets).toEqual({
      strict: {
        policy: { budgetEnd: 'error', emptyTruncated: 'accept', keepReasoning: false, streamFailure: 'fail', toolErrorText: 'whole', ...callByCall },
        schedule: sequential,
        retry: { count: 0, ...retry },
        timeouts: { firstDeltaMs: 0, idleMs: 0, stallMs: 0, graceMs: 1000 },
      },
      resilient: {
        policy: { budgetEnd: 'stop', emptyTruncated: 'error', keepReasoning: true, streamFailure: { feedback: 3 }, toolErrorText: 'whole', ...callByCall },
        schedule: expect.any(Function),
        retry: { count: 3, ...retry },
        timeouts: { firstDeltaMs: 60_000, idleMs: 120_000, stallMs: 600_000, graceMs: 1000 },
      },
      atomic: {
        policy: {
          budgetEnd: 'error', emptyTruncated: 'error', keepReasoning: true, streamFailure: 'fail', toolErrorText: 'redacted',
          toolCommit: 'batch', unknownTool: 'fail', invalidScope: 'turn', outputFailure: 'accept', onStop: 'drain',
        },
        schedule: sequential,
        retry: { count: 0, ...retry },
        timeouts: { firstDeltaMs: 0, idleMs: 0, stallMs: 0, graceMs: 1000 },
      },
      hosted: {
        policy: { budgetEnd: 'stop', emptyTruncated: 'accept', keepReasoning: true, streamFailure: 'fail', toolErrorText: 'whole', ...callByCall },
        schedule: expect.any(Function),
        retry: { count: 3, ...retry, classify: expect.any(Function) },
        timeouts: { firstDeltaMs: 60_000, idleMs: 120_000, stallMs: 600_000, graceMs: 1000 },
      },
    });
  });

  it('wait in `hosted` for a provider that is busy, and for no other failure', () => {
    const { classify } = presets.hosted.retry;
    for (const status of [429, 503]) expect(classify?.({ status })).toBeUndefined();
    for (const error of [{ status: 500 }, { status: 408 }, new Error('no'), undefined, null, 'no']) expect(classify?.(error)).toBe('fatal');
  });

  it('run up to eight safe tools together in `resilient`', () => {
    const tool = { parallelSafe: true } as never;
    const calls = Array.from({ length: 9 }, (_, index) => ({ call: { id: `c${index}`, name: 'add', arguments: {} }, tool }));
    expect(presets.resilient.schedule(calls)).toMatchObject([{ calls, bound: 8 }]);
  });
});
