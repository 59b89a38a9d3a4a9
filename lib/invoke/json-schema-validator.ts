import { Validator } from '@cfworker/json-schema';
import { errorText } from '../errors.ts';
import type { SchemaValidator } from '../schema-validator.ts';
import { readSchema } from './read-schema.ts';
import { schemaIssues } from './schema-issues.ts';

/**
 * A validator for tools whose `input` is a raw JSON Schema (draft 2020-12), on `@cfworker/json-schema`, which makes no code
 * from text and so runs under any content security policy. A schema is read once, so it must not be changed afterwards.
 *
 * Every keyword is either enforced, or an annotation (`title`, `description`, `default`, `examples`, `format` and the like),
 * or refused before the first model call: no schema is half checked. A `$ref` may lead to any place in the same schema.
 *
 * Contract:
 * - fails: the validator throws an {@link InvalidToolSchemaError} that names tool, path and keyword, for a keyword that
 *   is unknown, has a wrong value, or refers to what is not there.
 *
 * @example A tool from a JSON Schema
 * ```ts
 * import { defineTool, toolLoop } from 'rx-tool-loop';
 * import { embedded } from 'rx-tool-loop/embedded';
 * import { jsonSchemaValidator } from 'rx-tool-loop/json-schema';
 *
 * const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers.',
 *   input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
 *   run: ({ a, b }: { a: number; b: number }) => a + b,
 * });
 * toolLoop({ model: embedded(), tools: [add], prompt: 'Add 2 and 3.', validator: jsonSchemaValidator() }).subscribe(console.log);
 * ```
 * @public
 */
export function jsonSchemaValidator(): SchemaValidator {
  return (schema, toolName) => {
    let check = checks.get(schema);
    if (check === undefined) checks.set(schema, (check = checkOf(schema, toolName)));
    return check;
  };
}

type Check = ReturnType<SchemaValidator>;

/** By identity: reading a schema costs more than a short run, and a service starts thousands with the same tools. */
const checks = new WeakMap<object, Check>();

function checkOf(schema: Parameters<SchemaValidator>[0], toolName: string): Check {
  // A copy, because the validator writes into its schema.
  const read = readSchema(schema, toolName) as object;
  const validator = new Validator(read, '2020-12', false);
  return {
    validate(value) {
      try {
        const { valid, errors } = validator.validate(value);
        return valid ? { value } : { issues: schemaIssues(read, value, errors) };
      } catch (error) {
        // Thousands of levels, or a name that is half a character.
        return { issues: [{ message: `cannot be checked (${errorText(error)})` }] };
      }
    },
  };
}
