import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as z from 'zod';
import { isLoopError } from '../../lib/errors.ts';
import { jsonSchemaValidator } from '../../lib/invoke/json-schema-validator.ts';
import { schemaKeywords } from '../../lib/invoke/schema-keywords.ts';
import type { JsonSchema, Validation } from '../../lib/tool.ts';

const validator = jsonSchemaValidator();
const check = (schema: JsonSchema, value: unknown): Validation<unknown> => validator(schema, 'act').validate(value) as Validation<unknown>;
const accepts = (schema: JsonSchema, value: unknown): boolean => check(schema, value).issues === undefined;

/** A keyword, a schema with it, what the schema takes and what it refuses. */
type Row = readonly [keyword: string, schema: JsonSchema, takes: readonly unknown[], refuses: readonly unknown[]];

const odd = { not: { multipleOf: 2 } };
const rows: readonly Row[] = [
  ['type', { type: 'integer' }, [3, 3.0, -1e20], [3.5, '3', null]],
  ['type', { type: 'number' }, [3, 3.5], ['3', true, [3]]],
  ['type', { type: ['string', 'null'] }, ['', null], [0, {}]],
  ['type', { type: 'object' }, [{}], [[], null, 'a']],
  ['type', { type: 'array' }, [[]], [{}]],
  ['type', { type: 'boolean' }, [true, false], [0, 'true']],
  ['enum', { enum: [1, 'a', null, { b: [1] }] }, [1, 'a', null, { b: [1] }, 1.0], [2, 'b', { b: [2] }, [1], {}]],
  ['const', { const: { a: [1, null] } }, [{ a: [1, null] }], [{ a: [1] }, {}, null]],
  ['const', { const: null }, [null], [0, '', false]],
  ['minimum', { minimum: 3 }, [3, 4, 'a'], [2.9]],
  ['maximum', { maximum: 3 }, [3, -1], [3.1]],
  ['exclusiveMinimum', { exclusiveMinimum: 3 }, [3.1], [3, 2]],
  ['exclusiveMaximum', { exclusiveMaximum: 3 }, [2.9], [3, 4]],
  ['multipleOf', { multipleOf: 0.1 }, [0.3, 1, 'a'], [0.25]],
  ['minLength', { minLength: 2 }, ['ab', '😀😀', 5], ['a', '😀']],
  ['maxLength', { maxLength: 2 }, ['ab', '😀😀'], ['abc', '😀😀😀']],
  ['pattern', { pattern: '^a.c$' }, ['abc', 'a😀c', 3], ['ac', 'xabc']],
  ['properties', { properties: { a: { type: 'number' }, no: false } }, [{}, { a: 1, b: 'x' }, []], [{ a: 'x' }, { no: 1 }]],
  ['patternProperties', { patternProperties: { '^n_': { type: 'number' } } }, [{ n_a: 1, x: 'x' }], [{ n_a: 'x' }]],
  ['additionalProperties', { properties: { a: true }, additionalProperties: false }, [{ a: 1 }], [{ b: 1 }]],
  ['additionalProperties', { patternProperties: { '^a': true }, additionalProperties: { type: 'number' } }, [{ ab: 'x', b: 1 }], [{ b: 'x' }]],
  ['unevaluatedProperties', { allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, [{ a: 1 }], [{ a: 1, b: 1 }]],
  ['propertyNames', { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  ['required', { required: ['a', 'toString'] }, [{ a: 1, toString: 1 }, 'x'], [{ a: 1 }, {}]],
  ['minProperties', { minProperties: 1 }, [{ a: 1 }, []], [{}]],
  ['maxProperties', { maxProperties: 1 }, [{ a: 1 }], [{ a: 1, b: 1 }]],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
  ['prefixItems', { prefixItems: [{ type: 'string' }, { type: 'number' }] }, [['a', 1, null], ['a'], []], [[1], ['a', 'b']]],
  ['items', { items: { type: 'number' } }, [[], [1, 2], {}], [[1, 'a']]],
  ['items', { prefixItems: [true], items: false }, [['a']], [['a', 1]]],
  ['unevaluatedItems', { allOf: [{ prefixItems: [true] }], unevaluatedItems: false }, [['a']], [['a', 1]]],
  ['contains', { contains: odd }, [[2, 3]], [[2, 4], []]],
  ['minContains', { contains: odd, minContains: 2 }, [[1, 3]], [[1, 2]]],
  ['minContains', { contains: odd, minContains: 0 }, [[], [2]], []],
  ['maxContains', { contains: odd, maxContains: 1 }, [[1, 2]], [[1, 3]]],
  ['minItems', { minItems: 1 }, [[1], 'a'], [[]]],
  ['maxItems', { maxItems: 1 }, [[1], []], [[1, 2]]],
  ['uniqueItems', { uniqueItems: true }, [[1, '1', { a: 1 }, { a: 2 }]], [[1, 1], [{ a: [1] }, { a: [1] }]]],
  ['allOf', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
  ['anyOf', { anyOf: [{ minimum: 5 }, { type: 'integer' }] }, [5.5, 3], [3.5]],
  ['oneOf', { oneOf: [{ minimum: 5 }, { type: 'integer' }] }, [5.5, 3], [6, 3.5]],
  ['not', { not: { type: 'string' } }, [1], ['a']],
  ['if', { if: { type: 'string' }, then: { minLength: 2 }, else: { minimum: 2 } }, ['ab', 2], ['a', 1]],
  ['then', { if: { minimum: 5 }, then: { maximum: 6 } }, [5, 1], [7]],
  ['else', { if: { minimum: 5 }, else: { maximum: 2 } }, [7, 1], [3]],
  ['$ref', { $defs: { n: { type: 'number' } }, properties: { a: { $ref: '#/$defs/n', minimum: 2 } } }, [{ a: 2 }], [{ a: 'x' }, { a: 1 }]],
  ['$ref', { properties: { a: { $ref: '#' } }, required: ['v'] }, [{ v: 1, a: { v: 2 } }], [{ v: 1, a: {} }]],
  ['$defs', { $defs: { no: false }, properties: { a: { $ref: '#/$defs/no' } } }, [{}], [{ a: 1 }]],
  ['definitions', { definitions: { n: { type: 'number' } }, items: { $ref: '#/definitions/n' } }, [[1]], [['a']]],
  ['$anchor', { $defs: { n: { $anchor: 'num', type: 'number' } }, items: { $ref: '#num' } }, [[1]], [['a']]],
];

describe('jsonSchemaValidator', () => {
  it.each(rows)('enforces %s: %j', (keyword, schema, takes, refuses) => {
    expect(JSON.stringify(schema)).toContain(`"${keyword}"`);
    expect(takes.filter((value) => !accepts(schema, value))).toEqual([]);
    expect(refuses.filter((value) => accepts(schema, value))).toEqual([]);
  });

  it('has a row for every keyword that is no annotation', () => {
    const shown = new Set(rows.map(([keyword]) => keyword));
    const enforced = Object.entries(schemaKeywords).filter(([, reading]) => reading !== 'annotation');
    expect(enforced.map(([keyword]) => keyword).filter((keyword) => !shown.has(keyword))).toEqual([]);
  });

  it('lets annotations say what they like, at any depth', () => {
    const annotations = Object.keys(schemaKeywords).filter((keyword) => schemaKeywords[keyword] === 'annotation');
    expect(annotations).toEqual([
      '$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'format', 'deprecated', 'readOnly', 'writeOnly',
      'contentMediaType', 'contentEncoding',
    ]);
    const said = Object.fromEntries(annotations.map((keyword) => [keyword, keyword === 'format' ? 'email' : [{ tpye: 1 }]]));
    expect(accepts({ ...said, properties: { a: { ...said, type: 'string' } } }, { a: 'no address' })).toBe(true);
  });

  it('gives the value as it is', () => {
    const value = { a: 1 };
    expect(check({ type: 'object' }, value)).toEqual({ value });
    expect((check({ type: 'object', properties: { b: { default: 1 } } }, value) as { value: unknown }).value).toBe(value);
  });

  it('leaves the schema as it was, also a frozen one, and serves many tools with one', () => {
    const inner = Object.freeze({ type: 'number' });
    const schema = Object.freeze({ properties: Object.freeze({ a: inner, b: inner }), $defs: Object.freeze({ x: inner }), items: Object.freeze({ $ref: '#/$defs/x' }) });
    const before = JSON.stringify(schema);
    const checks = ['one', 'two'].map((name) => validator(schema, name));
    expect(checks.map((one) => one.validate({ a: 1, b: 'x' }))).toMatchObject([{ issues: [{ path: ['b'] }] }, { issues: [{ path: ['b'] }] }]);
    expect(JSON.stringify(schema)).toBe(before);
    expect(Reflect.ownKeys(inner)).toEqual(['type']);
  });

  it('says that a value cannot be checked instead of throwing', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level++) deep = [deep];
    expect(check({ items: { $ref: '#' } }, deep)).toEqual({ issues: [{ message: expect.stringMatching(/^cannot be checked \(.*stack/) }] });
    expect(check({ additionalProperties: { type: 'number' } }, { '\ud800': 1 })).toEqual({ issues: [{ message: expect.stringMatching(/^cannot be checked/) }] });
  });

  it('agrees with another validator of the same schema', () => {
    const text = fc.string({ unit: 'grapheme-ascii', maxLength: 6 });
    const bounds = fc.tuple(fc.nat(3), fc.nat(4)).map(([from, more]) => [from, from + more] as const);
    const { tree } = fc.letrec<{ tree: z.ZodType }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom<z.ZodType>(z.boolean(), z.null(), z.number(), z.int()),
        bounds.map(([from, to]) => z.string().min(from).max(to)),
        bounds.map(([from, to]) => z.number().min(from).lt(to + 1)),
        fc.constantFrom<z.ZodType>(z.enum(['a', 'b']), z.literal('a'), z.literal(1)),
        tie('tree').chain((item) => bounds.map(([from, to]) => z.array(item).min(from).max(to))),
        fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((options) => z.union(options)),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('tree')).map((shape) => z.strictObject(shape)),
        fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => z.looseObject({ a, b: b.optional() })),
        tie('tree').map((one) => z.record(z.string(), one)),
      ),
    }));
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(true, null, 0, 1, 2, 3.5, 'a', 'b', ''),
        text,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value')),
      ),
    })).value;
    const counts = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(tree, fc.array(value, { minLength: 1, maxLength: 8 }), (schema, values) => {
        const made = validator(z.toJSONSchema(schema), 'act');
        for (const one of values) {
          const isRight = schema.safeParse(one).success;
          counts[isRight ? 'taken' : 'refused']++;
          expect(made.validate(one)).toEqual(isRight ? { value: one } : { issues: expect.anything() });
        }
      }),
      { numRuns: 300 },
    );
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(10);
  });

  it('reads one schema object once, and refuses a bad one as often as it is asked, by the name of each tool', () => {
    const schema: JsonSchema = { type: 'object', properties: { n: { type: 'integer' } } };
    const check = validator(schema, 'act');
    expect(validator(schema, 'look')).toBe(check);
    expect(jsonSchemaValidator()(schema, 'act')).toBe(check);
    expect(validator({ ...schema }, 'act')).not.toBe(check);
    expect(schema).toEqual({ type: 'object', properties: { n: { type: 'integer' } } });

    const bad: JsonSchema = { tpye: 'object' };
    expect(() => validator(bad, 'act')).toThrow(/act/);
    expect(() => validator(bad, 'look')).toThrow(/look/);
  });

  it('reads any JSON as a schema or refuses it, and then checks any JSON', () => {
    const keyword = fc.constantFrom(...Object.keys(schemaKeywords), 'a', '__proto__', 'tpye');
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { depthSize: 'medium' },
        fc.constantFrom<unknown>(true, false, null, 0, 2, -1, 0.5, 'a', '#', '#/$defs/a', '#/properties/a', '[', 'string', 'object'),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(keyword, tie('json'), { maxKeys: 4 }),
      ),
    }));
    let checked = 0;
    fc.assert(
      fc.property(fc.dictionary(keyword, json, { maxKeys: 4 }), json, (schema, value) => {
        try {
          validator(schema, 'act').validate(value);
          checked++;
        } catch (error) {
          expect(isLoopError(error) && error.code).toBe('invalid-tool-schema');
        }
      }),
      { numRuns: 2_000 },
    );
    expect(checked).toBeGreaterThan(20);
  });
});
