import { json } from '../bytes/json.ts';
import { isRecord } from '../is-record.ts';
import { resultText } from '../message.ts';
import type { AssistantMessage, FilePart, ImagePart, Message, Meta, ToolCall, ToolMessage, ToolResult, UserMessage, UserPart } from '../message.ts';

/** Under which name a server sends readable reasoning; `thinking` is a part of its content. */
export type ReasoningField = 'reasoning_content' | 'reasoning' | 'reasoning_text' | 'thinking';

/** What an adapter knows of its server, and what it learns from its answers. */
export interface OpenaiChatServer {
  readonly host: string;
  /** The model's name, as it was asked for and as the server last called it. */
  readonly id: string;
  model?: string;
  reasoning?: ReasoningField | undefined;
  /** The model sees images. Default: it does not. */
  readonly images?: boolean;
}

/**
 * A message as the wire has it: one JSON object, several with commas between them, or nothing for an empty turn.
 *
 * Reasoning goes back only to where it came from: plain, if this model sent it, under the name that the server has for
 * it; sealed, to the same host. A call's arguments go back as the model wrote them, if that was a JSON object. What other
 * wires put into a turn is left out. A tool message holds text alone: the images of a round of results follow it in a
 * user message that names their calls, if the model sees images; whatever else is no text is named.
 *
 * @param lacks - takes what the wire has no place for, in words
 * @internal
 */
export function openaiChatMessage(message: Message, server: OpenaiChatServer, lacks: string[]): string {
  switch (message.role) {
    case 'user':
      return userJson(message, lacks);
    case 'assistant':
      return assistantJson(message, server);
    case 'tool':
      return toolResultsJson(message, server);
  }
}

function userJson(message: UserMessage, lacks: string[]): string {
  const parts = message.content.flatMap((part) => userPart(part, lacks));
  if (parts.length === 0) return '';
  // One text is sent as a string: every server takes it, and not every one takes a list.
  const content = parts.length === 1 && 'text' in parts[0]! ? parts[0].text : parts;
  return JSON.stringify({ role: 'user', content });
}

function userPart(part: UserPart, lacks: string[]): object[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  const { type, data, mediaType = 'image/png' } = part;
  const url = urlOf(part);
  if (type === 'image' && url !== undefined) return [{ type: 'image_url', image_url: { url } }];
  if (type === 'file' && data !== undefined) {
    const format = /^audio\/(?:x-)?(wav|mp3|mpeg)/.exec(mediaType)?.[1];
    if (format !== undefined) return [{ type: 'input_audio', input_audio: { data, format: format === 'wav' ? 'wav' : 'mp3' } }];
    return [{ type: 'file', file: { filename: part.name ?? 'file', file_data: url } }];
  }
  lacks.push(`${type} without data`);
  return [];
}

function urlOf({ data, url, mediaType = 'image/png' }: ImagePart | FilePart): string | undefined {
  return data === undefined ? url : `data:${mediaType};base64,${data}`;
}

function assistantJson(message: AssistantMessage, server: OpenaiChatServer): string {
  const isOwn = [undefined, server.id, server.model].includes(message.model);
  const said = { text: '', reasoning: '', refusal: '' };
  const calls: unknown[] = [];
  let sealed: Meta | undefined;
  for (const part of message.content) {
    if (part.type === 'tool-call') calls.push(callOf(part.call, server));
    else if (part.type === 'reasoning') {
      const own = part.meta && sealedFor(server, part.meta);
      sealed = { ...sealed, ...own };
      if (own || (isOwn && !part.meta)) said.reasoning += part.text;
    } else if ('text' in part) said[part.type] += part.text;
  }
  const { text, reasoning, refusal } = said;
  // Reasoning alone is no turn: the wire wants an answer or a call beside it.
  if (text === '' && refusal === '' && calls.length === 0) return '';
  const { reasoning: field = 'reasoning_content' } = server;
  const thought = reasoning !== '' && !sealed?.['reasoning_details'];
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: reasoning }] };
  return JSON.stringify({
    role: 'assistant',
    content: thought && field === 'thinking' ? [thinking, { type: 'text', text }] : text || null,
    ...(thought && field !== 'thinking' && { [field]: reasoning }),
    ...sealed,
    ...(refusal !== '' && { refusal }),
    ...(calls.length > 0 && { tool_calls: calls }),
  });
}

/** Other servers refuse fields that they do not know, and cannot read what this one sealed. */
function sealedFor({ host }: OpenaiChatServer, { server, ...fields }: Meta = {}): Meta | undefined {
  return server === host ? fields : undefined;
}

function toolResultsJson({ results }: ToolMessage, { images }: OpenaiChatServer): string {
  const answers = results.map(({ callId, content }) => ({ role: 'tool', tool_call_id: wireId(callId), content: resultText(content) }));
  const seen = images ? results.flatMap(imagesOf) : [];
  // Behind all of them: the wire wants every call of a turn answered before anybody speaks.
  const shown = seen.length === 0 ? [] : [{ role: 'user', content: seen }];
  return [...answers, ...shown].map((message) => JSON.stringify(message)).join();
}

function imagesOf({ callId, name, content }: ToolResult): object[] {
  const images = content.flatMap((part) => {
    const url = part.type === 'image' ? urlOf(part) : undefined;
    return url === undefined ? [] : [{ type: 'image_url', image_url: { url } }];
  });
  if (images.length === 0) return [];
  return [{ type: 'text', text: `What the tool ${name} gave for the call ${wireId(callId)}:` }, ...images];
}

function callOf(call: ToolCall, server: OpenaiChatServer): unknown {
  const { id, name, meta } = call;
  const written = { name, arguments: argumentsOf(call) };
  // The loop keeps the server's own id in `meta` where it gave the call another.
  return { id: wireId(id), type: 'function', function: written, ...sealedFor(server, meta), providerId: undefined };
}

/** The servers parse the text of a past call again and refuse the request if it is no JSON object. */
function argumentsOf({ rawArguments = '', arguments: value }: ToolCall): string {
  if (isRecord(json(rawArguments))) return rawArguments;
  return isRecord(value) ? JSON.stringify(value) : '{}';
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
