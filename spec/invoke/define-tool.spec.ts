import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { ConfigError } from '../../lib/errors.ts';
import { defineTool } from '../../lib/invoke/define-tool.ts';
import type { ToolDefinition } from '../../lib/invoke/define-tool.ts';
import type { ToolInput } from '../../lib/tool.ts';

type Loose = ToolDefinition<string, unknown, unknown, unknown>;
const right: Loose = { name: 'add', description: 'Adds.', input: z.object({ a: z.number() }) as ToolInput, run: () => 1 };

function refusal(change: Partial<Record<keyof Loose | 'timeout', unknown>>): unknown {
  try {
    return defineTool({ ...right, ...change } as Loose);
  } catch (error) {
    return error;
  }
}

describe('defineTool', () => {
  it('says the schema of its arguments as JSON Schema, without its dialect', () => {
    const { parameters } = defineTool({ ...right, input: z.object({ a: z.number().describe('first'), b: z.string().optional() }) });
    expect(parameters).toEqual({
      type: 'object',
      properties: { a: { type: 'number', description: 'first' }, b: { type: 'string' } },
      required: ['a'],
    });
  });

  it('says what the model may send, not what the schema makes of it', () => {
    const { parameters } = defineTool({ ...right, input: z.object({ day: z.string().transform((text) => new Date(text)) }) });
    expect(parameters).toMatchObject({ properties: { day: { type: 'string' } } });
  });

  it('keeps name, description, input and run', () => {
    expect(defineTool(right)).toMatchObject({ name: 'add', description: 'Adds.', input: right.input, run: right.run });
  });

  it('takes a raw JSON Schema, whose arguments the run checks', () => {
    const tool = defineTool({ ...right, input: { $schema: 'x', type: 'object' } });
    expect(tool).toMatchObject({ parameters: { type: 'object' }, needsValidator: true });
    expect(tool.parameters).not.toHaveProperty('$schema');
  });

  it('runs alone and without limit, unless it says otherwise', () => {
    expect(defineTool(right)).toMatchObject({ parallelSafe: false });
    expect(defineTool(right)).not.toHaveProperty('timeoutMs');
    expect(defineTool({ ...right, parallelSafe: true, timeoutMs: 5 })).toMatchObject({ parallelSafe: true, timeoutMs: 5 });
  });

  it('takes the schema of any library that speaks both interfaces', () => {
    const input: ToolInput = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: 'object' }) } } };
    expect(defineTool({ ...right, input }).parameters).toEqual({ type: 'object' });
  });

  it.each([
    ['an empty name', { name: '' }, '"" must be 1 to 64'],
    ['a name with a space', { name: 'a b' }, '"a b" must be'],
    ['a name of 65 characters', { name: 'x'.repeat(65) }, 'must be 1 to 64'],
    ['no description', { description: undefined }, 'tool "add" needs a description'],
    ['no run', { run: undefined }, 'tool "add" needs a run function'],
    ['an option that does not exist', { timeout: 3 }, 'unknown option "timeout"'],
    ['no input', { input: undefined }, 'the input of tool "add" is neither a JSON Schema nor a Standard Schema'],
    ['a list for an input', { input: [] }, 'z.object'],
    ['a time limit of 0', { timeoutMs: 0 }, 'timeoutMs of tool "add" is 0'],
    ['a time limit that is no number', { timeoutMs: NaN }, 'timeoutMs of tool "add" is NaN'],
    ['a schema that JSON Schema cannot say', { input: z.object({ a: z.bigint() }) }, 'cannot be said as JSON Schema'],
  ])('refuses %s', (_name, change, message) => {
    const error = refusal(change);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message).toContain(message);
  });
});
