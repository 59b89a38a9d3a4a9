import { describe, expect, it } from '@jest/globals';
import { isRecord } from '../lib/is-record.ts';

describe('isRecord', () => {
  it.each([[{}], [{ a: 1 }], [Object.create(null)]])('is true for the object %j', (value) => {
    expect(isRecord(value)).toBe(true);
  });

  it.each([[null], [undefined], [[]], [[{}]], ['{}'], [0], [true]])('is false for %j', (value) => {
    expect(isRecord(value)).toBe(false);
  });
});
