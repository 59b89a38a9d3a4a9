import { json } from '../bytes/json.ts';
import { UnsupportedError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import { resultText } from '../message.ts';
import type { AssistantMessage, FilePart, ImagePart, Message, ResultPart, ToolCall, ToolResult, UserPart } from '../message.ts';
import type { Capability } from '../model.ts';
import { anthropicKind } from './anthropic-kind.ts';

/** A content block of a request, written. `id` pairs the call of a server tool with its result. */
export interface AnthropicBlock {
  readonly kind: 'result' | 'thinking' | 'call' | 'server-call' | 'server-result' | 'other';
  readonly json: string;
  readonly id?: unknown;
}

/**
 * The content blocks that a message becomes; none for one that says nothing. Blank text is left out, because the wire
 * refuses it; so are reasoning without a signature, files of a model, and what another wire's adapter stored. What a
 * tool gave and the wire or the model does not take is named in words: nobody could leave it out any more.
 *
 * @param able - what the model can do; images and files of results count
 * @throws UnsupportedError for a user's file of a type that the wire does not take
 * @internal
 */
export function anthropicMessage(message: Message, able: readonly Capability[]): readonly AnthropicBlock[] {
  switch (message.role) {
    case 'user':
      return message.content.flatMap(userBlock);
    case 'assistant':
      return assistantBlocks(message);
    case 'tool':
      return message.results.map((result) => ({ kind: 'result', json: JSON.stringify(resultOf(result, able)) }));
  }
}

function userBlock(part: UserPart): AnthropicBlock[] {
  switch (part.type) {
    case 'text':
      return textBlock(part.text);
    case 'image':
      return other({ type: 'image', source: imageSource(part) });
    case 'file':
      return other(documentOf(part));
  }
}

function other(block: unknown): AnthropicBlock[] {
  return [{ kind: 'other', json: JSON.stringify(block) }];
}

function textBlock(text: string, citations?: readonly unknown[]): AnthropicBlock[] {
  return text.trim() === '' ? [] : other({ type: 'text', text, ...(citations && { citations }) });
}

function assistantBlocks({ content }: AssistantMessage): AnthropicBlock[] {
  const citations = new Map<string, unknown[]>();
  for (const part of content) {
    // Of the kinds of citations this one carries what the next answer needs; the others are the request's own documents.
    if (part.type !== 'source' || part.block === undefined || typeOf(part.data) !== 'web_search_result_location') continue;
    citations.set(part.block, [...(citations.get(part.block) ?? []), part.data]);
  }
  const blocks = content.flatMap((part): AnthropicBlock[] => {
    switch (part.type) {
      case 'text': {
        const cited = part.block === undefined ? undefined : citations.get(part.block);
        if (part.block !== undefined) citations.delete(part.block);
        return textBlock(part.text, cited);
      }
      case 'refusal':
        return textBlock(part.text);
      case 'reasoning': {
        const signature = part.meta?.['signature'];
        if (typeof signature !== 'string') return [];
        return [{ kind: 'thinking', json: JSON.stringify({ type: 'thinking', thinking: part.text, signature }) }];
      }
      case 'tool-call':
        return [{ kind: 'call', json: callJson(part.call) }];
      case 'server-tool':
        return serverBlock(part.data);
      case 'opaque':
        return opaqueBlock(part.data);
      default:
        return [];
    }
  });
  // Thinking alone is no turn: the wire wants an answer or a call behind it.
  return blocks.every(({ kind }) => kind === 'thinking') ? [] : blocks;
}

function serverBlock(data: unknown): AnthropicBlock[] {
  const kind = anthropicKind(typeOf(data));
  if (kind !== 'server-call' && kind !== 'server-result') return [];
  const id = (data as Readonly<Record<string, unknown>>)[kind === 'server-call' ? 'id' : 'tool_use_id'];
  return [{ kind, id, json: JSON.stringify(data) }];
}

function opaqueBlock(data: unknown): AnthropicBlock[] {
  const kind = anthropicKind(typeOf(data));
  if (kind !== 'opaque' && kind !== 'compaction') return [];
  return [{ kind: typeOf(data) === 'redacted_thinking' ? 'thinking' : 'other', json: JSON.stringify(data) }];
}

/** The input is spliced in as the model wrote it, byte for byte, so that the provider's cache knows it again. */
function callJson(call: ToolCall): string {
  const { anthropic } = call.meta ?? {};
  const rest = isRecord(anthropic) ? JSON.stringify(anthropic).slice(1, -1) : '';
  const head = `{"type":"tool_use","id":${JSON.stringify(wireId(call.id))},"name":${JSON.stringify(call.name)}`;
  return `${head}${rest === '' ? '' : `,${rest}`},"input":${inputOf(call)}}`;
}

function inputOf({ rawArguments, arguments: value }: ToolCall): string {
  if (rawArguments !== undefined && isJsonObject(rawArguments)) return rawArguments;
  return isRecord(value) ? JSON.stringify(value) : '{}';
}

function resultOf({ callId, content, isError, error }: ToolResult, able: readonly Capability[]): unknown {
  // Beside `is_error` the wire takes words alone.
  const blocks = content.flatMap((part) => (isError ? textBlockOf(part) : (mediaBlockOf(part, able) ?? textBlockOf(part))));
  // An error must say something.
  if (isError && blocks.length === 0) blocks.push({ type: 'text', text: error?.message.trim() || 'The tool failed.' });
  return {
    type: 'tool_result',
    tool_use_id: wireId(callId),
    ...(blocks.length > 0 && { content: blocks }),
    ...(isError && { is_error: true }),
  };
}

function textBlockOf(part: ResultPart): object[] {
  const text = resultText([part]);
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

const IMAGE_TYPE = /^image\/(jpeg|png|gif|webp)$/;

/** Undefined for what has to be said in words: a picture or file that the wire refuses would end the run. */
function mediaBlockOf(part: ResultPart, able: readonly Capability[]): object | undefined {
  if (part.type === 'text') return undefined;
  const isImage = part.type === 'image' || part.mediaType.startsWith('image/');
  if (!able.includes(isImage ? 'images' : 'files')) return undefined;
  if (isImage && !IMAGE_TYPE.test(part.mediaType ?? 'image/png')) return undefined;
  try {
    return part.type === 'image' ? { type: 'image', source: imageSource(part) } : documentOf(part);
  } catch {
    return undefined;
  }
}

/**
 * The wire takes letters, digits, `_` and `-` in a call's id. What else an id from elsewhere holds is replaced, and a
 * hash (FNV-1a) of the whole put behind, so that two of them do not become one.
 */
function wireId(id: string): string {
  if (/^[a-zA-Z0-9_-]+$/.test(id)) return id;
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_')}_${hash.toString(16).padStart(8, '0')}`;
}

type Source = { readonly data?: string | undefined; readonly url?: string | undefined; readonly mediaType?: string | undefined };

/** A `data:` URL is data: the provider can fetch only what is on the network. */
function sourceOf({ data, url, mediaType }: Source): Source {
  const inline = data === undefined ? /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(url ?? '') : null;
  return inline === null ? { data, url, mediaType } : { data: inline[2], mediaType: mediaType ?? (inline[1] || undefined) };
}

/** How the base64 of each type that the wire takes begins: who gives an image often has only its bytes. */
const IMAGE_STARTS: readonly (readonly [string, string])[] = [
  ['/9j/', 'image/jpeg'],
  ['R0lG', 'image/gif'],
  ['UklG', 'image/webp'],
];

function imageSource(part: ImagePart | FilePart): unknown {
  const { data, url, mediaType } = sourceOf(part);
  if (data === undefined && url === undefined) throw new UnsupportedError('anthropic: an image has neither `data` nor `url`; give one of them.');
  if (data === undefined) return { type: 'url', url };
  const guessed = IMAGE_STARTS.find(([start]) => data.startsWith(start))?.[1] ?? 'image/png';
  return { type: 'base64', media_type: mediaType ?? guessed, data };
}

const TEXT_TYPE = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|sql|.*\+(json|xml)))/;

