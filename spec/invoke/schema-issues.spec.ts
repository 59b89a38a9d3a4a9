import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonSchemaValidator } from '../../lib/invoke/json-schema-validator.ts';
import { schemaIssues } from '../../lib/invoke/schema-issues.ts';
import type { JsonSchema, Validation, ValidationIssue } from '../../lib/tool.ts';

function issues(schema: JsonSchema, value: unknown): readonly ValidationIssue[] {
  return (jsonSchemaValidator()(schema, 'act').validate(value) as Validation<unknown>).issues ?? [];
}

/** `path: message` of each issue. */
const told = (schema: JsonSchema, value: unknown): string[] =>
  issues(schema, value).map(({ path = [], message }) => `${path.map(String).join('/')}: ${message}`);

describe('schemaIssues', () => {
  it.each<[JsonSchema, unknown, string[]]>([
    [{ type: 'integer' }, 3.5, [': must be of type integer']],
    [{ type: ['string', 'null'] }, 1, [': must be of type string or null']],
    [{ enum: ['a', 1] }, 2, [': must be one of ["a",1]']],
    [{ const: { a: 1 } }, 2, [': must be {"a":1}']],
    [{ minimum: 3 }, 2, [': must be at least 3']],
    [{ maximum: 3 }, 4, [': must be at most 3']],
    [{ exclusiveMinimum: 3 }, 3, [': must be more than 3']],
    [{ exclusiveMaximum: 3 }, 3, [': must be less than 3']],
    [{ multipleOf: 2 }, 3, [': must be a multiple of 2']],
    [{ minLength: 3, pattern: '^x' }, 'a', [': must have at least this many characters: 3', ': must match the regular expression "^x"']],
    [{ uniqueItems: true }, [1, 1], [': must not have two equal items']],
    [{ required: ['a', 'b', 'c'] }, { b: 1 }, ['a: is required', 'c: is required']],
    [{ properties: { a: true }, additionalProperties: false }, { a: 1, b: 1, c: 1 }, ['b: is not allowed', 'c: is not allowed']],
    [{ properties: { a: { type: 'string' } }, unevaluatedProperties: false }, { a: 1, b: 1 }, ['a: must be of type string', 'b: is not allowed']],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, [': is not as dependentRequired says: {"a":["b"]}']],
    [{ contains: { type: 'string' }, minContains: 2 }, ['a', 1], [': is not as minContains says: 2']],
  ])('says what %j asked', (schema, value, expected) => {
    expect(told(schema, value)).toEqual(expected);
  });

  it('tells the values inside apart by their paths, list places as numbers', () => {
    const schema = { properties: { list: { items: { properties: { 'a/b ~': { type: 'string' } }, required: ['c'] } }, '0': { type: 'null' } } };
    const found = issues(schema, { list: [{ c: 1 }, { 'a/b ~': 1 }], '0': 1 });
    expect(found.map(({ path }) => path)).toEqual([['0'], ['list', 1, 'c'], ['list', 1, 'a/b ~']]);
  });

  it('reads a keyword behind references, conditions and names like its own', () => {
    const schema = {
      $defs: { small: { maximum: 5 }, again: { $ref: '#/$defs/small' } },
      properties: { contains: { $ref: '#/$defs/again' }, anyOf: { maximum: 7 } },
      if: { required: ['contains'] }, then: { properties: { then: { minimum: 9 } } },
      dependentSchemas: { not: { properties: { not: { minimum: 11 } } } },
    };
    expect(told(schema, { contains: 6, anyOf: 8, then: 1, not: 1 })).toEqual([
      'then: must be at least 9', 'not: must be at least 11', 'contains: must be at most 5', 'anyOf: must be at most 7',
    ]);
  });

  it.each<[string, JsonSchema, unknown, string[]]>([
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: false }] }, { z: 1 }, [': must match at least one of [{"type":"string"},{"type":"object","additionalProperties":false}]']],
    ['anyOf with a branch that takes nothing', { anyOf: [false, { minimum: 1 }] }, 0, [': must match at least one of [false,{"minimum":1}]']],
    ['oneOf', { oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, [': must match exactly one of [{"minimum":1},{"minimum":2}]']],
    ['not', { not: { type: 'number' } }, 3, [': must not match {"type":"number"}']],
    ['contains', { contains: { minimum: 5 } }, [1, 2], [': must have an item that matches {"minimum":5}']],
    ['propertyNames', { propertyNames: { pattern: '^a' } }, { b: 1 }, [': must have property names that match {"pattern":"^a"}']],
  ])('says what %s wants as a whole, not what was only tried', (_name, schema, value, expected) => {
    expect(told(schema, value)).toEqual(expected);
  });

  it('cuts what a keyword says at 200 characters', () => {
    const [message = ''] = told({ enum: Array.from({ length: 500 }, (_, at) => `choice ${at}`) }, 'x');
    expect(message).toMatch(/^: must be one of \["choice 0",.*…$/);
    expect(message.length).toBeLessThan(230);
  });

  it('has something to say whatever is reported', () => {
    expect(schemaIssues({}, {}, [])).toEqual([{ message: 'is not as the schema says' }]);
    const report = { keyword: 'new', keywordLocation: '#/x/y/new', instanceLocation: '#/a/b' };
    expect(schemaIssues({}, {}, [report])).toEqual([{ message: 'is not as new says: ', path: ['a', 'b'] }]);
  });

  it('never repeats a value', () => {
    const strict: JsonSchema = {
      type: 'null', enum: [0], const: 0, minimum: 9e9, maximum: -9e9, exclusiveMinimum: 9e9, exclusiveMaximum: -9e9, multipleOf: 0.7, minLength: 99,
      maxLength: 0, pattern: '^$', minItems: 99, maxItems: 0, uniqueItems: true, contains: false, items: { type: 'null' }, prefixItems: [{ const: 0 }],
      anyOf: [{ type: 'null' }], oneOf: [{ type: 'null' }], not: {}, if: {}, then: { const: 1 }, properties: { a: { enum: [0] } }, additionalProperties: false,
    };
    const secret = fc.oneof(fc.integer({ min: 12_345, max: 99_999 }), fc.stringMatching(/^secret[a-z]{3}$/));
    const value = fc.oneof(secret, fc.array(secret, { minLength: 1 }), fc.record({ a: secret, b: secret }));
    fc.assert(
      fc.property(value, (one) => {
        const messages = issues(strict, one).map(({ message }) => message).join('\n');
        expect(messages).not.toBe('');
        for (const part of [one].flatMap((inner) => (typeof inner === 'object' ? Object.values(inner) : [inner]))) expect(messages).not.toContain(String(part));
      }),
    );
  });
});
