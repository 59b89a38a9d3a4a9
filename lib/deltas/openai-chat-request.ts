import type { AssistantMessage, Message, ResultPart, ToolCall, ToolMessage, UserMessage } from '../message.ts';
import type { ModelRequest, ToolChoice, ToolSpec } from '../model.ts';

/**
 * Makes the JSON body of a chat-completions request; pure but for its memory: what a message or a tool became is kept
 * by its identity, so that a step of a long run encodes only what is new.
 *
 * Empty turns are left out. A call's arguments go back as the model wrote them, if that was a JSON object.
 *
 * @param model - the name that the provider knows the model by
 * @internal
 */
export function openaiChatRequest(model: string): (request: ModelRequest) => string {
  const messages = remembered(messageJson);
  const tools = remembered(toolJson);
  return (request) => {
    const turns = request.messages.map(messages).filter((json) => json !== '');
    if (request.system !== undefined && request.system !== '') {
      turns.unshift(JSON.stringify({ role: 'system', content: request.system }));
    }
    const choice = request.tools.length === 0 ? undefined : choiceOf(request.toolChoice);
    const offered = request.tools.length === 0 ? '' : `,"tools":[${request.tools.map(tools).join()}]`;
    const chosen = choice === undefined ? '' : `,"tool_choice":${JSON.stringify(choice)}`;
    return (
      `{"model":${JSON.stringify(model)},"messages":[${turns.join()}]${offered}${chosen}` +
      ',"stream":true,"stream_options":{"include_usage":true}}'
    );
  };
}

function remembered<T extends object>(write: (value: T) => string): (value: T) => string {
  const written = new WeakMap<T, string>();
  return (value) => {
    let json = written.get(value);
    if (json === undefined) written.set(value, (json = write(value)));
    return json;
  };
}

/** One wire message, several with commas between them, or nothing. */
function messageJson(message: Message): string {
  switch (message.role) {
    case 'user':
      return userJson(message);
    case 'assistant':
      return assistantJson(message);
    case 'tool':
      return toolResultsJson(message);
  }
}

function userJson(message: UserMessage): string {
  const texts = message.content.map((part) => ('text' in part ? part.text : '')).filter((text) => text !== '');
  if (texts.length === 0) return '';
  // One text is sent as a string: every server takes it, and not every one takes a list.
  const content = texts.length === 1 ? texts[0] : texts.map((text) => ({ type: 'text', text }));
  return JSON.stringify({ role: 'user', content });
}

function assistantJson(message: AssistantMessage): string {
  const said = { text: '', reasoning: '', refusal: '' };
  const calls: unknown[] = [];
  for (const part of message.content) {
    if (part.type === 'tool-call') calls.push(callOf(part.call));
    else if ('text' in part) said[part.type] += part.text;
  }
  // Reasoning alone is no turn: the wire wants an answer or a call beside it.
  if (said.text === '' && said.refusal === '' && calls.length === 0) return '';
  return JSON.stringify({
    role: 'assistant',
    content: said.text === '' ? null : said.text,
    ...(said.reasoning !== '' && { reasoning_content: said.reasoning }),
    ...(said.refusal !== '' && { refusal: said.refusal }),
    ...(calls.length > 0 && { tool_calls: calls }),
  });
}

function toolResultsJson(message: ToolMessage): string {
  return message.results
    .map(({ callId, content }) => ({ role: 'tool', tool_call_id: wireId(callId), content: joined(content) }))
    .map((result) => JSON.stringify(result))
    .join();
}

function callOf(call: ToolCall): unknown {
  return { id: wireId(call.id), type: 'function', function: { name: call.name, arguments: argumentsOf(call) } };
}

/** The servers parse the text of a past call again and refuse the request if it is no JSON object. */
function argumentsOf(call: ToolCall): string {
  if (call.rawArguments !== undefined && isJsonObject(call.rawArguments)) return call.rawArguments;
  return isObject(call.arguments) ? JSON.stringify(call.arguments) : '{}';
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function joined(content: readonly ResultPart[]): string {
  return content.map((part) => part.text).join('\n');
}

const ID_LENGTH = 40;

/**
 * OpenAI refuses a call id of more than 40 characters. Ids from elsewhere can be longer: their end is kept, and a hash
 * (FNV-1a) of the whole, so that two of them do not become one.
 */
function wireId(id: string): string {
  if (id.length <= ID_LENGTH) return id;
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0') + id.slice(8 - ID_LENGTH);
}

function toolJson({ name, description, parameters }: ToolSpec): string {
  return JSON.stringify({ type: 'function', function: { name, description, parameters } });
}

/** `auto` is the wire's default and goes unsaid. */
function choiceOf(choice: ToolChoice): unknown {
  if (choice === 'auto') return undefined;
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } };
}
