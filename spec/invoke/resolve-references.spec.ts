import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonSchemaValidator } from '../../lib/invoke/json-schema-validator.ts';
import { readSchema } from '../../lib/invoke/read-schema.ts';
import type { JsonSchema } from '../../lib/tool.ts';

/** The fault of a schema; undefined if it has none. */
function fault(schema: JsonSchema): { path: string; keyword: string; message: string } | undefined {
  try {
    readSchema(schema, 'act');
    return undefined;
  } catch (error) {
    return error as never;
  }
}

describe('resolveReferences', () => {
  it.each([
    ['#/$defs/b'], ['#/properties/x'], ['#/$defs'], ['#b'], ['#/$defs/a/enum/0'], ['b'], ['https://example.com/b'], ['other.json#/a'], ['#/$defs/%'], [''], ['#/properties/a/'],
  ])('refuses %j, which leads nowhere in the schema', ($ref) => {
    const error = fault({ $defs: { a: { enum: [1] } }, properties: { a: { $ref } } });
    expect(error).toMatchObject({ path: 'properties.a', keyword: '$ref', message: expect.stringContaining('leads nowhere: only "#/…"') });
  });

  it.each<[string, JsonSchema]>([
    ['at once', { $ref: '#' }],
    ['over another', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['through a list', { anyOf: [{ type: 'null' }, { allOf: [{ $ref: '#' }] }] }],
    ['through a condition', { if: { not: { $ref: '#' } } }],
    ['through a dependency', { dependentSchemas: { a: { $ref: '#' } } }],
    ['beside a name', { $defs: { a: { $anchor: 'a', properties: { x: true }, oneOf: [{ $ref: '#a' }] } } }],
  ])('refuses a reference that leads back to itself %s', (_name, schema) => {
    expect(fault(schema)).toMatchObject({ keyword: '$ref', message: expect.stringContaining('leads back to itself without going into the value') });
  });

  it('refuses two schemas of one name', () => {
    expect(fault({ $defs: { a: { $anchor: 'n' }, b: { $anchor: 'n' } } })).toMatchObject({ path: '$defs.b', keyword: '$anchor' });
  });

  it('takes a reference that goes into the value, or that many share', () => {
    const tree = { properties: { left: { $ref: '#' }, right: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }, items: { $ref: '#' }, additionalProperties: { $ref: '#' } };
    expect(fault(tree)).toBeUndefined();
    expect(fault({ $defs: { n: { type: 'number' } }, anyOf: [{ $ref: '#/$defs/n' }, { not: { $ref: '#/$defs/n' } }] })).toBeUndefined();
  });

  it('refuses a few references that stand for millions of schemas', () => {
    const $defs = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`d${at}`, { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] }]));
    expect(fault({ $defs: { ...$defs, d30: {} }, $ref: '#/$defs/d0' })).toMatchObject({ keyword: '$ref', message: expect.stringContaining('more than 10000 schemas') });
  });

  it('follows a long chain of references without recursion', () => {
    const $defs = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]));
    expect(fault({ $defs: { ...$defs, d5000: { type: 'null' } }, $ref: '#/$defs/d0' })).toBeUndefined();
  });

  it('refuses an inner $id only where there are references, whose meaning it would change', () => {
    const inner = { properties: { a: { $id: 'https://example.com/a', type: 'number' } } };
    expect(fault(inner)).toBeUndefined();
    expect(fault({ $id: 'https://example.com/', ...inner, items: { $ref: '#/properties/a' } })).toMatchObject({ path: 'properties.a', keyword: '$id' });
    expect(fault({ $id: 'https://example.com/', $defs: { a: {} }, items: { $ref: '#/$defs/a' } })).toBeUndefined();
  });

  it('leads to a name however it is spelled', () => {
    const validator = jsonSchemaValidator();
    const name = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.stringMatching(/^[~/%#"\\^ '[\]{}|?&=+;,:@!$().*-]{1,6}$/));
    const spellings = [(text: string) => text, encodeURIComponent, encodeURI];
    fc.assert(
      fc.property(name, fc.constantFrom(...spellings), (key, spell) => {
        const pointer = key.replace(/~/g, '~0').replace(/\//g, '~1');
        // A bare % is no percent-encoding, whoever writes it.
        const $ref = `#/$defs/${spell === spellings[0] ? pointer.replace(/%/g, '%25') : spell(pointer)}`;
        const check = validator({ $defs: { [key]: { type: 'number' } }, properties: { a: { $ref } } }, 'act');
        expect(check.validate({ a: 1 })).toEqual({ value: { a: 1 } });
        expect(check.validate({ a: 'x' })).toEqual({ issues: [{ path: ['a'], message: 'must be of type number' }] });
      }),
      { numRuns: 500, examples: [['__proto__', spellings[0] ?? encodeURI]] },
    );
  });
});
