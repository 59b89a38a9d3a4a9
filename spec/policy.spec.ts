import { describe, expect, it } from '@jest/globals';
import { presets } from '../lib/policy.ts';

describe('presets', () => {
  it('are what the documentation says', () => {
    expect(presets).toEqual({
      strict: {
        policy: { budgetEnd: 'error', emptyTruncated: 'accept', keepReasoning: false, toolErrorText: 'whole' },
        retry: { count: 0, initialDelayMs: 500, factor: 2, maxDelayMs: 8000, maxTotalMs: 15_000, jitter: 0.25 },
        timeouts: { firstDeltaMs: 0, idleMs: 0, stallMs: 0 },
      },
      resilient: {
        policy: { budgetEnd: 'error', emptyTruncated: 'accept', keepReasoning: false, toolErrorText: 'whole' },
        retry: { count: 3, initialDelayMs: 500, factor: 2, maxDelayMs: 8000, maxTotalMs: 15_000, jitter: 0.25 },
        timeouts: { firstDeltaMs: 60_000, idleMs: 120_000, stallMs: 600_000 },
      },
    });
  });
});
