import { describe, expect, it } from '@jest/globals';
import { runInNewContext } from 'node:vm';
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

  it('runs alone and without limit, unless it says otherwise', () => {
    expect(defineTool(right)).toMatchObject({ parallelSafe: false });
    for (const option of ['timeoutMs', 'retry', 'dependsOn', 'runsOn']) expect(defineTool(right)).not.toHaveProperty(option);
    const { run, ...elsewhere } = right;
    expect(defineTool({ ...elsewhere, runsOn: 'client' })).toMatchObject({ runsOn: 'client' });
    const options = { parallelSafe: true, timeoutMs: 5, retry: { count: 2 }, dependsOn: ['list'] };
    expect(defineTool({ ...right, ...options })).toMatchObject(options);
  });

  it('keeps what is said of it for a screen and for approvals', () => {
    const said = { needsApproval: true, idempotent: true, kind: 'read', title: () => 'Add' } as const;
    expect(defineTool({ ...right, ...said })).toMatchObject(said);
    expect(Object.keys(defineTool(right))).toEqual(['name', 'description', 'run', 'parallelSafe', 'input', 'parameters']);
  });

  it('takes the schema of any library that speaks both interfaces', () => {
    const input: ToolInput = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: 'object' }) } } };
    expect(defineTool({ ...right, input }).parameters).toEqual({ type: 'object' });
  });

  it.each([
    ['of this realm', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', title: 'T' }],
    ['of another realm', runInNewContext('({ type: "object", title: "T" })')],
    ['without a prototype', Object.assign(Object.create(null), { type: 'object', title: 'T' })],
  ])('takes a raw JSON Schema %s as it is, to be checked in a run', (_name, input) => {
    const tool = defineTool({ ...right, input });
    expect({ ...tool.parameters }).toEqual({ type: 'object', title: 'T' });
    expect(tool).toMatchObject({ needsValidator: true, input: { '~standard': { vendor: 'json-schema' } } });
    expect(tool.input['~standard'].jsonSchema.input({ target: 'draft-2020-12' })).toBe(tool.parameters);
    expect(() => tool.input['~standard'].validate({})).toThrow('checked in a run');
  });

  it('does not look at what a raw JSON Schema says, and marks no other tool', () => {
    expect(defineTool({ ...right, input: { tpye: 'object' } }).parameters).toEqual({ tpye: 'object' });
    expect(defineTool(right)).not.toHaveProperty('needsValidator');
  });

  it.each([
    ['an empty name', { name: '' }, '"" must be 1 to 64'],
    ['a name with a space', { name: 'a b' }, '"a b" must be'],
    ['a name of 65 characters', { name: 'x'.repeat(65) }, 'must be 1 to 64'],
    ['no description', { description: undefined }, 'tool "add" needs a description'],
    ['no run', { run: undefined }, 'tool "add" needs a run function'],
    ['an option that does not exist', { timeout: 3 }, 'unknown option "timeout"'],
    ['no input', { input: undefined }, 'the input of tool "add" is neither a JSON Schema nor a Standard Schema'],
    ['a time limit of 0', { timeoutMs: 0 }, 'timeoutMs of tool "add" is 0'],
    ['a time limit that is no number', { timeoutMs: NaN }, 'timeoutMs of tool "add" is NaN'],
    ['a retry without a count', { retry: {} }, 'retry of tool "add" needs a count'],
    ['a dependency on itself', { dependsOn: ['add'] }, 'dependsOn of tool "add" must be a list of names of other tools'],
    ['a dependency that is no list', { dependsOn: 'list' }, 'dependsOn of tool "add" must be a list'],
    ['an input that is a list', { input: [] }, 'neither a JSON Schema nor'],
    ['an input that is a function', { input: () => ({}) }, 'neither a JSON Schema nor'],
    ['an object of a class', { input: new (class Schema { type = 'object'; })() }, 'z.object'],
    ['a schema that cannot say itself', { input: { '~standard': { version: 1, vendor: 'own', validate: () => ({ value: 1 }) } } }, 'z.object'],
    ['a schema that JSON Schema cannot say', { input: z.object({ a: z.bigint() }) }, 'cannot be said as JSON Schema'],
  ])('refuses %s', (_name, change, message) => {
    const error = refusal(change);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message).toContain(message);
  });
});

describe('the options that are passed on', () => {
  it('are there as they were given, and absent where they were not', () => {
    const given = { needsApproval: true, eager: false, idempotent: true, kind: 'read', title: () => 'x', locations: () => [] } as const;
    expect(defineTool({ ...right, ...given })).toMatchObject(given);
    expect(Object.keys(defineTool({ ...right, kind: undefined as never })).sort()).toEqual(['description', 'input', 'name', 'parallelSafe', 'parameters', 'run']);
  });

  it.each([
    ['needsApproval', 'yes', 'true, false or a function'], ['runsOn', 'server', '"client"'], ['eager', 1, 'true or false'], ['idempotent', null, 'true or false'],
    ['kind', 5, 'a word such as "read" or "edit"'], ['title', 'x', 'a function'], ['locations', [], 'a function'],
  ])('refuse %s: %j', (key, value, wanted) => {
    expect(refusal({ [key]: value })).toEqual(new ConfigError(`defineTool: ${key} of tool "add" must be ${wanted}.`));
  });
});

describe('a tool of the client', () => {
  it('needs no body; one that is run all the same says where its result comes from', () => {
    const { run, ...client } = right;
    const tool = defineTool({ ...client, runsOn: 'client' });
    expect(tool.runsOn).toBe('client');
    expect(() => tool.run({} as never, {} as never)).toThrow('This tool runs on the client: its result comes from the approvals of the run.');
  });
});
