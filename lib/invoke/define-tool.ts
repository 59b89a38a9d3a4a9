import { ConfigError } from '../errors.ts';
import type { ToolLocation } from '../message.ts';
import type { Answer, Jsonified, JsonSchema, Tool, ToolContext, ToolInput, ToolKind, ToolRetry } from '../tool.ts';
import type { OutputOf } from '../tool-output.ts';
import { checkToolRetry } from './check-tool-retry.ts';
import { readSchemaOption } from './schema-option.ts';

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
  /**
   * The call waits for an approval by the run's `approvals`. A function decides by the checked arguments; one that throws
   * asks. Default: false.
   */
  readonly needsApproval?: boolean | ((args: Arguments) => boolean);
  /**
   * May start while the model still speaks, as soon as its call is complete, if the calls before it have started too and the
   * schedule lets it run beside them. The attempt may be withdrawn, so what it does must do no harm then. Default: false.
   */
  readonly eager?: boolean;
  /** A second run with the same arguments does nothing more; told to hosts and journals. Default: unknown. */
  readonly idempotent?: boolean;
  /** What the tool does, for a screen. */
  readonly kind?: ToolKind;
  /** What a screen calls the call; one that throws gives no title. */
  readonly title?: (args: Arguments) => string;
  /** Files that the call is about; told in the result's `display`. */
  readonly locations?: (args: Arguments) => readonly ToolLocation[];
}

/** A tool whose body runs elsewhere: the run asks its `approvals` for the result. */
export type ClientToolDefinition<Name extends string, Input, Arguments> = Omit<ToolDefinition<Name, Input, Arguments, unknown>, 'run' | 'eager' | 'needsApproval' | 'timeoutMs'> & {
  readonly runsOn: 'client';
};

/** Options that are passed on as they are, each with what it must be. */
const OPTIONS: Readonly<Record<string, { readonly wanted: string; readonly is: (value: unknown) => boolean }>> = {
  needsApproval: { wanted: 'true, false or a function', is: (value) => typeof value === 'boolean' || typeof value === 'function' },
  runsOn: { wanted: '"client"', is: (value) => value === 'client' },
  eager: { wanted: 'true or false', is: (value) => typeof value === 'boolean' },
  idempotent: { wanted: 'true or false', is: (value) => typeof value === 'boolean' },
  kind: { wanted: 'a word such as "read" or "edit"', is: (value) => typeof value === 'string' },
  title: { wanted: 'a function', is: (value) => typeof value === 'function' },
  locations: { wanted: 'a function', is: (value) => typeof value === 'function' },
};

const KEYS: ReadonlySet<string> = new Set(['name', 'description', 'input', 'run', 'parallelSafe', 'timeoutMs', 'retry', 'dependsOn', ...Object.keys(OPTIONS)]);

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
): Tool<Name, Input, Jsonified<OutputOf<Output>>>;
export function defineTool<const Name extends string, Input = Record<string, unknown>, Arguments = Record<string, unknown>>(
  definition: ClientToolDefinition<Name, Input, Arguments>,
): Tool<Name, Input, unknown>;
export function defineTool(given: object): Tool {
  const definition = given as Omit<ToolDefinition<string, unknown, never, unknown>, 'run'> & Pick<Partial<Tool>, 'run' | 'runsOn'>;
  const { name, description, input, runsOn, run = runsOn === 'client' ? unrun : undefined, parallelSafe = false, timeoutMs, retry, dependsOn } = definition;
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
  const tool = { name, description, run: run as Tool['run'], parallelSafe, ...limits, ...optionsOf(definition) };
  return { ...tool, ...readSchemaOption(`defineTool: the input of tool "${name}"`, input) };
}

type Told = Pick<Tool, 'needsApproval' | 'runsOn' | 'eager' | 'idempotent' | 'kind' | 'title' | 'locations'>;

function optionsOf(definition: { readonly name: string }): Told {
  const given = Object.entries(definition).filter(([key, value]) => value !== undefined && Object.hasOwn(OPTIONS, key));
  for (const [key, value] of given) {
    const { is, wanted } = OPTIONS[key] as (typeof OPTIONS)[string];
    if (!is(value)) throw new ConfigError(`defineTool: ${key} of tool "${definition.name}" must be ${wanted}.`);
  }
  return Object.fromEntries(given);
}

function unrun(): never {
  throw new ConfigError('This tool runs on the client: its result comes from the approvals of the run.');
}
