import { describe, expect, it } from '@jest/globals';
import type { McpContent, McpResult } from '../../lib/invoke/mcp-client.ts';
import { mcpContent } from '../../lib/invoke/mcp-content.ts';
import type { ResultPart } from '../../lib/message.ts';

const mark = { '~toolOutput': true };

describe('mcpContent', () => {
  it.each<[name: string, said: McpContent, part: ResultPart]>([
    ['text', { type: 'text', text: 'a' }, { type: 'text', text: 'a' }],
    ['an image', { type: 'image', data: 'AAAA', mimeType: 'image/png' }, { type: 'image', mediaType: 'image/png', data: 'AAAA' }],
    ['sound', { type: 'audio', data: 'AAAA', mimeType: 'audio/mpeg' }, { type: 'file', mediaType: 'audio/mpeg', data: 'AAAA' }],
    ['a resource of text', { type: 'resource', resource: { uri: 'n://1', text: 'a' } }, { type: 'text', text: '[resource n://1]\na' }],
    ['an empty resource', { type: 'resource', resource: { uri: 'n://1', text: '' } }, { type: 'text', text: '[resource n://1]\n' }],
    ['a resource that is an image', { type: 'resource', resource: { uri: 'n://1', mimeType: 'image/png', blob: 'AAAA' } }, { type: 'image', mediaType: 'image/png', data: 'AAAA' }],
    ['a resource of bytes', { type: 'resource', resource: { uri: 'file:///a/b.zip?x#y', mimeType: 'application/zip', blob: 'AAAA' } }, { type: 'file', mediaType: 'application/zip', data: 'AAAA', name: 'b.zip' }],
    ['bytes of no type and no name', { type: 'resource', resource: { uri: 'n://', blob: 'AAAA' } }, { type: 'file', mediaType: 'application/octet-stream', data: 'AAAA' }],
    ['a link', { type: 'resource_link', uri: 'n://1', name: 'one', description: 'The first.' }, { type: 'text', text: '[resource n://1: one, The first.]' }],
    ['a bare link', { type: 'resource_link', uri: 'n://1' }, { type: 'text', text: '[resource n://1]' }],
    ['what nobody knows yet', { type: 'hologram' } as unknown as McpContent, { type: 'text', text: '[hologram]' }],
  ])('makes a part of %s', (_name, said, part) => {
    expect(mcpContent({ content: [said] })).toEqual({ ...mark, content: [part] });
  });

  it.each<[name: string, result: McpResult, output: object]>([
    ['structure and words', { content: [{ type: 'text', text: 'a' }], structuredContent: { a: 1 } }, { output: { a: 1 }, content: [{ type: 'text', text: 'a' }] }],
    ['structure alone, which says itself', { content: [], structuredContent: [1] }, { output: [1] }],
    ['an error', { content: [{ type: 'text', text: 'no' }], isError: true }, { content: [{ type: 'text', text: 'no' }], isError: true }],
    ['nothing', {}, { content: [] }],
  ])('gives %s', (_name, result, output) => {
    expect(mcpContent(result)).toEqual({ ...mark, ...output });
  });
});
