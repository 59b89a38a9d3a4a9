import { describe, expect, it } from '@jest/globals';
import { duration } from '../../lib/serve/duration.ts';

describe('duration', () => {
  it.each([
    [0, '0 ms'],
    [7.4, '7 ms'],
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [1_260, '1.2 s'],
    [59_999, '59.9 s'],
    [60_000, '1 min 0 s'],
    [185_400, '3 min 5 s'],
  ])('%d is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});
