import { ConfigError } from '../errors.ts';
import type { JsonSchema, ToolInput } from '../tool.ts';

/**
 * A raw JSON Schema in the shape of every other `input`.
 *
 * @param validate - default: refuses to judge, because only a run knows its validator
 * @internal
 */
export function rawInput(parameters: JsonSchema, validate: ToolInput['~standard']['validate'] = unchecked): ToolInput {
  return { '~standard': { version: 1, vendor: 'json-schema', validate, jsonSchema: { input: () => parameters } } };
}

function unchecked(): never {
  throw new ConfigError('A raw JSON Schema is checked in a run, by its validator.');
}
