import { asyncScheduler, isObservable } from 'rxjs';
import type { Observable } from 'rxjs';
import { readSchemaOption } from '../invoke/schema-option.ts';
import { randomIds } from '../ids.ts';
import type { HookList, Hooks } from '../hooks.ts';
import { userMessage } from '../message.ts';
import type { Model, ModelOptions, ToolChoice } from '../model.ts';
import { presets } from '../policy.ts';
import type { Budget } from '../policy.ts';
import type { Tool } from '../tool.ts';
import type { Limits } from './budget.ts';
import type { OutputOptions, OutputSettings, Settings, ToolLoopOptions } from './options.ts';
import { isRightValue, override, quoted, refuseUnknown, wrong } from './override.ts';
import { checkedTools, specsOf } from './tool-set.ts';

const UNBOUND: Limits = {
  maxSteps: 10, maxTotalTokens: Infinity, maxCostUsd: Infinity, contextLimit: Infinity, repetition: Infinity,
  maxDurationMs: Infinity, maxToolCalls: Infinity, warnAt: Infinity,
};

const MODEL_OPTIONS: Record<keyof ModelOptions, true> = {
  temperature: true, topP: true, maxTokens: true, stop: true, seed: true, parallelCalls: true, reasoning: true,
  responseFormat: true, cache: true, serviceTier: true,
};

/** The keys are the options that there are. */
const KNOWN: Record<keyof ToolLoopOptions, true> = {
  model: true, prompt: true, messages: true, system: true, tools: true, toolChoice: true, modelOptions: true,
  preset: true, policy: true, schedule: true, hooks: true, approvals: true, onCheckpoint: true, output: true, compact: true, title: true, abort$: true, steering$: true, followUp$: true, budget: true, demand: true, retry: true, timeouts: true, scheduler: true, ids: true, random: true, validator: true, runId: true, threadId: true,
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
  const models: readonly Model[] = Array.isArray(model) ? model : [model];
  if (models.length === 0 || models.some((one: Partial<Model> | undefined) => typeof one?.stream !== 'function')) {
    throw wrong('model', 'is missing or has no stream() function', 'give a model, such as openaiChat({ … }), or a list of them');
  }
  if (!Object.hasOwn(presets, preset)) throw wrong('preset', `"${preset}" is unknown`, `use ${quoted(Object.keys(presets))}`);
  if (!Array.isArray(messages)) throw wrong('messages', 'is no array', 'give the messages of the conversation so far');
  if (validator !== undefined && typeof validator !== 'function') {
    throw wrong('validator', 'is no function', 'give jsonSchemaValidator(), or your own');
  }
  const said = prompt === undefined ? messages : [...messages, typeof prompt === 'string' ? userMessage(prompt) : prompt];
  if (said.length === 0) throw wrong('prompt', 'and messages are both missing', 'give one of them');

  const defaults = presets[preset];
  const tools$ = isObservable(tools) ? (tools as Observable<readonly Tool[]>) : undefined;
  const byName = tools$ === undefined ? checkedTools(tools as readonly Tool[]) : new Map<string, Tool>();
  if (tools$ === undefined) checkChoice(toolChoice, byName);
  for (const port of ['approvals', 'onCheckpoint', 'compact', 'title'] as const) {
    if (options[port] !== undefined && typeof options[port] !== 'function') throw wrong(port, 'is no function', 'give one, or leave it out');
  }
  return {
    models,
    messages: said,
    system: options.system,
    tools: byName,
    specs: specsOf(byName),
    tools$,
    hooks: options.hooks === undefined ? [] : readHooks(options.hooks),
    approvals: options.approvals,
    onCheckpoint: options.onCheckpoint,
    output: options.output && readOutput(options.output, byName),
    compact: options.compact,
    title: options.title,
    validator,
    toolChoice,
    modelOptions: override<ModelOptions>('modelOptions', {}, options.modelOptions, () => true, MODEL_OPTIONS),
    demand: options.demand,
    policy: override('policy', defaults.policy, options.policy),
    budget: readBudget(options.budget, models),
    schedule: options.schedule ?? defaults.schedule,
    abort$: options.abort$,
    steering$: options.steering$,
    followUp$: options.followUp$,
    retry: override('retry', defaults.retry, options.retry, isRightValue, { ...defaults.retry, classify: true }),
    timeouts: override('timeouts', defaults.timeouts, options.timeouts, isRightValue),
    scheduler: options.scheduler ?? asyncScheduler,
    ids: options.ids ?? randomIds,
    random: options.random ?? Math.random,
    runId: options.runId,
    threadId: options.threadId,
  };
}

