import { describe, expect, it } from '@jest/globals';
import { endingName } from '../../lib/serve/ending-name.ts';
import { done, event } from './log-contract.ts';

describe('endingName', () => {
  it('tells a failure, a suspension and a plain ending apart', () => {
    expect(endingName({ error: { code: 'a', message: 'b', retryable: false } })).toBe('error');
    expect(endingName(done('suspended'))).toBe('suspended');
    expect(endingName(done('answer'))).toBe('done');
    expect(endingName(event(1))).toBe('done');
  });
});
