import { ConfigError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import type { FilePart, ImagePart, TextPart, UserMessage, UserPart } from '../message.ts';
import { readOwn } from './ui-messages-own.ts';

/** Something of a posted message, with where it stands: nothing in it can be trusted. */
export class UiNode {
  readonly path: string;
  private readonly fields: Readonly<Record<string, unknown>>;

  constructor(value: unknown, path: string) {
    if (!isRecord(value)) throw fault(path, 'is no object');
    this.path = path;
    this.fields = value;
  }

  get(name: string): unknown {
    // What stands on the prototype was not posted.
    return Object.hasOwn(this.fields, name) ? this.fields[name] : undefined;
  }

  /** A text that has to be there. */
  text(name: string): string {
    const value = this.get(name);
    if (typeof value !== 'string') throw fault(`${this.path}.${name}`, value === undefined ? 'is missing; give a text' : 'is no text');
    return value;
  }

  node(name: string): UiNode {
    return new UiNode(this.get(name), `${this.path}.${name}`);
  }

  /** A list of objects that has to be there. */
  list(name: string): UiNode[] {
    return nodesOf(this.get(name), `${this.path}.${name}`);
  }
}

export function nodesOf(value: unknown, path: string): UiNode[] {
  if (!Array.isArray(value)) throw fault(path, 'is no list');
  return value.map((one, at) => new UiNode(one, `${path}[${at}]`));
}

/** What is wrong, and where. */
export function fault(path: string, what: string): ConfigError {
  return new ConfigError(`fromUiMessages: ${path} ${what}.`);
}

/** A user's message from its parts; none where they say nothing. */
export function readUser(parts: readonly UiNode[]): UserMessage[] {
  const content = parts.flatMap((part): UserPart[] => {
    const type = part.text('type');
    if (type === 'text') return readText(part);
    if (type === 'file') return [readFile(part, true)];
    if (type.startsWith('data-')) return [];
    throw unknownPart(part, 'a user says text and files');
  });
  return content.length === 0 ? [] : [{ role: 'user', content }];
}

export function unknownPart(part: UiNode, known: string): ConfigError {
  return fault(part.path, `has the type ${JSON.stringify(part.text('type'))}, which cannot be read: ${known}. Leave it out, or make it a \`data-\` part, which is passed over`);
}

/** Text; none where it is empty and carries nothing. */
export function readText(part: UiNode): TextPart[] {
  const [text, { meta }] = [part.text('text'), readOwn(part.get('providerMetadata'))];
  return text === '' && meta === undefined ? [] : [{ type: 'text', text, ...(meta && { meta }) }];
}

/** A file, or an image where the user sends one. */
export function readFile(part: UiNode, isUser: true): FilePart | ImagePart;
export function readFile(part: UiNode, isUser: false): FilePart;
export function readFile(part: UiNode, isUser: boolean): FilePart | ImagePart {
  const [mediaType, url, name] = [part.text('mediaType'), part.text('url'), part.get('filename')];
  const { meta } = readOwn(part.get('providerMetadata'));
  const held = { ...dataOf(url, part.path), ...(meta && { meta }) };
  if (isUser && /^image(\/|$)/.test(mediaType)) {
    // Such as `image/*`: of which kind is not known.
    return { type: 'image', ...(/^image\/[^*]/.test(mediaType) && { mediaType }), ...held };
  }
  return { type: 'file', mediaType, ...(typeof name === 'string' && { name }), ...held };
}

/** What a URL holds itself, in base64, or the URL. */
function dataOf(url: string, path: string): { readonly data: string } | { readonly url: string } {
  const [, isBase64, data = ''] = /^data:[^,]*?(;base64)?,(.*)$/is.exec(url) ?? [];
  if (!/^data:/i.test(url)) return { url };
  if (isBase64 !== undefined) return { data };
  try {
    const bytes = new TextEncoder().encode(decodeURIComponent(data));
    return { data: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) };
  } catch {
    throw fault(`${path}.url`, 'is a data URL that cannot be read; encode it in base64');
  }
}
