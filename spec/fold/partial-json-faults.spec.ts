import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { partialJson } from '../../lib/fold/partial-json.ts';
import type { PartialJson } from '../../lib/fold/partial-json.ts';
import { HARD, canGoOn, isJson, jsonText, slices } from '../support/json-oracle.ts';

function readAll(pieces: Iterable<string>): PartialJson {
  const json = partialJson();
  for (const piece of pieces) json.push(piece);
  json.end();
  return json;
}

/** The text with one character put in, taken out or changed. */
const broken: fc.Arbitrary<string> = fc
  .tuple(jsonText, fc.nat(), fc.nat(2), fc.constantFrom(...'[]{}:,"\\u0123-+.eEtrufalsn \n\u0000\u000b\ufeffx'))
  .map(([text, place, taken, put]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + (taken === 2 ? '' : put) + text.slice(at + (taken === 0 ? 0 : 1));
  });

describe('partialJson with text that is not JSON', () => {
  it.each([
    ['x', 0, 'a value'],
    ['', 0, 'a value'],
    ['  ', 2, 'a value'],
    ['\ufeff1', 0, 'a value'],
    ['+1', 0, 'a value'],
    ['.5', 0, 'a value'],
    ["'a'", 0, 'a value'],
    ['{]', 1, "a key or '}'"],
    ['{"a":1,}', 7, 'a key'],
    ['{a', 1, "a key or '}'"],
    ['{"a" 1', 5, "':'"],
    ['{"a":}', 5, 'a value'],
    ['{"a":1]', 6, "',' or '}'"],
    ['{"a":1', 6, "',' or '}'"],
    ['[}', 1, "a value or ']'"],
    ['[1,]', 3, 'a value'],
    ['[1 2', 3, "',' or ']'"],
    ['[1}', 2, "',' or ']'"],
    ['[1', 2, "',' or ']'"],
    ['[,', 1, "a value or ']'"],
    [']', 0, 'a value'],
    ['1 2', 2, 'the end of the text'],
    ['{}{}', 2, 'the end of the text'],
    ['[]]', 2, 'the end of the text'],
    ['01', 1, 'the end of the text'],
    ['[-00]', 3, "',' or ']'"],
    ['truex', 4, 'the end of the text'],
    ['-', 1, 'a digit'],
    ['-x', 1, 'a digit'],
    ['1.', 2, 'a digit'],
    ['1.e5', 2, 'a digit'],
    ['1ee', 2, 'a digit'],
    ['1e+,', 3, 'a digit'],
    ['tru', 3, "'true'"],
    ['[falze]', 4, "'false'"],
    ['NaN', 0, 'a value'],
    ['nan', 1, "'null'"],
    ['"a', 2, '\'"\' (control characters are written as escapes)'],
    ['"a\nb"', 2, '\'"\' (control characters are written as escapes)'],
    ['"a\\x41"', 3, 'one of "\\/bfnrtu'],
    ['"a\\', 3, 'one of "\\/bfnrtu'],
    ['"\\u00g0"', 5, 'a hexadecimal digit'],
    ['"\\u00', 5, 'a hexadecimal digit'],
    ['{"a\\', 4, 'one of "\\/bfnrtu'],
  ])('says of %j that it is wrong at %i, where %s could stand, however it is cut', (text, offset, expected) => {
    expect(isJson(text)).toBe(false);
    for (const pieces of [[text], [...text]]) {
      const json = readAll(pieces);
      expect(json.error).toEqual({ offset, expected });
      expect(json.done).toBe(false);
    }
  });

  it('is wrong at the very character that makes it wrong, without waiting for more', () => {
    const json = partialJson();
    json.push('{"a":[1.5');
    expect(json.error).toBeUndefined();
    json.push('.');
    expect(json.error).toEqual({ offset: 9, expected: "',' or ']'" });
  });

  it('accepts and refuses what JSON.parse does, at the first character after which nothing can make it JSON', () => {
    let refused = 0;
    fc.assert(
      fc.property(broken, (text) => {
        const { done, error } = readAll([text]);
        expect(done).toBe(isJson(text));
        expect(error === undefined).toBe(done);
        if (error === undefined) return;
        refused++;
        expect(canGoOn(text.slice(0, error.offset))).toBe(true);
        if (error.offset < text.length) expect(canGoOn(text.slice(0, error.offset + 1))).toBe(false);
      }),
      { seed: 3, numRuns: 1500 },
    );
    expect(refused).toBeGreaterThan(500);
  });

  it('finds the same fault whatever the chunks', () => {
    const pieces = broken.chain((text) => fc.tuple(fc.constant(text), slices(text)));
    fc.assert(
      fc.property(pieces, ([text, chunks]) => {
        const [whole, cut] = [readAll([text]), readAll(chunks)];
        expect(cut.error).toEqual(whole.error);
        expect(cut.value).toEqual(whole.value);
      }),
      { seed: 4, numRuns: 300 },
    );
  });

  it.each(HARD)('refuses to call %j whole before its end', (text) => {
    for (let length = 0; length < text.trimEnd().length; length++) {
      const prefix = text.slice(0, length);
      const json = readAll([prefix]);
      expect(json.done).toBe(isJson(prefix));
      if (!json.done) expect(json.error?.offset).toBe(length);
    }
  });

  it('keeps its reading and its error, and reads no more', () => {
    const json = partialJson();
    json.push('{"a":"text","b":[1,x');
    const { value, error } = json;
    expect(value).toEqual({ a: 'text', b: [1] });
    json.push('2],"c":3}');
    json.end();
    expect(json.value).toBe(value);
    expect(json.error).toBe(error);
    expect(json.error).toEqual({ offset: 19, expected: 'a value' });
  });

  it('takes an end for the end: what is pushed after it has to be white space', () => {
    const json = partialJson();
    json.push('12');
    json.end();
    json.push(' ');
    expect(json.done).toBe(true);
    json.push('3');
    expect([json.value, json.done, json.error]).toEqual([12, false, { offset: 3, expected: 'the end of the text' }]);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (pieces) => {
        expect(readAll(pieces).done).toBe(isJson(pieces.join('')));
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});