const HOOKS: Readonly<Record<keyof Hooks, string>> = {
  name: 'string', observe: 'boolean', beforeRequest: 'function', deltas: 'object', onDelta: 'function', afterStep: 'function',
  invalidCall: 'function', invalidRetries: 'number', beforeTool: 'function', afterTool: 'function',
};

function readHooks(list: HookList): readonly Hooks[] {
  const flat = (Array.isArray(list) ? list.flat(Infinity) : [list]) as readonly Hooks[];
  for (const [at, hooks] of flat.entries()) {
    const option = `hooks[${at}]`;
    if (typeof hooks !== 'object' || hooks === null) throw wrong(option, 'is no object', 'give an object of hooks');
    refuseUnknown(`${option}.`, hooks, HOOKS);
    for (const [key, value] of Object.entries(hooks)) {
      const wanted = HOOKS[key as keyof Hooks];
      if (value !== undefined && typeof value !== wanted) throw wrong(`${option}.${key}`, `is no ${wanted}`, `give a ${wanted}, or leave it out`);
    }
    if (hooks.onDelta !== undefined && !Array.isArray(hooks.deltas)) throw wrong(`${option}.onDelta`, 'has no deltas', 'list the kinds of delta that it is asked about');
  }
  return flat;
}

const MODES: ReadonlySet<unknown> = new Set(['auto', 'native', 'tool', 'prompt']);

function readOutput(given: OutputOptions, tools: ReadonlyMap<string, Tool>): OutputSettings {
  refuseUnknown('output.', given, { schema: true, mode: true, repairs: true, name: true });
  const { mode = 'auto', repairs = 1, name = 'final_result' } = given;
  if (!MODES.has(mode)) throw wrong('output.mode', `is ${JSON.stringify(mode)}`, `use ${quoted([...MODES] as string[])}`);
  if (!Number.isInteger(repairs) || repairs < 0) throw wrong('output.repairs', `is ${String(repairs)}`, 'give a whole number of 0 or more');
  if (!/^[A-Za-z0-9_-]{1,60}$/.test(name)) throw wrong('output.name', `is ${JSON.stringify(name)}`, 'give 1 to 60 letters, digits, "_" or "-"');
  let free = name;
  for (let n = 2; tools.has(free); n++) free = `${name}_${n}`;
  const schema = readSchemaOption('toolLoop: output.schema', given.schema);
  if (schema.parameters['type'] !== 'object') throw wrong('output.schema', 'describes no object', 'wrap it in one');
  const checker: Tool = { name: free, description: 'The final answer.', run: () => undefined, ...schema };
  return { parameters: schema.parameters, checker, mode, repairs, name: free };
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

function readBudget(given: Budget | undefined, models: readonly Model[]): Limits {
  const budget = override<Limits>('budget', UNBOUND, given as Partial<Limits> | undefined, isRightValue, { ...UNBOUND, lastStep: true });
  if (budget.maxCostUsd < Infinity && models.some(({ price }) => price === undefined)) {
    throw wrong('budget.maxCostUsd', 'cannot be measured', 'give every model a `price`');
  }
  if (budget.contextLimit < Infinity && models.some(({ contextWindow }) => contextWindow === undefined)) {
    throw wrong('budget.contextLimit', 'cannot be measured', 'give every model a `contextWindow`');
  }
  return budget;
}
