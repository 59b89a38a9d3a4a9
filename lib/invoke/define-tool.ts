import { ConfigError } from '../errors.ts';
import type { Answer, Jsonified, JsonSchema, Tool, ToolContext, ToolInput, ToolRetry } from '../tool.ts';
import { checkToolRetry } from './check-tool-retry.ts';
import { rawInput } from './raw-input.ts';

/** What {@link defineTool} is given. */
export interface ToolDefinition<Name extends string, Input, Arguments, Output> {
  /** 1 to 64 letters, digits, `_` or `-`: what every provider accepts. */
  readonly name: Name;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /**
   * The arguments: a zod 4 schema, any Standard Schema that can say itself as JSON Schema, or a raw JSON Schema, which
   * the run's `validator` checks. A raw one has no types: say those of `run`'s arguments there, or read them as unknown.
   */
  readonly input: ToolInput<Input, Arguments> | JsonSchema;
  /**
   * Does the work. May return a plain value, a promise, an Observable or an async iterable; of several values the last
   * is the result and each earlier one is a `tool-progress`. Throwing (best a {@link ToolError}) makes an error result,
   * which the model sees; the run goes on.
   */
  run(args: Arguments, context: ToolContext): Answer<Output>;
  /** May run while other such tools run. Default: false, it runs alone. */
  readonly parallelSafe?: boolean;
  /** How long `run` may take, milliseconds; then its signal fires and the result is an error of kind `timeout`. Default: without limit. */
  readonly timeoutMs?: number;
  /**
   * Runs the body again after a failure with `retryable: true` (a {@link ToolError} says it, `timeout` is one by default).
   * Each run has the whole `timeoutMs`. Only for a body that bears to run twice. Default: never.
   */
  readonly retry?: ToolRetry;
  /**
   * Names of other tools: with the schedule `dependencyTiers`, a call waits for all calls of theirs in the same step, and
   * does not run if one of them fails. Default: none.
   */
  readonly dependsOn?: readonly string[];
}

const KEYS: ReadonlySet<string> = new Set(['name', 'description', 'input', 'run', 'parallelSafe', 'timeoutMs', 'retry', 'dependsOn']);

/**
 * A tool from a schema and a function; the schema's types reach `run` and the events of the run.
 *
 * Contract:
 * - starts: nothing. `run` is called once for each call of a committed step, with arguments that the schema accepted.
 * - leaves: leaving the run fires `context.signal` and unsubscribes an Observable that `run` returned.
 * - fails: a {@link ConfigError} here for a name that no provider takes, a schema that cannot say itself as JSON Schema,
 *   or an option that does not exist. What a raw JSON Schema says is looked at when a run starts.
 *
 * @example A tool
 * ```ts
 * import { defineTool } from 'rx-tool-loop';
 * import * as z from 'zod';
 *
 * export const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers.',
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   run: ({ a, b }) => a + b,
 * });
 * ```
 * @public
 */
export function defineTool<const Name extends string, Input = Record<string, unknown>, Arguments = Record<string, unknown>, Output = unknown>(
  definition: ToolDefinition<Name, Input, Arguments, Output>,
): Tool<Name, Input, Jsonified<Output>> {
  const { name, description, input, run, parallelSafe = false, timeoutMs, retry, dependsOn } = definition;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new ConfigError(`defineTool: name "${name}" must be 1 to 64 letters, digits, "_" or "-".`);
  }
  for (const key of Object.keys(definition)) {
    if (!KEYS.has(key)) throw new ConfigError(`defineTool: tool "${name}" has the unknown option "${key}".`);
  }
  if (typeof description !== 'string') throw new ConfigError(`defineTool: tool "${name}" needs a description.`);
  if (typeof run !== 'function') throw new ConfigError(`defineTool: tool "${name}" needs a run function.`);
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw new ConfigError(`defineTool: timeoutMs of tool "${name}" is ${timeoutMs}; give milliseconds, more than 0, or leave it out.`);
  }
  if (retry !== undefined) checkToolRetry(name, retry);
  if (dependsOn !== undefined && !(Array.isArray(dependsOn) && dependsOn.every((one) => typeof one === 'string' && one !== name))) {
    throw new ConfigError(`defineTool: dependsOn of tool "${name}" must be a list of names of other tools.`);
  }
  const limits = { ...(timeoutMs !== undefined && { timeoutMs }), ...(retry !== undefined && { retry }), ...(dependsOn !== undefined && { dependsOn }) };
  const tool = { name, description, run: run as Tool['run'], parallelSafe, ...limits };
  if (!isRaw(input)) return { ...tool, input, parameters: jsonSchema(name, input) };
  // The very object where it can be: who reads it keeps what came of it by its identity.
  const { $schema, ...rest } = input;
  const parameters = $schema === undefined ? input : rest;
  return { ...tool, input: rawInput(parameters) as ToolInput<Input>, parameters, needsValidator: true };
}

/** Plain data. An object of a class is some library's schema, which is not JSON Schema whatever its fields are. */
function isRaw(input: ToolInput | JsonSchema): input is JsonSchema {
  if (typeof input !== 'object' || input === null || Array.isArray(input) || '~standard' in input) return false;
  const prototype: unknown = Object.getPrototypeOf(input);
  // Also the root prototype of another realm, where the data may have been parsed.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function jsonSchema(name: string, input: ToolInput): Record<string, unknown> {
  const standard = (input as Partial<ToolInput> | undefined)?.['~standard'];
  if (typeof standard?.validate !== 'function' || typeof standard.jsonSchema?.input !== 'function') {
    throw new ConfigError(
      `defineTool: the input of tool "${name}" is neither a JSON Schema nor a Standard Schema that can say itself as one. ` +
        'Use z.object({ … }) of zod 4.2 or newer, or a schema library with the same interface.',
    );
  }
  try {
    const { $schema, ...schema } = standard.jsonSchema.input({ target: 'draft-2020-12' });
    return schema;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`defineTool: the input of tool "${name}" cannot be said as JSON Schema: ${why}`, { cause });
  }
}
