import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../lib/errors.ts';
import { isRightValue, override, quoted, refuseUnknown } from '../../lib/loop/override.ts';

const defaults = { count: 3, idleMs: 5 };

describe('override', () => {
  it('is the defaults themselves where nothing is given', () => {
    expect(override('retry', defaults, undefined)).toBe(defaults);
  });

  it('takes given values, and no undefined for one', () => {
    expect(override('retry', defaults, { count: 1, idleMs: undefined } as never)).toEqual({ count: 1, idleMs: 5 });
    expect(defaults.count).toBe(3);
  });

  it('refuses a key that it does not know, and lists those that it does', () => {
    expect(() => override('retry', defaults, { times: 1 } as never)).toThrow(new ConfigError('toolLoop: retry.times is no option; the options are "count", "idleMs".'));
    expect(override('retry', defaults, { more: 1 } as never, () => true, { more: true })).toMatchObject({ more: 1 });
  });

  it('refuses a value that is not right, and says what would be', () => {
    expect(() => override('timeouts', defaults, { idleMs: -1 }, isRightValue)).toThrow('toolLoop: timeouts.idleMs is -1; give a number of 0 or more.');
    expect(() => override('retry', { retryAfter: 'respect' }, { retryAfter: 'later' }, isRightValue)).toThrow('toolLoop: retry.retryAfter is later; give "respect" or "clamp".');
  });
});

describe('isRightValue', () => {
  it.each<[string, unknown, boolean]>([
    ['idleMs', 0, true],
    ['idleMs', 1.5, true],
    ['idleMs', Infinity, true],
    ['idleMs', -1, false],
    ['idleMs', NaN, false],
    ['idleMs', '5', false],
    ['maxSteps', 2, true],
    ['maxSteps', Infinity, true],
    ['maxSteps', 1.5, false],
    ['lastStep', 'answer', true],
    ['lastStep', 3, false],
    ['retryAfter', 'clamp', true],
    ['retryAfter', 5, false],
    ['classify', () => undefined, true],
    ['classify', 'fatal', false],
    ['count', 'clamp', false],
  ])('judges %s: %s as %s', (key, value, right) => {
    expect(isRightValue(value, key)).toBe(right);
  });
});

describe('refuseUnknown and quoted', () => {
  it('pass what is known, and name nothing where there is nothing', () => {
    expect(() => refuseUnknown('', { a: 1 }, { a: true, b: true })).not.toThrow();
    expect([quoted([]), quoted(['a', 'b'])]).toEqual(['(none)', '"a", "b"']);
  });
});
