import { describe, expect, it } from '@jest/globals';
import { asyncScheduler, queueScheduler } from 'rxjs';
import { ConfigError } from '../../lib/errors.ts';
import { toolLoop } from '../../lib/index.ts';
import { readOptions } from '../../lib/loop/read-options.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { userMessage } from '../../lib/message.ts';
import { presets } from '../../lib/policy.ts';
import { sequential } from '../../lib/schedule.ts';
import { fakeTool, script } from '../../marbles/index.ts';
import { of } from 'rxjs';

const model = script();
const right: ToolLoopOptions = { model, prompt: 'go' };
const add = fakeTool(of(1));
const UNBOUND = {
  maxSteps: 10, maxTotalTokens: Infinity, maxCostUsd: Infinity, contextLimit: Infinity, repetition: Infinity, maxDurationMs: Infinity, maxToolCalls: Infinity, warnAt: Infinity,
};

function refusal(options: object): string {
  try {
    toolLoop(options as ToolLoopOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('it was taken');
}

describe('readOptions', () => {
  it('decides what is left open', () => {
    expect(readOptions(right)).toMatchObject({
      models: [model],
      messages: [userMessage('go')],
      system: undefined,
      specs: [],
      toolChoice: 'auto',
      budget: UNBOUND,
      scheduler: asyncScheduler,
      ...presets.resilient,
    });
  });

  it('puts the prompt after the messages', () => {
    const messages = [userMessage('before')];
    expect(readOptions({ ...right, messages }).messages).toEqual([userMessage('before'), userMessage('go')]);
    expect(readOptions({ model, messages }).messages).toEqual(messages);
    expect(readOptions({ model, prompt: userMessage('whole') }).messages).toEqual([userMessage('whole')]);
  });

  it('takes single values over those of the preset', () => {
    const { policy, retry, timeouts, budget } = readOptions({
      ...right, preset: 'strict', policy: { keepReasoning: true }, retry: { count: 7 }, timeouts: { idleMs: 9 }, budget: { maxSteps: 1 },
    });
    expect(policy).toEqual({ ...presets.strict.policy, keepReasoning: true });
    expect(retry).toEqual({ ...presets.strict.retry, count: 7 });
    expect(timeouts).toEqual({ ...presets.strict.timeouts, idleMs: 9 });
    expect(budget).toEqual({ ...UNBOUND, maxSteps: 1 });
  });

  it('does not take an undefined for a value', () => {
    expect(readOptions({ ...right, retry: { count: undefined } as never }).retry).toEqual(presets.resilient.retry);
  });

  it('takes the ports as they are', () => {
    const [ids, random] = [() => 'id', () => 0.5];
    expect(readOptions({ ...right, ids, random, scheduler: queueScheduler, runId: 'r', threadId: 't' })).toMatchObject({ ids, random, scheduler: queueScheduler, runId: 'r', threadId: 't' });
  });

  it('takes one model, or a list to fall back through', () => {
    const other = script();
    expect(readOptions({ ...right, model: [model, other] }).models).toEqual([model, other]);
  });

  it('takes the schedule of the run over that of the preset', () => {
    expect(readOptions({ ...right, schedule: sequential }).schedule).toBe(sequential);
    expect(readOptions({ ...right, preset: 'strict' }).schedule).toBe(sequential);
    expect(readOptions(right).schedule).toBe(presets.resilient.schedule);
  });

  it('takes budgets of money and of the window where every model can say', () => {
    const able = { ...model, price: { input: 1, output: 1 }, contextWindow: 100 };
    expect(readOptions({ ...right, model: able, budget: { maxCostUsd: 0.5, contextLimit: 0.9, lastStep: 'answer' } }).budget)
      .toEqual({ ...UNBOUND, maxCostUsd: 0.5, contextLimit: 0.9, lastStep: 'answer' });
  });

  it('takes a port that classifies', () => {
    const classify = (): undefined => undefined;
    expect(readOptions({ ...right, retry: { classify, retryAfter: 'clamp' } }).retry).toEqual({ ...presets.resilient.retry, classify, retryAfter: 'clamp' });
  });

  it('leaves the presets as they are', () => {
    readOptions({ ...right, preset: 'strict', policy: { budgetEnd: 'stop' }, retry: { count: 1 } });
    expect(presets.strict.policy.budgetEnd).toBe('error');
    expect(presets.resilient.retry.count).toBe(3);
  });
});

describe('misuse', () => {
  it.each<[string, object, string]>([
    ['no model', { prompt: 'go' }, 'model is missing or has no stream() function'],
    ['a model that is a name', { ...right, model: 'gpt' }, 'model is missing or has no stream() function'],
    ['neither prompt nor messages', { model }, 'prompt and messages are both missing'],
    ['no messages at all', { model, messages: [] }, 'prompt and messages are both missing'],
    ['messages that are no array', { model, messages: 'hi' }, 'messages is no array'],
    ['an unknown preset', { ...right, preset: 'hasOwnProperty' }, 'preset "hasOwnProperty" is unknown; use "strict", "resilient"'],
    ['an option that does not exist', { ...right, hook: [] }, 'hook is no option'],
    ['an unknown policy', { ...right, policy: { commit: 'batch' } }, 'policy.commit is no option'],
    ['an unknown budget', { ...right, budget: { maxRetries: 1 } }, 'budget.maxRetries is no option'],
    ['a budget that is not whole', { ...right, budget: { maxSteps: 1.5 } }, 'budget.maxSteps is 1.5'],
    ['an empty list of models', { ...right, model: [] }, 'model is missing or has no stream() function'],
    ['a list with something that is no model', { ...right, model: [model, 'gpt'] }, 'model is missing or has no stream() function'],
    ['money without a price', { ...right, budget: { maxCostUsd: 1 } }, 'budget.maxCostUsd cannot be measured'],
    ['money with one price missing', { ...right, model: [{ ...model, price: { input: 1, output: 1 } }, model], budget: { maxCostUsd: 1 } }, 'budget.maxCostUsd cannot be measured'],
    ['a window that is not known', { ...right, budget: { contextLimit: 0.5 } }, 'budget.contextLimit cannot be measured'],
    ['tool calls that are not whole', { ...right, budget: { maxToolCalls: 0.5 } }, 'budget.maxToolCalls is 0.5'],
    ['a budget that is a word', { ...right, budget: { maxToolCalls: 'answer' } }, 'budget.maxToolCalls is answer'],
    ['a time that is a word', { ...right, budget: { maxDurationMs: 'answer' } }, 'budget.maxDurationMs is answer'],
    ['a last step that is a number', { ...right, budget: { lastStep: 3 } }, 'budget.lastStep is 3'],
    ['a count of retries that is a word', { ...right, retry: { count: 'clamp' } }, 'retry.count is clamp'],
    ['a choice that is a number', { ...right, retry: { retryAfter: 5 } }, 'retry.retryAfter is 5'],
    ['a port that is none', { ...right, retry: { classify: 'fatal' } }, 'retry.classify is fatal'],
    ['a budget below zero', { ...right, budget: { maxTotalTokens: -1 } }, 'budget.maxTotalTokens is -1'],
    ['a wait that is no number', { ...right, retry: { count: NaN } }, 'retry.count is NaN'],
    ['a time limit that is text', { ...right, timeouts: { idleMs: '5' } }, 'timeouts.idleMs is 5'],
    ['tools that are no array', { ...right, tools: { add } }, 'tools is no array'],
    ['something that is no tool', { ...right, tools: [add, { name: 'x' }] }, 'tools[1] is no tool'],
    ['an empty place among the tools', { ...right, tools: [undefined] }, 'tools[0] is no tool'],
    ['two tools of one name', { ...right, tools: [add, add] }, 'tools[1] has the name "add", which another tool has'],
    ['a required choice without tools', { ...right, toolChoice: 'required' }, 'toolChoice "required" needs a tool'],
    ['a choice of a tool that is not there', { ...right, tools: [add], toolChoice: { tool: 'sub' } }, 'toolChoice {"tool":"sub"} names no tool of the run'],
    ['a choice that is none', { ...right, toolChoice: 'always' }, 'toolChoice "always" names no tool'],
  ])('is thrown when the function is called: %s', (_name, options, message) => {
    expect(refusal(options)).toContain(`toolLoop: ${message}`);
    expect(refusal(options)).toMatch(/; .+\.$/);
  });
});

describe('hooks', () => {
  it('are one list, lists in lists too', () => {
    const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    expect(readOptions({ ...right, hooks: [a, [b, [c]]] }).hooks).toEqual([a, b, c]);
    expect(readOptions({ ...right, hooks: a }).hooks).toEqual([a]);
    expect(readOptions(right).hooks).toEqual([]);
  });

  it.each<[object, string]>([
    [{ hooks: 5 }, 'toolLoop: hooks[0] is no object; give an object of hooks.'],
    [{ hooks: [{}, null] }, 'toolLoop: hooks[1] is no object; give an object of hooks.'],
    [{ hooks: { onStep: () => 1 } }, 'hooks[0].onStep is no option'],
    [{ hooks: { afterTool: 5 } }, 'toolLoop: hooks[0].afterTool is no function; give a function, or leave it out.'],
    [{ hooks: { onDelta: () => undefined } }, 'toolLoop: hooks[0].onDelta has no deltas; list the kinds of delta that it is asked about.'],
    [{ hooks: { invalidRetries: 'x' } }, 'hooks[0].invalidRetries is no number'],
  ])('refuse %j', (change, message) => {
    expect(refusal({ ...right, ...change })).toContain(message);
  });
});

describe('the output', () => {
  const schema = { type: 'object' };

  it('has its defaults, and a name that no tool has', () => {
    expect(readOptions({ ...right, output: { schema } }).output).toMatchObject({ parameters: schema, mode: 'auto', repairs: 1, name: 'final_result' });
    const tools = [fakeTool(of(1), { name: 'final_result' }), fakeTool(of(1), { name: 'final_result_2' })];
    expect(readOptions({ ...right, tools, output: { schema } }).output).toMatchObject({ name: 'final_result_3', checker: { name: 'final_result_3' } });
  });

  it.each<[object, string]>([
    [{ schema, mod: 'tool' }, 'output.mod is no option'],
    [{ schema, mode: 'json' }, 'output.mode is "json"; use "auto", "native", "tool", "prompt".'],
    [{ schema, repairs: -1 }, 'output.repairs is -1; give a whole number of 0 or more.'],
    [{ schema, repairs: 0.5 }, 'output.repairs is 0.5'],
    [{ schema, name: 'a b' }, 'output.name is "a b"; give 1 to 60 letters, digits, "_" or "-".'],
    [{ schema: { type: 'array' } }, 'output.schema describes no object; wrap it in one.'],
    [{}, 'toolLoop: output.schema is neither a JSON Schema nor a Standard Schema'],
  ])('is refused: %j', (output, message) => {
    expect(refusal({ ...right, output })).toContain(message);
  });
});

describe('ports', () => {
  it.each(['approvals', 'onCheckpoint', 'compact'])('%s must be a function', (port) => {
    expect(refusal({ ...right, [port]: 5 })).toContain(`${port} is no function; give one, or leave it out.`);
  });

  it('of tools that come are taken as they are; a choice is looked at when they have come', () => {
    const tools = of([add]);
    expect(readOptions({ ...right, tools: tools as never, toolChoice: 'required' })).toMatchObject({ tools: new Map(), specs: [] });
    expect(readOptions({ ...right, tools: tools as never }).tools$).toBe(tools);
  });
});
