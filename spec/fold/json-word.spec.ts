import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonWord } from '../../lib/fold/json-word.ts';

describe('JsonWord', () => {
  it('begins with a digit, a minus or the first letter of a literal', () => {
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
    expect(ascii.filter((mark) => JsonWord.startsWith(mark)).join('')).toBe('-0123456789fnt');
  });

  it.each([
    ['true', true],
    ['false', false],
    ['null', null],
  ])('is whole with the last letter of %s', (literal, value) => {
    const word = new JsonWord();
    expect([word.read(literal.slice(0, -1), 0), word.closed]).toEqual([literal.length - 1, false]);
    expect([word.read(`${literal.slice(-1)},`, 0), word.closed, word.value]).toEqual([1, true, value]);
  });

  it('is a whole number at the first character that cannot belong to it, or at the end', () => {
    const followed = new JsonWord();
    expect([followed.read('[12', 1), followed.closed]).toEqual([3, false]);
    expect([followed.read('3]', 0), followed.closed, followed.value]).toEqual([1, true, 123]);
    const last = new JsonWord();
    last.read('1.5', 0);
    last.end();
    expect([last.closed, last.value]).toEqual([true, 1.5]);
  });

  it.each(['-', '1.', '1e', '1e+', 'tru', 'n'])('is not whole after %s', (text) => {
    const word = new JsonWord();
    expect(word.read(`${text},`, 0)).toBe(text.length);
    expect(word.closed).toBe(false);
    word.end();
    expect(word.closed).toBe(false);
  });

  it.each([
    ['-', 'a digit'],
    ['1e', 'a digit'],
    ['t', "'true'"],
    ['fals', "'false'"],
    ['nu', "'null'"],
  ])('after %s expects %s', (text, expected) => {
    const word = new JsonWord();
    word.read(text, 0);
    expect(word.expected).toBe(expected);
  });

  it('takes for a number what JSON.parse takes for one', () => {
    const isNumber = (text: string): boolean => {
      try {
        return typeof JSON.parse(text) === 'number';
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0019-+.eE'), minLength: 1, maxLength: 9 }), (text) => {
        const word = new JsonWord();
        const at = word.read(text, 0);
        word.end();
        expect(at === text.length && word.closed).toBe(isNumber(text));
        if (at === text.length && word.closed) expect(word.value).toBe(JSON.parse(text));
      }),
      { seed: 1, numRuns: 2000 },
    );
  });
});
