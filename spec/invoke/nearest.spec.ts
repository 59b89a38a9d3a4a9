import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nearest } from '../../lib/invoke/nearest.ts';

describe('nearest', () => {
  it.each([
    ['adds', ['add', 'subtract'], ['add']],
    ['serach', ['launch', 'search'], ['search']],
    ['calculater', ['calendar', 'calculator'], ['calculator']],
    ['ad', ['add', 'subtract'], ['add']],
  ])('finds what %s may have meant', (name, known, expected) => {
    expect(nearest(name, known)).toEqual(expected);
  });

  it.each(['ReadFile', 'read-file', 'READ_FILE', 'readFile', 'read file', 'read.file'])(
    'takes %s for read_file, whatever its case and its separators',
    (name) => {
      expect(nearest(name, ['delete_file', 'read_file', 'reads_files'])[0]).toBe('read_file');
    },
  );

  it('takes the start or the end of a name for the name, and the other way round', () => {
    expect(nearest('search', ['search_web_and_news'])).toEqual(['search_web_and_news']);
    expect(nearest('functions.add', ['add'])).toEqual(['add']);
    expect(nearest('multiplication', ['add', 'multiply_by_multiplication'])).toEqual(['multiply_by_multiplication']);
  });

  it('takes a part for nearer than two slips of the pen, and not nearer than one', () => {
    expect(nearest('search', ['perch', 'search_web'])).toEqual(['search_web', 'perch']);
    expect(nearest('search', ['search_web', 'searchh'])).toEqual(['search_web', 'searchh']);
  });

  it('does not take a part of one or two characters for anything', () => {
    expect(nearest('go', ['go_to_the_shop'])).toEqual([]);
    expect(nearest('a_long_tool_name', ['a', 'me'])).toEqual([]);
  });

  it('finds nothing where more than a third has to be changed', () => {
    expect(nearest('abcdef', ['abcdxy'])).toEqual(['abcdxy']);
    expect(nearest('abcdef', ['abcxyz'])).toEqual([]);
    expect(nearest('weather', ['calculator', 'clock'])).toEqual([]);
  });

  it('allows one change in a short name', () => {
    expect(nearest('a', ['b', 'xy'])).toEqual(['b']);
    expect(nearest('ls', ['l', 'cat', 'lsx'])).toEqual(['l', 'lsx']);
  });

  it('puts the nearest first and keeps the order of equals', () => {
    expect(nearest('abcdefghi', ['abcdefxyi', 'abcdefghx', 'ABCDEFGHI', 'xbcdefghi'])).toEqual([
      'ABCDEFGHI',
      'abcdefghx',
      'xbcdefghi',
    ]);
  });

  it('gives three at most, or as many as asked for', () => {
    const known = ['tool1', 'tool2', 'tool3', 'tool4', 'tool5'];
    expect(nearest('tool', known)).toEqual(['tool1', 'tool2', 'tool3']);
    expect(nearest('tool', known, 1)).toEqual(['tool1']);
    expect(nearest('tool', known, 10)).toEqual(known);
    expect(nearest('tool', known, 0)).toEqual([]);
    expect(nearest('tool', known, -1)).toEqual([]);
  });

  it('finds nothing for an empty name, for a name of separators alone, or among no names', () => {
    expect(nearest('', ['a', 'add'])).toEqual([]);
    expect(nearest('__', ['a', 'add'])).toEqual([]);
    expect(nearest('add', ['', '__'])).toEqual([]);
    expect(nearest('add', [])).toEqual([]);
  });

  it('compares long names by their first 64 characters', () => {
    const start = 'x'.repeat(64);
    expect(nearest(`${start}${'a'.repeat(100_000)}`, [`${start}${'b'.repeat(100)}`, 'y'.repeat(64)])).toEqual([
      `${start}${'b'.repeat(100)}`,
    ]);
    expect(nearest(`${'a'.repeat(64)}${start}`, [start])).toEqual([]);
  });

  it('counts the edits that the definition counts', () => {
    const define = (a: string, b: string): number => {
      if (a === '' || b === '') return a.length + b.length;
      const rest = define(a.slice(1), b.slice(1));
      if (a[0] === b[0]) return rest;
      return 1 + Math.min(rest, define(a.slice(1), b), define(a, b.slice(1)));
    };
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const [short, long] = a.length < b.length ? [a, b] : [b, a];
        const isPart = short.length >= 3 && (long.startsWith(short) || long.endsWith(short));
        const isNear = isPart || define(a, b) <= Math.max(1, Math.floor(long.length / 3));
        expect(nearest(a, [b])).toEqual(isNear ? [b] : []);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('answers with known names only, each at most once, and leaves the list as it was', () => {
    fc.assert(
      fc.property(fc.string(), fc.uniqueArray(fc.string(), { maxLength: 20 }), (name, known) => {
        const before = [...known];
        const found = nearest(name, Object.freeze(known), 20);
        expect(known).toEqual(before);
        expect(new Set(found).size).toBe(found.length);
        expect(found.every((one) => known.includes(one))).toBe(true);
        // Asking for fewer gives the same beginning.
        expect(nearest(name, known, 2)).toEqual(found.slice(0, 2));
      }),
      { seed: 2 },
    );
  });
});
