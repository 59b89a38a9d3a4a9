import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { partialJson } from '../../lib/fold/partial-json.ts';
import { HARD, jsonText, readingOf, slices } from '../support/json-oracle.ts';

function readAll(pieces: readonly string[], options?: { maxDepth: number }) {
  const json = partialJson(options);
  for (const piece of pieces) json.push(piece);
  json.end();
  return json;
}

/** Own keys in order, prototypes and all: what `toEqual` leaves out. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return [...value.map(shape)];
  if (typeof value !== 'object' || value === null) return value;
  return [Object.getPrototypeOf(value) === Object.prototype, Object.entries(value).map(([key, one]) => [key, shape(one)])];
}

describe('partialJson', () => {
  it('knows nothing before anything has come', () => {
    const json = partialJson();
    expect([json.value, json.done, json.error]).toEqual([undefined, false, undefined]);
    json.push('');
    json.push(' \n\t\r');
    expect([json.value, json.done, json.error]).toEqual([undefined, false, undefined]);
  });

  it.each(HARD)('reads each prefix of %j as far as it is known', (text) => {
    const json = partialJson();
    for (let length = 1; length <= text.length; length++) {
      json.push(text.charAt(length - 1));
      expect(json.error).toBeUndefined();
      expect(shape(json.value)).toEqual(shape(readingOf(text.slice(0, length))));
    }
    json.end();
    expect(json.done).toBe(true);
    expect(shape(json.value)).toEqual(shape(JSON.parse(text)));
  });

  it('reads each prefix of any JSON text as far as it is known, and its end as JSON.parse does', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const json = partialJson();
        for (let length = 1; length <= text.length; length++) {
          json.push(text.charAt(length - 1));
          expect(shape(json.value)).toEqual(shape(readingOf(text.slice(0, length))));
        }
        json.end();
        expect([json.done, json.error]).toEqual([true, undefined]);
        expect(shape(json.value)).toEqual(shape(JSON.parse(text)));
      }),
      { seed: 1, numRuns: 150 },
    );
  });

  it('reads the same whatever the chunks, and whether it is looked at between them or not', () => {
    const pieces = jsonText.chain((text) => fc.tuple(fc.constant(text), slices(text)));
    fc.assert(
      fc.property(pieces, fc.boolean(), ([text, chunks], looks) => {
        const json = partialJson();
        let seen = '';
        for (const chunk of chunks) {
          json.push(chunk);
          seen += chunk;
          if (looks) expect(shape(json.value)).toEqual(shape(readingOf(seen)));
        }
        json.end();
        expect(shape(json.value)).toEqual(shape(JSON.parse(text)));
      }),
      { seed: 2, numRuns: 300 },
    );
  });

  describe('a string', () => {
    it('grows as it arrives', () => {
      const json = partialJson();
      const seen = ['"', 'ab', 'c', '"'].map((piece) => (json.push(piece), json.value));
      expect(seen).toEqual(['', 'ab', 'abc', 'abc']);
    });

    it('shows an escape when it is whole', () => {
      const json = partialJson();
      const seen = ['"a', '\\', 'n', '\\u0', '04', '1', '\\"', '"'].map((piece) => (json.push(piece), json.value));
      expect(seen).toEqual(['a', 'a', 'a\n', 'a\n', 'a\n', 'a\nA', 'a\nA"', 'a\nA"']);
    });

    it.each([
      ['"\ud83d', '\ude00"'],
      ['"\\ud83d', '\\ude00"'],
      ['"\\ud83d', '\ude00"'],
      ['"\ud83d', '\\ude00"'],
    ])('does not show half of a surrogate pair: %j then %j', (first, second) => {
      const json = partialJson();
      json.push(first);
      expect(json.value).toBe('');
      json.push(second);
      expect(json.value).toBe('\u{1f600}');
    });

    it('shows a lone surrogate, as JSON.parse does, once it is known to be alone', () => {
      const json = partialJson();
      const seen = ['"\\ud83d', 'x', '\ud83d', '"'].map((piece) => (json.push(piece), json.value));
      expect(seen).toEqual(['', '\ud83dx', '\ud83dx', '\ud83dx\ud83d']);
    });
  });

  describe('a number', () => {
    it('appears when something follows it, because until then it may go on', () => {
      const json = partialJson();
      const seen = ['[1', '2', ',', '3 ', ']'].map((piece) => (json.push(piece), json.value));
      expect(seen).toEqual([[], [], [12], [12, 3], [12, 3]]);
    });

    it('is complete at the top only by white space or by the end', () => {
      const json = partialJson();
      json.push('-1.5e2');
      expect([json.value, json.done]).toEqual([undefined, false]);
      json.end();
      expect([json.value, json.done]).toEqual([-150, true]);
      expect(readAll(['7\n'])).toMatchObject({ value: 7, done: true });
    });

    it.each(['0', '-0', '10', '1.50', '1e5', '1E+5', '1e-5', '0.1e01', '123456789012345678901', '1e400'])('reads %s as JSON.parse does', (text) => {
      expect(Object.is(readAll([...text]).value, JSON.parse(text))).toBe(true);
    });
  });

  it.each(['true', 'false', 'null'])('shows %s with its last letter', (literal) => {
    const json = partialJson();
    json.push(literal.slice(0, -1));
    expect([json.value, json.done]).toEqual([undefined, false]);
    json.push(literal.slice(-1));
    expect([json.value, json.done]).toEqual([JSON.parse(literal), true]);
  });

  it('shows a key once something of its value can be read', () => {
    const json = partialJson();
    const seen = ['{"a', '"', ':', '"', '","b":1', ',"c":tru', 'e'].map((piece) => (json.push(piece), json.value));
    const [a, ab] = [{ a: '' }, { a: '', b: 1 }];
    expect(seen).toEqual([{}, {}, {}, a, a, ab, { ...ab, c: true }]);
  });

  it('takes the last of equal keys, and keeps the first until the last can be read', () => {
    const json = partialJson();
    const seen = ['{"a":[1],"b":2,"a":', '"', 'x"}'].map((piece) => (json.push(piece), json.value));
    expect(seen.map((value) => JSON.stringify(value))).toEqual(['{"a":[1],"b":2}', '{"a":"","b":2}', '{"a":"x","b":2}']);
  });

  it('is done when a whole text has been read, white space after it included', () => {
    const json = partialJson();
    json.push('{"a":[]');
    expect(json.done).toBe(false);
    json.push('}');
    expect(json.done).toBe(true);
    json.push(' \n');
    json.end();
    expect([json.done, json.error]).toEqual([true, undefined]);
  });

  it('keeps hostile keys as own keys and reaches no prototype', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":[{"__proto__":"x"}],"toString":0}';
    const json = partialJson();
    for (const mark of text) {
      json.push(mark);
      expect(Object.getPrototypeOf(json.value)).toBe(Object.prototype);
    }
    expect(shape(json.value)).toEqual(shape(JSON.parse(text)));
    expect(Object.hasOwn(json.value as object, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('goes as deep as it is allowed, 512 unless told, and no deeper', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(readAll([nested(512)])).toMatchObject({ done: true, error: undefined });
    expect(readAll([nested(513)]).error).toEqual({ offset: 512, expected: 'at most 512 levels of nesting' });
    expect(readAll(['{"a":{"b":0}}'], { maxDepth: 1 }).error).toEqual({ offset: 5, expected: 'at most 1 levels of nesting' });
    expect(readAll(['[[],[],{}]'], { maxDepth: 2 }).done).toBe(true);
  });

  it('reads a hundred thousand levels without recursion where it is allowed to', () => {
    const json = partialJson({ maxDepth: 200_000 });
    json.push('['.repeat(100_000));
    let depth = 0;
    for (let value = json.value as unknown[]; value !== undefined; value = value[0] as unknown[]) depth++;
    json.push(']'.repeat(100_000));
    expect([depth, json.done]).toEqual([100_000, true]);
  });
});
