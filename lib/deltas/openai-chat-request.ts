import type { Message } from '../message.ts';
import type { ModelRequest, ToolChoice, ToolSpec } from '../model.ts';
import { openaiChatMessage } from './openai-chat-message.ts';
import type { OpenaiChatServer } from './openai-chat-message.ts';
import { openaiChatOptions } from './openai-chat-options.ts';

/** How the bodies for one server are written. */
export interface OpenaiChatDialect {
  readonly server: OpenaiChatServer;
  readonly maxTokensField: string;
  readonly stream: boolean;
  /** Merged over what the adapter writes. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
}

/** A body, and what was asked that it cannot say, in words. */
export interface WrittenRequest {
  readonly body: string;
  readonly lacks: readonly string[];
}

/**
 * Makes the JSON body of a chat-completions request; pure but for its memory: what a message or a tool became is kept
 * by its identity, so that a step of a long run encodes only what is new.
 *
 * @internal
 */
export function openaiChatRequest(dialect: OpenaiChatDialect): (request: ModelRequest) => WrittenRequest {
  const { server, stream } = dialect;
  const messages = remembered((message: Message) => {
    const lacks: string[] = [];
    return { json: openaiChatMessage(message, server, lacks), lacks };
  });
  const tools = remembered(toolJson);
  return ({ system, messages: said, tools: offered, toolChoice, options }) => {
    const lacks: string[] = [];
    const turns = system ? [JSON.stringify({ role: 'system', content: system })] : [];
    for (const message of said) {
      const turn = messages(message);
      if (turn.json !== '') turns.push(turn.json);
      if (turn.lacks.length > 0) lacks.push(...turn.lacks);
    }
    const hasTools = offered.length > 0;
    const rest = {
      model: server.id,
      ...(hasTools && { tool_choice: choiceOf(toolChoice) }),
      ...openaiChatOptions(options, dialect.maxTokensField, hasTools, lacks),
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
      ...dialect.body,
    };
    const toolList = hasTools ? `"tools":[${offered.map(tools).join()}],` : '';
    return { body: `{"messages":[${turns.join()}],${toolList}${JSON.stringify(rest).slice(1)}`, lacks };
  };
}

function remembered<T extends object, R>(write: (value: T) => R): (value: T) => R {
  const written = new WeakMap<T, R>();
  return (value) => {
    let kept = written.get(value);
    if (kept === undefined) written.set(value, (kept = write(value)));
    return kept;
  };
}

function toolJson({ name, description, parameters }: ToolSpec): string {
  return JSON.stringify({ type: 'function', function: { name, description, parameters } });
}

/** `auto` is the wire's default and goes unsaid. */
function choiceOf(choice: ToolChoice): unknown {
  if (choice === 'auto') return undefined;
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } };
}
