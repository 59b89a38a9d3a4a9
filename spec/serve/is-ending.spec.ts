import { describe, expect, it } from '@jest/globals';
import type { LogEntry } from '../../lib/index.ts';
import { isEnding } from '../../lib/serve/is-ending.ts';

describe('isEnding', () => {
  it.each([
    ['an error', { error: { code: 'a', message: 'b', retryable: false } }, true],
    ['the done of the run', { event: { type: 'done', runId: 'r' } }, true],
    ['the done of a nested run', { event: { type: 'done', runId: 'n', parent: { runId: 'r', callId: 'c' } } }, false],
    ['another event', { event: { type: 'run-start', runId: 'r' } }, false],
    ['nothing', undefined, false],
  ])('judges %s', (_name, entry, ends) => {
    expect(isEnding(entry as LogEntry | undefined)).toBe(ends);
  });
});
