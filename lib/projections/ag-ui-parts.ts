import type { FilePart, ImagePart, TextPart } from '../message.ts';
import { agUiCheck } from './ag-ui-check.ts';

type Part = TextPart | ImagePart | FilePart;

/**
 * The content of a user or tool message as parts.
 *
 * @throws ConfigError for a kind of part, or of source, that a run cannot carry; it names the place
 * @internal
 */
export function agUiParts(content: unknown, path: string): readonly Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return agUiCheck.list(content, path, true).map((part, at) => partOf(part, `${path}[${at}]`));
}

function partOf(value: unknown, path: string): Part {
  const part = agUiCheck.record(value, path);
  switch (part['type']) {
    case 'text':
      return { type: 'text', text: agUiCheck.text(part['text'], `${path}.text`) };
    case 'image':
      return { type: 'image', ...sourceOf(part['source'], `${path}.source`) };
    case 'audio':
    case 'video':
    case 'document': {
      const { mediaType = 'application/octet-stream', ...source } = sourceOf(part['source'], `${path}.source`);
      return { type: 'file', mediaType, ...source, ...nameOf(part['metadata']) };
    }
    default:
      throw agUiCheck.wrong(`${path}.type`, `is ${JSON.stringify(part['type'])}; it must be text, image, audio, video or document`);
  }
}

function sourceOf(value: unknown, path: string): Pick<ImagePart, 'data' | 'url' | 'mediaType'> {
  const source = agUiCheck.record(value, path);
  const mediaType = source['mimeType'] === undefined ? {} : { mediaType: agUiCheck.text(source['mimeType'], `${path}.mimeType`) };
  switch (source['type']) {
    case 'data':
      return { data: agUiCheck.text(source['value'], `${path}.value`), mediaType: agUiCheck.text(source['mimeType'], `${path}.mimeType`) };
    case 'url':
      return { url: agUiCheck.text(source['value'], `${path}.value`), ...mediaType };
    default:
      throw agUiCheck.wrong(`${path}.type`, `is ${JSON.stringify(source['type'])}; send the bytes (data) or an address (url)`);
  }
}

function nameOf(metadata: unknown): Pick<FilePart, 'name'> {
  const name = (metadata as { readonly name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? { name } : {};
}
