import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../lib/errors.ts';
import { rawInput } from '../../lib/invoke/raw-input.ts';

const schema = { type: 'object' };

describe('rawInput', () => {
  it('has the shape of every other input, and says its schema', () => {
    const { version, vendor, jsonSchema } = rawInput(schema)['~standard'];
    expect([version, vendor]).toEqual([1, 'json-schema']);
    expect(jsonSchema.input({ target: 'draft-2020-12' })).toBe(schema);
  });

  it('does not judge by itself', () => {
    expect(() => rawInput(schema)['~standard'].validate({})).toThrow(ConfigError);
  });

  it('judges as it is told', () => {
    const issues = [{ message: 'no' }];
    expect(rawInput(schema, () => ({ issues }))['~standard'].validate({})).toEqual({ issues });
  });
});
