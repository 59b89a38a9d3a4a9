import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidToolSchemaError } from '../../lib/errors.ts';
import { readSchema } from '../../lib/invoke/read-schema.ts';
import type { JsonSchema } from '../../lib/tool.ts';

function refusal(schema: unknown): InvalidToolSchemaError {
  try {
    readSchema(schema as JsonSchema, 'act');
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidToolSchemaError);
    return error as InvalidToolSchemaError;
  }
  throw new Error('nothing was refused');
}

describe('readSchema', () => {
  it('names tool, path and keyword of what it refuses', () => {
    const error = refusal({ properties: { list: { items: { patern: '^a' } } } });
    expect(error).toMatchObject({ code: 'invalid-tool-schema', toolName: 'act', path: 'properties.list.items', keyword: 'patern', retryable: false });
    expect(error.message).toBe(
      'The JSON Schema of tool "act" cannot be checked: "patern" at properties.list.items is not a keyword that can be checked: take it out, or give a validator that honours it.',
    );
    expect(refusal({ patern: 1 })).toMatchObject({ path: '', message: expect.stringContaining('"patern" at its root is not') });
  });

  it.each(['patern', 'nullable', 'discriminator', 'x-order', 'additionalItems', 'dependencies', '$dynamicRef', '$recursiveRef', '$vocabulary', 'id', 'constructor', '__proto__', ''])(
    'refuses the keyword %j, which nobody would enforce',
    (keyword) => expect(refusal(JSON.parse(`{ ${JSON.stringify(keyword)}: {} }`))).toMatchObject({ path: '', keyword }),
  );

  it.each<[string, unknown, string]>([
    ['type', 'strin', 'a type or a list of some: string, number'],
    ['type', ['string', 'any'], 'a type or'],
    ['type', [], 'a type or'],
    ['type', null, 'a type or'],
    ['enum', [], 'a list of at least one value'],
    ['enum', 'a', 'a list of at least one value'],
    ['minimum', '3', 'must be a number'],
    ['exclusiveMinimum', true, 'must be a number'],
    ['maximum', NaN, 'must be a number'],
    ['multipleOf', 0, 'a number above 0'],
    ['minLength', -1, 'a whole number of 0 or more'],
    ['maxItems', 1.5, 'a whole number of 0 or more'],
    ['minProperties', '1', 'a whole number of 0 or more'],
    ['uniqueItems', 'yes', 'true or false'],
    ['pattern', '[', 'a regular expression'],
    ['pattern', '\\-', 'with the flag u'],
    ['pattern', /a/, 'a regular expression'],
    ['required', 'a', 'a list of names'],
    ['required', [1], 'a list of names'],
    ['required', true, 'a list of names'],
    ['dependentRequired', { a: 'b' }, 'an object of lists of names'],
    ['dependentRequired', [], 'an object of lists of names'],
    ['properties', [], 'an object of schemas'],
    ['properties', 'a', 'an object of schemas'],
    ['$defs', null, 'an object of schemas'],
    ['anyOf', [], 'a list of at least one schema'],
    ['oneOf', {}, 'a list of at least one schema'],
    ['prefixItems', true, 'a list of at least one schema'],
    ['items', [{}], 'prefixItems'],
    ['$ref', 3, 'must be a text'],
    ['$anchor', {}, 'must be a name'],
    ['$anchor', '/properties/a', 'must be a name'],
    ['$anchor', '', 'must be a name'],
  ])('refuses "%s": %j', (keyword, value, message) => {
    const inner = { properties: { a: { anyOf: [true, { [keyword]: value }] } } };
    const error = refusal(inner);
    expect(error).toMatchObject({ path: 'properties.a.anyOf[1]', keyword });
    expect(error.message).toContain(message);
  });

  it.each<[string, unknown, string]>([
    ['a text', { items: 'string' }, 'items'],
    ['null', { not: null }, 'not'],
    ['a number in a list', { allOf: [{}, 1] }, 'allOf[1]'],
    ['a list under a name', { properties: { 'a b': [] } }, 'properties["a b"]'],
    ['a list of names', { dependentSchemas: { a: ['b'] } }, 'dependentSchemas.a'],
    ['a text at the root', 'object', ''],
  ])('refuses %s where a schema belongs', (_name, schema, path) => {
    expect(refusal(schema)).toMatchObject({ path, message: expect.stringContaining('is no schema: give an object, true or false') });
  });

  it('refuses names that cannot be names', () => {
    expect(refusal({ patternProperties: { ok: true, '[': true } })).toMatchObject({ path: 'patternProperties["["]', keyword: 'patternProperties' });
    expect(refusal({ properties: { '\ud800': true } })).toMatchObject({ path: 'properties', message: expect.stringContaining('half a character') });
  });

  it('refuses the first fault in the order of the schema', () => {
    expect(refusal({ properties: { a: { oops: 1 }, b: { typo: 1 } }, anyOf: [] }).keyword).toBe('anyOf');
    expect(refusal({ properties: { a: { oops: 1 }, b: { typo: 1 } } }).keyword).toBe('oops');
  });

  it('takes what JSON leaves out as absent', () => {
    expect(readSchema({ minimum: undefined, tpye: undefined, type: 'number' }, 'act')).toEqual({ type: 'number' });
  });

  it('gives a copy in the same order without annotations, its data untouched', () => {
    const schema = { title: 'T', type: 'object', properties: { b: { description: 'B', const: { title: 1 } }, a: { enum: [{ format: 1 }] } }, anyOf: [{ default: 1 }, false, { not: { examples: [] } }] };
    const read = readSchema(schema, 'act');
    expect(JSON.stringify(read)).toBe('{"type":"object","properties":{"b":{"const":{"title":1}},"a":{"enum":[{"format":1}]}},"anyOf":[{},false,{"not":{}}]}');
    expect(read).not.toBe(schema);
  });

  it('keeps hostile names own names', () => {
    const read = readSchema(JSON.parse('{ "properties": { "__proto__": { "type": "number" }, "constructor": true } }') as JsonSchema, 'act');
    const { properties } = read as { properties: object };
    expect(Object.keys(properties)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(properties)).toBe(Object.prototype);
  });

  it('is not lost in a schema that holds itself, is too deep or too large', () => {
    const self: Record<string, unknown> = {};
    self['properties'] = { a: self, b: self };
    expect(refusal(self).message).toContain('at most 10000 schemas');
    const ring: Record<string, unknown> = {};
    ring['items'] = ring;
    expect(refusal(ring)).toMatchObject({ keyword: 'items', message: expect.stringContaining('deeper than 100 schemas') });
    const nested = (levels: number): JsonSchema => Array.from({ length: levels }).reduce<JsonSchema>((inner) => ({ items: inner }), {});
    expect(readSchema(nested(100), 'act')).toEqual(nested(100));
    expect(refusal(nested(101)).path).toBe(Array(101).fill('items').join('.'));
    expect(refusal({ anyOf: Array(10_001).fill({}) }).message).toContain('at most 10000 schemas');
  });

  it('finds an unknown keyword wherever it stands', () => {
    const holders: ((inner: JsonSchema) => JsonSchema)[] = [
      (inner) => ({ properties: { a: inner } }), (inner) => ({ items: inner }), (inner) => ({ anyOf: [true, inner] }), (inner) => ({ $defs: { a: inner } }),
      (inner) => ({ additionalProperties: inner }), (inner) => ({ if: inner }), (inner) => ({ dependentSchemas: { a: true, c: inner } }), (inner) => ({ patternProperties: { '^a': inner } }),
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...holders), { maxLength: 20 }), (around) => {
        const schema = around.reduce<JsonSchema>((inner, holder) => holder(inner), { tpye: 'string' });
        expect(refusal(schema).keyword).toBe('tpye');
      }),
    );
  });
});
