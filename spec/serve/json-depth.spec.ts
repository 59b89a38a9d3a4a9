import { describe, expect, it } from '@jest/globals';
import { jsonDepth } from '../../lib/serve/json-depth.ts';

describe('jsonDepth', () => {
  it.each([
    ['1', 0],
    ['"[[{"', 0],
    ['"\\"[" ', 0],
    ['["\\\\", [2]]', 2],
    ['[]', 1],
    ['{"a":[],"b":{}}', 2],
    ['[{"a":[1]},[],[]]', 3],
  ])('of %s is %d', (text, depth) => {
    expect(jsonDepth(text)).toBe(depth);
  });

  it('is counted without growing the stack', () => {
    expect(jsonDepth('['.repeat(500_000) + ']'.repeat(500_000))).toBe(500_000);
  });
});
