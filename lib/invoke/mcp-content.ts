import type { FilePart, ImagePart, ResultPart } from '../message.ts';
import type { ToolOutput } from '../tool-output.ts';
import { toolOutput } from '../tool-output.ts';
import type { McpContent, McpResource, McpResult } from './mcp-client.ts';

/**
 * A server's result as a tool's whole answer: images stay images, sound and other data are files, structured content is
 * the output. A link is said in words: what it leads to is the server's to read, and a provider that cannot fetch it
 * would refuse the request.
 *
 * @internal
 */
export function mcpContent({ content = [], structuredContent, isError = false }: McpResult): ToolOutput {
  const parts = content.map(partOf);
  return toolOutput({
    ...(structuredContent !== undefined && { output: structuredContent }),
    // Without words of the server's own the output says itself.
    ...((parts.length > 0 || structuredContent === undefined) && { content: parts }),
    ...(isError && { isError }),
  });
}

function partOf(said: McpContent): ResultPart {
  switch (said.type) {
    case 'text':
      return { type: 'text', text: said.text };
    case 'image':
    case 'audio':
      return mediaPart(said.data, said.mimeType);
    case 'resource':
      return resourcePart(said.resource);
    case 'resource_link': {
      const { uri, name, mimeType, description } = said;
      const what = [name, mimeType, description].filter((word) => word !== undefined && word !== '').join(', ');
      return { type: 'text', text: `[resource ${uri}${what === '' ? '' : `: ${what}`}]` };
    }
    default:
      // A later protocol has kinds that nobody knows yet.
      return { type: 'text', text: `[${String((said as { type?: unknown }).type)}]` };
  }
}

function resourcePart({ uri, mimeType = 'application/octet-stream', text, blob }: McpResource): ResultPart {
  if (text !== undefined) return { type: 'text', text: `[resource ${uri}]\n${text}` };
  const part = mediaPart(blob ?? '', mimeType);
  const name = uri.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  return part.type === 'image' || name === '' ? part : { ...part, name };
}

function mediaPart(data: string, mediaType: string): ImagePart | FilePart {
  return { type: mediaType.startsWith('image/') ? 'image' : 'file', mediaType, data };
}
