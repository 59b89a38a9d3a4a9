import { asyncScheduler } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import type { Demand } from '../demand.ts';
import { ConfigError } from '../errors.ts';
import { randomIds } from '../ids.ts';
import type { Ids } from '../ids.ts';
import { userMessage } from '../message.ts';
import type { Message, UserMessage } from '../message.ts';
import type { Model, ModelOptions, ToolChoice, ToolSpec } from '../model.ts';
import { presets } from '../policy.ts';
import type { Budget, Policy, PresetName, RetryPolicy, Timeouts } from '../policy.ts';
import type { SchemaValidator } from '../schema-validator.ts';
import type { Tool } from '../tool.ts';

/** What {@link toolLoop} is given. */
export interface ToolLoopOptions<T extends Tool = Tool> {
  readonly model: Model;
  /** The user's prompt. It follows `messages`; one of the two is needed. */
  readonly prompt?: string | UserMessage;
  /** The conversation so far, such as `historyOf(outcome)` of an earlier run. Default: none. */
  readonly messages?: readonly Message[];
  readonly system?: string;
  /** Default: none. Two tools of one name are refused. */
  readonly tools?: readonly T[];
  /** Default `auto`. A choice other than `auto` and `none` holds for the first step only, because it would never end. */
  readonly toolChoice?: ToolChoice;
  /**
   * Checks the arguments of tools with a raw JSON Schema. Default: `jsonSchemaValidator()`, loaded when a run first needs
   * it. In a bundle give that one yourself; so does who needs such a run to start at once.
   */
  readonly validator?: SchemaValidator;
  /** How the model is to answer. Default: as its provider does. */
  readonly modelOptions?: ModelOptions;
  /** Default `resilient`. */
  readonly preset?: PresetName;
  /** Single choices in place of the preset's. */
  readonly policy?: Partial<Policy>;
  /** Default: at most 10 model calls. */
  readonly budget?: Budget;
  /** Single values in place of the preset's. */
  readonly retry?: Partial<RetryPolicy>;
  /** Single values in place of the preset's. */
  readonly timeouts?: Partial<Timeouts>;
  /** Paces the run: see `pull`, `paced` and `toReadableStream`, which make one. Default: nothing waits. */
  readonly demand?: Demand;
  /** Clock and timers of the run. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
  /** Makes the run's ids. Default: random UUIDs. */
  readonly ids?: Ids;
  /** From 0 (included) to 1; for the jitter of retries. Default `Math.random`. */
  readonly random?: () => number;
  /** Default: from `ids`, a new one for each subscription. */
  readonly runId?: string;
  /** The conversation that the run belongs to; only reported, in `run-start`. */
  readonly threadId?: string;
}

/** The options with everything decided; shared by all runs of one `toolLoop()`. */
export interface Settings {
  readonly model: Model;
  readonly messages: readonly Message[];
  readonly system: string | undefined;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly specs: readonly ToolSpec[];
  readonly validator: SchemaValidator | undefined;
  readonly toolChoice: ToolChoice;
  readonly modelOptions: ModelOptions;
  readonly demand: Demand | undefined;
  readonly policy: Policy;
  readonly budget: Required<Budget>;
  readonly retry: RetryPolicy;
  readonly timeouts: Timeouts;
  readonly scheduler: SchedulerLike;
  readonly ids: Ids;
  readonly random: () => number;
  readonly runId: string | undefined;
  readonly threadId: string | undefined;
}

const UNBOUND: Required<Budget> = { maxSteps: 10, maxTotalTokens: Infinity };

const MODEL_OPTIONS: Record<keyof ModelOptions, true> = {
  temperature: true, topP: true, maxTokens: true, stop: true, seed: true, parallelCalls: true, reasoning: true,
  responseFormat: true, cache: true, serviceTier: true,
};

/** The keys are the options that there are. */
const KNOWN: Record<keyof ToolLoopOptions, true> = {
  model: true, prompt: true, messages: true, system: true, tools: true, toolChoice: true, modelOptions: true,
  preset: true, policy: true, budget: true, demand: true, retry: true, timeouts: true, scheduler: true, ids: true, random: true, validator: true, runId: true, threadId: true,
};

/**
 * Decides every option once, when the function is called.
 *
 * @throws ConfigError that names the option, what was given and what would be right
 * @internal
 */
