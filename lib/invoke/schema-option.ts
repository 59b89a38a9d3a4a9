import { ConfigError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import type { JsonSchema, ToolInput } from '../tool.ts';
import { rawInput } from './raw-input.ts';

/** A schema as the run needs it: to check with, and to tell the model. */
export interface ReadSchema<Input = unknown> {
  readonly input: ToolInput<Input, unknown>;
  readonly parameters: JsonSchema;
  /** It was a raw JSON Schema: the run's validator checks it. */
  readonly needsValidator?: true;
}

/**
 * Reads a schema that was given as an option.
 *
 * @param what - the option, for the error
 * @throws ConfigError for a schema that cannot say itself as JSON Schema
 * @internal
 */
export function readSchemaOption<Input>(what: string, input: ToolInput<Input, unknown> | JsonSchema): ReadSchema<Input> {
  if (!isRaw(input)) return { input, parameters: jsonSchema(what, input) };
  // The very object where it can be: who reads it keeps what came of it by its identity.
  const { $schema, ...rest } = input;
  const parameters = $schema === undefined ? input : rest;
  return { input: rawInput(parameters) as ToolInput<Input>, parameters, needsValidator: true };
}

/** Plain data. An object of a class is some library's schema, which is not JSON Schema whatever its fields are. */
function isRaw(input: ToolInput | JsonSchema): input is JsonSchema {
  if (!isRecord(input) || '~standard' in input) return false;
  const prototype: unknown = Object.getPrototypeOf(input);
  // Also the root prototype of another realm, where the data may have been parsed.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function jsonSchema(what: string, input: ToolInput): Record<string, unknown> {
  const standard = (input as Partial<ToolInput> | undefined)?.['~standard'];
  if (typeof standard?.validate !== 'function' || typeof standard.jsonSchema?.input !== 'function') {
    throw new ConfigError(
      `${what} is neither a JSON Schema nor a Standard Schema that can say itself as one. ` +
        'Use z.object({ … }) of zod 4.2 or newer, or a schema library with the same interface.',
    );
  }
  try {
    const { $schema, ...schema } = standard.jsonSchema.input({ target: 'draft-2020-12' });
    return schema;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`${what} cannot be said as JSON Schema: ${why}`, { cause });
  }
}
