import type { FilePart, ImagePart, ResultPart, UserPart } from '../message.ts';
import type { AgUiContent, AgUiContentPart, AgUiSource } from './ag-ui-event.ts';

/**
 * The parts of a user message or of a result as AG-UI has them: text alone as a string, anything else as a list.
 *
 * @internal
 */
export function agUiContent(parts: readonly (UserPart | ResultPart)[]): AgUiContent {
  const [first, ...others] = parts;
  if (first === undefined) return '';
  if (first.type === 'text' && others.length === 0) return first.text;
  return parts.map(partOf);
}

function partOf(part: UserPart | ResultPart): AgUiContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const source = sourceOf(part);
  if (part.type === 'image') return { type: 'image', source };
  const type = /^(audio|video)\//.exec(part.mediaType)?.[1] as 'audio' | 'video' | undefined;
  return { type: type ?? 'document', source, ...(part.name !== undefined && { metadata: { name: part.name } }) };
}

function sourceOf({ mediaType, data, url }: ImagePart | FilePart): AgUiSource {
  if (data !== undefined) return { type: 'data', value: data, mimeType: mediaType ?? 'application/octet-stream' };
  return { type: 'url', value: url ?? '', ...(mediaType !== undefined && { mimeType: mediaType }) };
}