export function readOptions(options: ToolLoopOptions): Settings {
  refuseUnknown('', options, KNOWN);
  const { model, prompt, messages = [], tools = [], preset = 'resilient', toolChoice = 'auto', validator } = options;
  if (typeof (model as Partial<Model> | undefined)?.stream !== 'function') {
    throw wrong('model', 'is missing or has no stream() function', 'give a model, such as openaiChat({ … })');
  }
  if (!Object.hasOwn(presets, preset)) throw wrong('preset', `"${preset}" is unknown`, `use ${quoted(Object.keys(presets))}`);
  if (!Array.isArray(messages)) throw wrong('messages', 'is no array', 'give the messages of the conversation so far');
  if (validator !== undefined && typeof validator !== 'function') {
    throw wrong('validator', 'is no function', 'give jsonSchemaValidator(), or your own');
  }
  const said = prompt === undefined ? messages : [...messages, typeof prompt === 'string' ? userMessage(prompt) : prompt];
  if (said.length === 0) throw wrong('prompt', 'and messages are both missing', 'give one of them');

  const defaults = presets[preset];
  const byName = toolsByName(tools);
  checkChoice(toolChoice, byName);
  return {
    model,
    messages: said,
    system: options.system,
    tools: byName,
    specs: [...byName.values()].map(({ name, description, parameters }) => ({ name, description, parameters })),
    validator,
    toolChoice,
    modelOptions: override<ModelOptions>('modelOptions', {}, options.modelOptions, () => true, MODEL_OPTIONS),
    demand: options.demand,
    policy: override('policy', defaults.policy, options.policy),
    budget: override('budget', UNBOUND, options.budget, isCount),
    retry: override('retry', defaults.retry, options.retry, isDuration),
    timeouts: override('timeouts', defaults.timeouts, options.timeouts, isDuration),
    scheduler: options.scheduler ?? asyncScheduler,
    ids: options.ids ?? randomIds,
    random: options.random ?? Math.random,
    runId: options.runId,
    threadId: options.threadId,
  };
}

function toolsByName(tools: readonly Tool[]): Map<string, Tool> {
  if (!Array.isArray(tools)) throw wrong('tools', 'is no array', 'give tools made by defineTool()');
  const byName = new Map<string, Tool>();
  for (const [at, tool] of tools.entries()) {
    const { name, run, parameters } = (tool ?? {}) as Partial<Tool>;
    if (typeof name !== 'string' || typeof run !== 'function' || parameters === undefined) {
      throw wrong(`tools[${at}]`, 'is no tool', 'make it with defineTool()');
    }
    if (byName.has(name)) throw wrong(`tools[${at}]`, `has the name "${name}", which another tool has`, 'rename one');
    byName.set(name, tool);
  }
  return byName;
}

function checkChoice(choice: ToolChoice, tools: ReadonlyMap<string, Tool>): void {
  if (choice === 'auto' || choice === 'none') return;
  if (choice === 'required') {
    if (tools.size === 0) throw wrong('toolChoice', '"required" needs a tool', 'give tools, or leave it out');
    return;
  }
  if (typeof choice?.tool !== 'string' || !tools.has(choice.tool)) {
    const given = JSON.stringify(choice);
    throw wrong('toolChoice', `${given} names no tool of the run`, `use "auto", "none", "required" or { tool } with ${quoted([...tools.keys()])}`);
  }
}

/** The defaults with the given values over them; a given `undefined` changes nothing. */
function override<T extends object>(
  option: string,
  defaults: T,
  given: Partial<T> | undefined,
  isRight: (value: unknown) => boolean = () => true,
  known: object = defaults,
): T {
  if (given === undefined) return defaults;
  refuseUnknown(`${option}.`, given, known);
  const merged = { ...defaults };
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!isRight(value)) throw wrong(`${option}.${key}`, `is ${String(value)}`, 'give a number of 0 or more');
    merged[key as keyof T] = value as T[keyof T];
  }
  return merged;
}

function refuseUnknown(prefix: string, given: object, known: object): void {
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(known, key)) throw wrong(`${prefix}${key}`, 'is no option', `the options are ${quoted(Object.keys(known))}`);
  }
}

function isCount(value: unknown): boolean {
  return value === Infinity || (Number.isInteger(value) && (value as number) >= 0);
}

function isDuration(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

function quoted(names: readonly string[]): string {
  return names.length === 0 ? '(none)' : names.map((name) => `"${name}"`).join(', ');
}

function wrong(option: string, what: string, todo: string): ConfigError {
  return new ConfigError(`toolLoop: ${option} ${what}; ${todo}.`);
}
