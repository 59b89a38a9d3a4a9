import { describe, expect, it } from '@jest/globals';
import { isNames, isPattern, schemaKeywords } from '../../lib/invoke/schema-keywords.ts';

describe('schemaKeywords', () => {
  it('says of every value keyword what it takes, in words that follow "must be"', () => {
    const values = Object.entries(schemaKeywords).flatMap(([keyword, reading]) => (typeof reading === 'object' ? [{ keyword, reading }] : []));
    expect(values.length).toBeGreaterThan(20);
    expect(values.filter(({ reading: [, said] }) => !/^(a|an|true) /.test(said)).map(({ keyword }) => keyword)).toEqual([]);
  });

  it('refuses with every value keyword but const some kind of value', () => {
    const odd = [null, true, -1, 0.5, '[', '', {}, [], [1], { a: 1 }];
    const takesAll = Object.entries(schemaKeywords).filter(([, reading]) => typeof reading === 'object' && odd.every(reading[0]));
    expect(takesAll.map(([keyword]) => keyword)).toEqual(['const']);
  });

  it('reads as schemas what holds schemas, and nothing else', () => {
    const by = (wanted: unknown): string[] => Object.keys(schemaKeywords).filter((keyword) => schemaKeywords[keyword] === wanted);
    expect(by('schemas')).toEqual(['prefixItems', 'allOf', 'anyOf', 'oneOf']);
    expect(by('named')).toEqual(['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas']);
    expect(by('schema')).toEqual([
      'additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'unevaluatedItems', 'contains', 'not', 'if', 'then', 'else',
    ]);
  });
});

describe('isPattern', () => {
  it('takes what compiles with the flag u, and only texts', () => {
    expect(['', '^a+$', '\\p{L}', '[\\w-]'].filter((one) => !isPattern(one))).toEqual([]);
    expect(['[', '(?<a', '\\-', '{1}{', /a/, 1, null, undefined].filter(isPattern)).toEqual([]);
  });
});

describe('isNames', () => {
  it('tells lists of texts from everything else', () => {
    expect([[], ['a']].every(isNames) && ![[1], 'a', null, {}].some(isNames)).toBe(true);
  });
});
