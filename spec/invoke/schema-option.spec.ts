import { describe, expect, it } from '@jest/globals';
import { runInNewContext } from 'node:vm';
import * as z from 'zod';
import { ConfigError } from '../../lib/errors.ts';
import { readSchemaOption } from '../../lib/invoke/schema-option.ts';

describe('readSchemaOption', () => {
  it('reads a Standard Schema: itself, and as JSON Schema without its $schema', () => {
    const schema = z.object({ a: z.number() });
    const { input, parameters, needsValidator } = readSchemaOption('x', schema);
    expect(input).toBe(schema);
    expect(parameters).toMatchObject({ type: 'object', required: ['a'] });
    expect(parameters).not.toHaveProperty('$schema');
    expect(needsValidator).toBeUndefined();
  });

  it('reads a raw JSON Schema, the very object where it can be', () => {
    const raw = { type: 'object' };
    expect(readSchemaOption('x', raw)).toMatchObject({ needsValidator: true });
    expect(readSchemaOption('x', raw).parameters).toBe(raw);
    expect(readSchemaOption('x', { ...raw, $schema: 'y' }).parameters).toEqual(raw);
  });

  it('takes data of another realm, and without a prototype', () => {
    expect(readSchemaOption('x', runInNewContext('({ type: "object" })') as object as Record<string, unknown>)).toMatchObject({ needsValidator: true });
    expect(readSchemaOption('x', Object.assign(Object.create(null) as object, { type: 'object' }))).toMatchObject({ needsValidator: true });
  });

  it.each([
    ['nothing', undefined], ['null', null], ['a list', []], ['a text', 'object'], ['an object of a class', new Date()],
    ['a Standard Schema that is no JSON Schema', { '~standard': { version: 1, vendor: 'x', validate: () => ({ value: 1 }) } }],
  ])('refuses %s, and names the option', (_name, given) => {
    expect(() => readSchemaOption('toolLoop: output.schema', given as never)).toThrow(/^toolLoop: output\.schema is neither a JSON Schema nor a Standard Schema/);
    expect(() => readSchemaOption('x', given as never)).toThrow(ConfigError);
  });

  it('says why a schema cannot be said as JSON Schema', () => {
    expect(() => readSchemaOption('x', z.object({ a: z.bigint() }) as never)).toThrow(/^x cannot be said as JSON Schema: /);
  });
});
