import { describe, expect, it } from '@jest/globals';
import { isRunId } from '../../lib/serve/run-id.ts';

describe('isRunId', () => {
  it.each(['r', 'run_0123-AZ', 'a'.repeat(128)])('takes %j', (id) => expect(isRunId(id)).toBe(true));
  it.each(['', '.', '..', 'a.b', 'a/b', 'a\\b', 'a\0', 'a\n', 'é', ' a', 'a'.repeat(129), 3, null, undefined])('refuses %j', (id) => expect(isRunId(id)).toBe(false));
});
