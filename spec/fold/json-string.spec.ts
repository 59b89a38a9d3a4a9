import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonString } from '../../lib/fold/json-string.ts';

describe('JsonString', () => {
  it('reads to the closing quote and says where it is', () => {
    const string = new JsonString();
    expect(string.read('{"key": 1', 2)).toBe(6);
    expect([string.text, string.closed]).toEqual(['key', true]);
  });

  it('reads to the end of a chunk, and goes on with the next', () => {
    const string = new JsonString();
    expect([string.read('ab', 0), string.text, string.closed]).toEqual([2, 'ab', false]);
    expect([string.read('', 0), string.text, string.closed]).toEqual([0, 'ab', false]);
    expect([string.read('c",', 0), string.text, string.closed]).toEqual([2, 'abc', true]);
  });

  it.each([
    ['a\u001fb', 1, 'a', '\'"\' (control characters are written as escapes)'],
    ['a\\q', 2, 'a', 'one of "\\/bfnrtu'],
    ['a\\u12x4', 5, 'a', 'a hexadecimal digit'],
  ])('stops in %j at the character that is wrong', (text, at, read, expected) => {
    const string = new JsonString();
    expect(string.read(text, 0)).toBe(at);
    expect(string).toMatchObject({ text: read, closed: false, expected });
  });

  it('reads what JSON.stringify wrote, in any pieces, and shows only what stays', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\ud83d', '\ude00', '\u0001', 'é') }), fc.integer({ min: 1, max: 7 }), (text, size) => {
        const written = JSON.stringify(text).slice(1);
        const string = new JsonString();
        for (let at = 0; at < written.length; at += size) {
          const before = string.text;
          const piece = written.slice(at, at + size);
          expect(string.read(piece, 0)).toBe(piece.length);
          expect(string.text.startsWith(before)).toBe(true);
        }
        expect([string.text, string.closed]).toEqual([text, true]);
      }),
      { seed: 1 },
    );
  });
});
