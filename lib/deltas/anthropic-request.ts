import { closedSchema } from '../bytes/closed-schema.ts';
import type { Message } from '../message.ts';
import type { Capability, ModelRequest, OutputSpec, ToolSpec } from '../model.ts';
import { remembered } from '../remembered.ts';
import { anthropicMessage } from './anthropic-message.ts';
import type { AnthropicBlock } from './anthropic-message.ts';
import { anthropicSettings } from './anthropic-settings.ts';
import type { LackingOption } from './anthropic-settings.ts';

/** What does not change from one request to the next. */
export interface AnthropicRequestOptions {
  readonly model: string;
  /** For a request that has none: the wire demands one. */
  readonly maxTokens: number;
  readonly stream: boolean;
  readonly capabilities: readonly Capability[];
  /** Fields that replace the request's own; `tools` are added to them. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A body, written, and the options that are not in it. */
export interface AnthropicRequest {
  readonly body: string;
  readonly lacking: readonly LackingOption[];
}

/**
 * Makes the JSON body of a Messages request; pure but for its memory: what a message or a tool became is kept by its
 * identity, so that a step of a long run encodes only what is new.
 *
 * Neighbouring turns of one role become one, because the wire demands alternation; results stand before what the user
 * says. Left out are empty turns, thinking at the end of a turn, and the call of a server tool whose result never came
 * (its turn is over): the wire refuses each of them.
 *
 * @internal
 */
export function anthropicRequest(options: AnthropicRequestOptions): (request: ModelRequest) => AnthropicRequest {
  const { model, maxTokens, stream, capabilities, body: extra } = options;
  const blocksOf = remembered((message: Message) => anthropicMessage(message, capabilities));
  const toolJson = remembered(writeTool);
  const extraTools = Array.isArray(extra['tools']) ? extra['tools'].map((tool) => JSON.stringify(tool)) : [];

  return ({ system, messages, tools, toolChoice, options: wanted, output }) => {
    const isCached = wanted.cache === true;
    const offered = [...tools.map(toolJson), ...extraTools];
    const { fields, lacking } = anthropicSettings(model, wanted, offered.length === 0 ? 'auto' : toolChoice, maxTokens);
    const parts = new Map<string, string>([['model', JSON.stringify(model)]]);
    const all = output === undefined ? fields : { ...fields, output_config: { ...(fields['output_config'] as object | undefined), format: formatOf(output) } };
    for (const [name, value] of Object.entries(all)) parts.set(name, JSON.stringify(value));
    if (system !== undefined && system.trim() !== '') {
      parts.set('system', `[${marked([JSON.stringify({ type: 'text', text: system })], isCached)}]`);
    }
    if (offered.length > 0) {
      parts.set('tools', `[${marked(offered, isCached)}]`);
      const choice = choiceOf(toolChoice, wanted.parallelCalls === false);
      if (choice !== undefined) parts.set('tool_choice', JSON.stringify(choice));
    }
    parts.set('messages', `[${turnsOf(messages, blocksOf, isCached).join()}]`);
    parts.set('stream', String(stream));
    for (const [name, value] of Object.entries(extra)) {
      if (value !== undefined && !(name === 'tools' && extraTools.length > 0)) parts.set(name, JSON.stringify(value));
    }
    return { body: `{${Array.from(parts, ([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`, lacking };
  };
}

/** Objects between commas; the last with the mark up to which the provider is to keep what it has read. */
function marked(objects: readonly string[], isCached: boolean): string {
  const text = objects.join();
  return isCached ? `${text.slice(0, -1)},"cache_control":{"type":"ephemeral"}}` : text;
}

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly AnthropicBlock[];
}

function turnsOf(messages: readonly Message[], blocksOf: (message: Message) => readonly AnthropicBlock[], isCached: boolean): string[] {
  const said = messages.map((message): Turn => ({ role: message.role === 'assistant' ? 'assistant' : 'user', blocks: blocksOf(message) }));
  const whole = merged(said);
  const sent = merged(whole.map((turn, at) => ({ ...turn, blocks: acceptable(turn, at === whole.length - 1) })));
  return sent.map(({ role, blocks }, at) => {
    const ordered = role === 'assistant' ? blocks : resultsFirst(blocks);
    const content = marked(ordered.map(({ json }) => json), isCached && at === sent.length - 1);
    return `{"role":"${role}","content":[${content}]}`;
  });
}

/** Neighbours of one role as one, without what is empty. */
function merged(turns: readonly Turn[]): Turn[] {
  const all: Turn[] = [];
  for (const turn of turns) {
    const last = all.at(-1);
    if (turn.blocks.length === 0) continue;
    if (last?.role === turn.role) all[all.length - 1] = { ...last, blocks: [...last.blocks, ...turn.blocks] };
    else all.push(turn);
  }
  return all;
}

function acceptable({ role, blocks }: Turn, isLast: boolean): readonly AnthropicBlock[] {
  if (role === 'user') return blocks;
  const end = blocks.findLastIndex(({ kind }) => kind !== 'thinking') + 1;
  const kept = blocks.slice(0, end);
  // A paused turn goes on with the result, and a call of ours beside it may be what the provider's tool waits for.
  if (isLast || kept.every(({ kind }) => kind !== 'server-call') || kept.some(({ kind }) => kind === 'call')) return kept;
  const answered = new Set(kept.flatMap(({ kind, id }) => (kind === 'server-result' ? [id] : [])));
  return kept.filter(({ kind, id }) => kind !== 'server-call' || answered.has(id));
}

function resultsFirst(blocks: readonly AnthropicBlock[]): readonly AnthropicBlock[] {
  const isResult = ({ kind }: AnthropicBlock): boolean => kind === 'result';
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}

function formatOf({ schema }: OutputSpec): unknown {
  return { type: 'json_schema', schema: closedSchema(schema).schema };
}

/** The wire wants an object for the arguments, and says so by type. */
function writeTool({ name, description, parameters }: ToolSpec): string {
  const schema = parameters['type'] === 'object' ? parameters : { ...parameters, type: 'object' };
  return JSON.stringify({ name, ...(description !== '' && { description }), input_schema: schema });
}

/** `auto` is the wire's default and goes unsaid. */
function choiceOf(choice: ModelRequest['toolChoice'], isSingle: boolean): unknown {
  if (choice === 'none') return { type: 'none' };
  const single = isSingle ? { disable_parallel_tool_use: true } : {};
  if (choice === 'auto') return isSingle ? { type: 'auto', ...single } : undefined;
  return choice === 'required' ? { type: 'any', ...single } : { type: 'tool', name: choice.tool, ...single };
}