function documentOf(part: FilePart): object {
  const { data, url } = sourceOf(part);
  const type = part.mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type.startsWith('image/')) return { type: 'image', source: imageSource(part) };
  const title = part.name === undefined ? {} : { title: part.name };
  if (type === 'application/pdf' && data !== undefined) {
    return { type: 'document', source: { type: 'base64', media_type: type, data }, ...title };
  }
  if (type === 'application/pdf' && url !== undefined) return { type: 'document', source: { type: 'url', url }, ...title };
  if (TEXT_TYPE.test(type) && data !== undefined) {
    return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: decoded(data, part) }, ...title };
  }
  throw unsupported(part, 'takes PDF (data or url), text (data) and images');
}

function decoded(data: string, part: FilePart): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
  } catch {
    throw unsupported(part, 'takes `data` in base64, and this is not');
  }
}

function unsupported({ name, mediaType }: FilePart, why: string): UnsupportedError {
  const file = name === undefined ? 'a file' : `the file ${JSON.stringify(name)}`;
  return new UnsupportedError(`anthropic: ${file} (${mediaType}) cannot be sent: this wire ${why}.`);
}

function typeOf(data: unknown): unknown {
  return isRecord(data) ? data['type'] : undefined;
}

function isJsonObject(text: string): boolean {
  return isRecord(json(text));
}
