import { closedSchema } from '../bytes/closed-schema.ts';
import { joined, utf8 } from '../bytes/joined.ts';
import type { Message } from '../message.ts';
import type { ModelRequest, OutputSpec, ToolChoice, ToolSpec } from '../model.ts';
import { remembered } from '../remembered.ts';
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

/** A body in UTF-8, and what was asked that it cannot say, in words. */
export interface WrittenRequest {
  readonly body: Uint8Array<ArrayBuffer>;
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
    const json = openaiChatMessage(message, server, lacks);
    return { bytes: json === '' ? undefined : utf8(`,${json}`), lacks };
  });
  const tools = remembered(toolJson);
  const conversations = new WeakMap<Message, Written>();

  /** The messages as far as they have been written before, and the rest. */
  const write = (said: readonly Message[]): Written => {
    const [first] = said;
    if (first === undefined) return NOTHING_WRITTEN;
    const known = conversations.get(first) ?? NOTHING_WRITTEN;
    // Every one of them: a host may have put another message in the place of one.
    const before = known.said.every((message, at) => message === said[at]) ? known : NOTHING_WRITTEN;
    const fresh = said.slice(before.said.length).map(messages);
    const bytes = joined([before.bytes, ...fresh.flatMap((turn) => turn.bytes ?? [])]);
    const written = { said, bytes, lacks: [...before.lacks, ...fresh.flatMap((turn) => turn.lacks)] };
    conversations.set(first, written);
    return written;
  };

  return ({ system, messages: said, tools: offered, toolChoice, options, output }) => {
    const { bytes, lacks: lacking } = write(said);
    const lacks = [...lacking];
    const hasTools = offered.length > 0;
    const rest = {
      model: server.id,
      ...(hasTools && { tool_choice: choiceOf(toolChoice) }),
      ...openaiChatOptions(options, dialect.maxTokensField, hasTools, lacks),
      ...(output !== undefined && { response_format: formatOf(output) }),
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
      ...dialect.body,
    };
    const head = utf8(system ? `{"messages":[,${JSON.stringify({ role: 'system', content: system })}` : '{"messages":[');
    const toolList = hasTools ? `"tools":[${offered.map(tools).join()}],` : '';
    return { body: withoutFirstComma(joined([head, bytes, utf8(`],${toolList}${JSON.stringify(rest).slice(1)}`)])), lacks };
  };
}

/** A conversation as bytes. */
interface Written {
  readonly said: readonly Message[];
  readonly bytes: Uint8Array;
  readonly lacks: readonly string[];
}

const NOTHING_WRITTEN: Written = { said: [], bytes: /* @__PURE__ */ new Uint8Array(0), lacks: [] };

/** Each message brings the comma before it; before the first there is none. White space is as good there. */
function withoutFirstComma(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (body[FIRST] === COMMA) body[FIRST] = SPACE;
  return body;
}

const FIRST = '{"messages":['.length;
const [COMMA, SPACE] = [44, 32];

/** The server holds the model to the schema as far as it can: `strict` wants every property to be required. */
function formatOf({ name, schema }: OutputSpec): unknown {
  const closed = closedSchema(schema);
  return { type: 'json_schema', json_schema: { name, schema: closed.schema, ...(closed.isStrict && { strict: true }) } };
}

function toolJson({ name, description, parameters }: ToolSpec): string {
  return JSON.stringify({ type: 'function', function: { name, description, parameters } });
}

/** `auto` is the wire's default and goes unsaid. */
function choiceOf(choice: ToolChoice): unknown {
  if (choice === 'auto') return undefined;
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } };
}
