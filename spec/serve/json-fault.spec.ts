import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonFault } from '../../lib/serve/json-fault.ts';

describe('jsonFault', () => {
  it.each([
    ['{"a":1 x}', 7], ['{"a":1,}', 7], ['[1,]', 3], ['{a:1}', 1], ['[1 2]', 3], ['{"a" 1}', 5], ['1 2', 2], ['nul', 0], ['"\n"', 0], ['{"a":\n "\\x"}', 7],
    ['01', 1], ['[}', 1], [']', 0], ['{"a":1]', 6], ['', 0], ['  ', 2], ['{', 1], ['[1,', 3], ['{"a":', 5], ['{"a":1', 6], ['[[[', 3],
  ])('finds the fault of %j at %d', (text, at) => expect(jsonFault(text)).toBe(at));

  it('finds none before the end of JSON that is cut, and the character that was put in', () => {
    fc.assert(
      fc.property(fc.json().filter((text) => /^[[{]/.test(text)), fc.nat(), (text, seed) => {
        expect(jsonFault(text)).toBe(text.length);
        const at = seed % text.length;
        const cut = text.slice(0, at);
        expect(jsonFault(cut)).toBeLessThanOrEqual(cut.length);
        expect(jsonFault(`${text}§`)).toBe(text.length);
      }),
    );
  });

  it('reads a megabyte', () => {
    const text = `["${'x'.repeat(500_000)}",${'[0],'.repeat(100_000)}`;
    expect(jsonFault(text)).toBe(text.length);
  });
});
