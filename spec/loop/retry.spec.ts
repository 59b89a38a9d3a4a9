import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ModelError } from '../../lib/errors.ts';
import { classify, nextWait } from '../../lib/loop/retry.ts';
import type { Wait } from '../../lib/loop/retry.ts';
import { presets } from '../../lib/policy.ts';

const { retry } = presets.resilient;
const none = (): number => 0;
const busy = new ModelError('model-http', 'busy', { retryable: true });
const asked = (retryAfterMs: number): ModelError => new ModelError('model-http', 'busy', { retryable: true, retryAfterMs });

function waits(change: Partial<typeof retry> = {}, random = none, error: unknown = busy): number[] {
  const policy = { ...retry, ...change };
  const delays: number[] = [];
  let spent = { count: 0, waitedMs: 0 };
  for (let wait: Wait | undefined; (wait = nextWait(error, spent, policy, random)) !== undefined; ) {
    delays.push(wait.delayMs);
    spent = { count: spent.count + 1, waitedMs: spent.waitedMs + wait.delayMs };
  }
  return delays;
}

describe('nextWait', () => {
  it('doubles from half a second, three times', () => {
    expect(waits()).toEqual([500, 1000, 2000]);
  });

  it('never waits longer than maxDelayMs', () => {
    expect(waits({ count: 6, maxTotalMs: 100_000 })).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  });

  it('is spent when the waits together would pass maxTotalMs', () => {
    expect(waits({ count: 6 })).toEqual([500, 1000, 2000, 4000]);
    expect(waits({ maxTotalMs: 1500 })).toEqual([500, 1000]);
  });

  it('has none to give with a count of 0', () => {
    expect(waits({ count: 0 })).toEqual([]);
  });

  it('waits no time where it begins with none, however often', () => {
    expect(nextWait(busy, { count: 2_000, waitedMs: 0 }, { ...retry, count: 3_000, initialDelayMs: 0 }, none)).toEqual({ delayMs: 0, retryAfter: false });
  });

  it('shortens a wait by at most the jitter', () => {
    expect(waits({}, () => 0.5)).toEqual([438, 875, 1750]);
    expect(waits({}, () => 1)).toEqual([375, 750, 1500]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 2 }), (random, count) => {
        const wait = nextWait(busy, { count, waitedMs: 0 }, retry, () => random);
        const backoff = 500 * 2 ** count;
        expect(wait?.delayMs).toBeGreaterThanOrEqual(backoff * 0.75);
        expect(wait?.delayMs).toBeLessThanOrEqual(backoff);
      }),
    );
  });

  it('takes what the provider asked for in place of its own wait, unshortened', () => {
    expect(nextWait(asked(3210), { count: 0, waitedMs: 0 }, retry, () => 1)).toEqual({ delayMs: 3210, retryAfter: true });
    expect(nextWait(asked(0), { count: 2, waitedMs: 0 }, retry, none)).toEqual({ delayMs: 0, retryAfter: true });
    expect(nextWait(asked(12_000), { count: 0, waitedMs: 0 }, retry, none)).toEqual({ delayMs: 12_000, retryAfter: true });
  });

  it('is spent at once when the provider asks for more than is left', () => {
    expect(nextWait(asked(15_001), { count: 0, waitedMs: 0 }, retry, none)).toBeUndefined();
    expect(nextWait(asked(15_000), { count: 0, waitedMs: 0 }, retry, none)).toBeDefined();
    expect(nextWait(asked(5000), { count: 1, waitedMs: 10_001 }, retry, none)).toBeUndefined();
  });

  it('waits by its own rule for an error that is not from here', () => {
    expect(nextWait({ retryAfterMs: 1 }, { count: 0, waitedMs: 0 }, retry, none)).toEqual({ delayMs: 500, retryAfter: false });
  });

  it('waits maxDelayMs at most where a request to wait is clamped', () => {
    const clamp = { ...retry, retryAfter: 'clamp' as const };
    expect(nextWait(asked(60_000), { count: 0, waitedMs: 0 }, clamp, none)).toEqual({ delayMs: 8000, retryAfter: true });
    expect(nextWait(asked(3210), { count: 0, waitedMs: 0 }, clamp, none)).toEqual({ delayMs: 3210, retryAfter: true });
    expect(nextWait(asked(60_000), { count: 1, waitedMs: 7001 }, clamp, none)).toBeUndefined();
  });
});

describe('classify', () => {
  const fatal = new ModelError('model-http', 'no');

  it('takes the word of an error that is from here', () => {
    expect([classify(busy, retry), classify(fatal, retry)]).toEqual(['transient', 'fatal']);
  });

  it('takes what is not from here for fatal', () => {
    expect([classify(new Error('x'), retry), classify({ retryable: true }, retry), classify(undefined, retry)]).toEqual(['fatal', 'fatal', 'fatal']);
  });

  it('asks the port first, for which no answer is no opinion', () => {
    const seen: unknown[] = [];
    const port = (answer: 'fatal' | 'transient' | undefined) => ({ ...retry, classify: (error: unknown) => (seen.push(error), answer) });
    expect([classify(busy, port('fatal')), classify(fatal, port('transient')), classify(fatal, port(undefined))]).toEqual(['fatal', 'transient', 'fatal']);
    expect(seen).toEqual([busy, fatal, fatal]);
  });
});
