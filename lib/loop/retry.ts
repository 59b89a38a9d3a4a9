import { isLoopError } from '../errors.ts';
import type { ModelError } from '../errors.ts';
import type { RetryPolicy } from '../policy.ts';

/** The wait before the same attempt calls its model again. */
export interface Wait {
  readonly delayMs: number;
  /** The provider set it. */
  readonly retryAfter: boolean;
}

/** What one attempt has already spent on retries. */
export interface Spent {
  readonly count: number;
  readonly waitedMs: number;
}

export const NOTHING_SPENT: Spent = { count: 0, waitedMs: 0 };

/** Whether trying again may help: as the port says, else as the error says; an error that is not from here is fatal. */
export function classify(error: unknown, retry: RetryPolicy): 'fatal' | 'transient' {
  return retry.classify?.(error) ?? (isLoopError(error) && error.retryable ? 'transient' : 'fatal');
}

/**
 * The next wait, or none when the retries are spent.
 *
 * A `Retry-After` replaces the computed wait and is never undercut: where it is longer than what is left of
 * `maxTotalMs`, waiting less would only be refused again, so the retries are spent at once.
 *
 * @param random - from 0 (included) to 1
 * @internal
 */
export function nextWait(error: unknown, spent: Spent, retry: RetryPolicy, random: () => number): Wait | undefined {
  if (spent.count >= retry.count) return undefined;
  const left = retry.maxTotalMs - spent.waitedMs;
  const asked = isLoopError(error) ? (error as Partial<ModelError>).retryAfterMs : undefined;
  if (asked !== undefined) {
    const delayMs = retry.retryAfter === 'clamp' ? Math.min(asked, retry.maxDelayMs) : asked;
    return delayMs > left ? undefined : { delayMs, retryAfter: true };
  }
  // Without a first wait the power does not count: in the end it is infinite, and 0 times that is no number.
  const backoff = retry.initialDelayMs === 0 ? 0 : Math.min(retry.initialDelayMs * retry.factor ** spent.count, retry.maxDelayMs);
  const delayMs = Math.round(backoff * (1 - retry.jitter * random()));
  return delayMs > left ? undefined : { delayMs, retryAfter: false };
}
