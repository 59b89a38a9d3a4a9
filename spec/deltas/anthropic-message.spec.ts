import { describe, expect, it } from '@jest/globals';
import { anthropicMessage } from '../../lib/deltas/anthropic-message.ts';
import { UnsupportedError } from '../../lib/errors.ts';
import { toolCall } from '../../lib/message.ts';
import type { AssistantPart, FilePart, Message, ResultPart, ToolCall, ToolResult, UserPart } from '../../lib/message.ts';
import type { Capability } from '../../lib/model.ts';

const ABLE: readonly Capability[] = ['tools', 'images', 'files'];
const parsed = (message: Message, able = ABLE): unknown[] => anthropicMessage(message, able).map(({ json }) => JSON.parse(json) as unknown);
const user = (...content: UserPart[]): unknown[] => parsed({ role: 'user', content });
const assistant = (...content: AssistantPart[]): unknown[] => parsed({ role: 'assistant', content });
const results = (...list: ToolResult[]): unknown[] => parsed({ role: 'tool', results: list });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const file = (mediaType: string, more: Partial<FilePart> = {}): FilePart => ({ type: 'file', mediaType, ...more });

describe('anthropicMessage of a user', () => {
  it('writes texts, without those that are blank', () => {
    expect(user({ type: 'text', text: 'a' }, { type: 'text', text: '' }, { type: 'text', text: ' \n' }, { type: 'text', text: ' b ' })).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: ' b ' },
    ]);
  });

  it('keeps every character', () => {
    const text = 'é "\\ \u2028 𝄞 \ud800 \u0000';
    expect(user({ type: 'text', text })).toEqual([{ type: 'text', text }]);
  });

  it.each<[name: string, part: UserPart, source: unknown]>([
    ['by its URL', { type: 'image', url: 'https://x.test/a.png' }, { type: 'url', url: 'https://x.test/a.png' }],
    ['by its data', { type: 'image', mediaType: 'image/webp', data: 'AA==' }, { type: 'base64', media_type: 'image/webp', data: 'AA==' }],
    ['by its data, if it has both', { type: 'image', mediaType: 'image/png', data: 'AA==', url: 'https://x.test' }, { type: 'base64', media_type: 'image/png', data: 'AA==' }],
    ['by the data in its URL', { type: 'image', url: 'data:image/gif;base64,AA==' }, { type: 'base64', media_type: 'image/gif', data: 'AA==' }],
    ['with the type of a JPEG', { type: 'image', data: '/9j/4AAQ' }, { type: 'base64', media_type: 'image/jpeg', data: '/9j/4AAQ' }],
    ['with the type of a GIF', { type: 'image', data: 'R0lGODlh' }, { type: 'base64', media_type: 'image/gif', data: 'R0lGODlh' }],
    ['with the type of a WebP', { type: 'image', data: 'UklGRg==' }, { type: 'base64', media_type: 'image/webp', data: 'UklGRg==' }],
    ['else as a PNG', { type: 'image', url: 'data:;base64,iVBORw0K' }, { type: 'base64', media_type: 'image/png', data: 'iVBORw0K' }],
    ['that was given as a file', file('image/png', { data: 'AA==' }), { type: 'base64', media_type: 'image/png', data: 'AA==' }],
  ])('writes an image %s', (_name, part, source) => {
    expect(user(part)).toEqual([{ type: 'image', source }]);
  });

  it.each<[name: string, part: FilePart, source: unknown]>([
    ['a PDF as it is', file('application/pdf', { data: 'JVBE' }), { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }],
    ['a PDF by its URL', file('application/pdf', { url: 'https://x.test/a.pdf' }), { type: 'url', url: 'https://x.test/a.pdf' }],
    ['text in words', file('text/csv; charset=utf-8', { data: base64('a,é') }), { type: 'text', media_type: 'text/plain', data: 'a,é' }],
    ['JSON in words', file('application/json', { data: base64('{}') }), { type: 'text', media_type: 'text/plain', data: '{}' }],
    ['what is JSON inside', file('application/ld+json', { url: `data:x;base64,${base64('[]')}` }), { type: 'text', media_type: 'text/plain', data: '[]' }],
  ])('writes a file: %s', (_name, part, source) => {
    expect(user(part)).toEqual([{ type: 'document', source }]);
    expect(user({ ...part, name: 'a' })).toEqual([{ type: 'document', source, title: 'a' }]);
  });

  it.each<[part: UserPart, words: RegExp]>([
    [file('application/zip', { data: 'AA==', name: 'a.zip' }), /"a.zip" \(application\/zip\) cannot be sent.*PDF/],
    [file('text/plain', { url: 'https://x.test/a.txt' }), /text\/plain.*text \(data\)/],
    [file('application/pdf'), /application\/pdf/],
    [file('text/plain', { data: '%%%' }), /base64/],
    [file('image/png'), /neither `data` nor `url`/],
    [{ type: 'image' }, /neither `data` nor `url`/],
  ])('refuses %j', (part, words) => {
    expect(() => user(part)).toThrow(UnsupportedError);
    expect(() => user(part)).toThrow(words);
  });
});

describe('anthropicMessage of results', () => {
  const result = (more: Partial<ToolResult>): ToolResult => ({ callId: 'c', name: 'f', content: [], isError: false, ...more });
  const texts = (...list: string[]): ToolResult['content'] => list.map((text) => ({ type: 'text', text }));

  it.each<[name: string, given: Partial<ToolResult>, wire: object]>([
    ['its text', { content: texts('3') }, { content: texts('3') }],
    ['texts that are not blank', { content: texts('a', '', ' ', 'b') }, { content: texts('a', 'b') }],
    ['nothing', {}, {}],
    ['an error', { content: texts('no'), isError: true }, { content: texts('no'), is_error: true }],
    ['an error of no words', { isError: true, error: { kind: 'timeout', message: 'Too late.', retryable: true } }, { content: texts('Too late.'), is_error: true }],
    ['an error of no words at all', { content: texts(' '), isError: true, error: { kind: 'other', message: ' ', retryable: false } }, { content: texts('The tool failed.'), is_error: true }],
  ])('writes %s', (_name, given, wire) => {
    expect(results(result(given))).toEqual([{ type: 'tool_result', tool_use_id: 'c', ...wire }]);
  });

  const png = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;

  it.each<[name: string, part: ResultPart, block: object]>([
    ['an image', png, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
    ['an image by its URL', { type: 'image', url: 'https://x.test/a.png' }, { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } }],
    ['a PDF', file('application/pdf', { data: 'JVBE', name: 'a' }), { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }, title: 'a' }],
    ['text as a file', file('text/csv', { data: base64('a,b') }), { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,b' } }],
    ['an image of a type that the wire refuses, in words', { type: 'image', mediaType: 'image/svg+xml', data: 'AAAA' }, { type: 'text', text: '[image image/svg+xml]' }],
    ['an image without anything in it, in words', { type: 'image', mediaType: 'image/png' }, { type: 'text', text: '[image image/png]' }],
    ['sound, in words', file('audio/wav', { data: 'AAAA' }), { type: 'text', text: '[file audio/wav]' }],
  ])('holds %s', (_name, part, block) => {
    const [head] = texts('see');
    expect(results(result({ content: [head!, part] }))).toEqual([{ type: 'tool_result', tool_use_id: 'c', content: [head, block] }]);
  });

  it('says in words what the model does not take, and all of an error', () => {
    const content = [png, file('application/pdf', { data: 'JVBE' })];
    const words = texts('[image image/png]', '[file application/pdf]');
    const wire = { type: 'tool_result', tool_use_id: 'c', content: words };
    expect(parsed({ role: 'tool', results: [result({ content })] }, ['tools'])).toEqual([wire]);
    expect(results(result({ content, isError: true }))).toEqual([{ ...wire, is_error: true }]);
  });

  it('writes one block for each, in order', () => {
    const blocks = anthropicMessage({ role: 'tool', results: [result({ callId: 'a' }), result({ callId: 'b' })] }, ABLE);
    expect(blocks.map(({ kind, json }) => [kind, (JSON.parse(json) as { tool_use_id: string }).tool_use_id])).toEqual([['result', 'a'], ['result', 'b']]);
    expect(results()).toEqual([]);
  });

  it('maps ids that the wire does not take, the same way for the call and its result', () => {
    const ids = ['toolu_01-A', 'call:1', 'call/1', 'call.1', 'é', ' ', 'functions.add:0'];
    const called = assistant(...ids.map((id): AssistantPart => ({ type: 'tool-call', call: toolCall(id, 'f', '{}') }))) as { id: string }[];
    const answered = results(...ids.map((callId) => result({ callId }))) as { tool_use_id: string }[];
    const sent = called.map(({ id }) => id);
    expect(answered.map((block) => block.tool_use_id)).toEqual(sent);
    expect(sent.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
    expect(new Set(sent).size).toBe(ids.length);
    expect(sent[0]).toBe(ids[0]);
  });
});

describe('anthropicMessage of a model', () => {
  const text: AssistantPart = { type: 'text', text: 'a', block: 'b' };
  const call: AssistantPart = { type: 'tool-call', call: toolCall('c', 'f', '{}') };
  const thinking: AssistantPart = { type: 'reasoning', text: 'r', meta: { signature: 's' } };

  it('writes its parts in order, thinking with its signature', () => {
    expect(assistant(thinking, text, { type: 'refusal', text: 'no' }, call, { type: 'reasoning', text: '', meta: { signature: 't', more: 1 } }, text)).toEqual([
      { type: 'thinking', thinking: 'r', signature: 's' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'no' },
      { type: 'tool_use', id: 'c', name: 'f', input: {} },
      { type: 'thinking', thinking: '', signature: 't' },
      { type: 'text', text: 'a' },
    ]);
  });

  it.each<[name: string, part: AssistantPart]>([
    ['reasoning without a signature', { type: 'reasoning', text: 'r' }],
    ['reasoning signed elsewhere', { type: 'reasoning', text: 'r', meta: { thoughtSignature: 's', signature: 7 } }],
    ['blank text', { type: 'text', text: '\n' }],
    ['a file', { type: 'file', mediaType: 'image/png', data: 'AA==' }],
    ['a source', { type: 'source', url: 'https://x.test' }],
    ['a server tool of another wire', { type: 'server-tool', id: 's', name: 'w', phase: 'call', data: { type: 'web_search_call', id: 's' } }],
    ['a server tool without data', { type: 'server-tool', id: 's', name: 'w', phase: 'call' }],
    ['an opaque block of another wire', { type: 'opaque', data: { type: 'reasoning', encrypted_content: 'x' } }],
    ['an opaque text', { type: 'opaque', data: 'x' }],
  ])('leaves out %s', (_name, part) => {
    expect(assistant(text, part)).toEqual([{ type: 'text', text: 'a' }]);
    expect(assistant(part)).toEqual([]);
  });

  it('makes no turn of thinking alone', () => {
    expect(assistant()).toEqual([]);
    expect(assistant(thinking, { type: 'opaque', data: { type: 'redacted_thinking', data: 'x' } })).toEqual([]);
  });

  it.each([
    { type: 'redacted_thinking', data: 'x' },
    { type: 'compaction', content: 'much', encrypted_content: 'e' },
    { type: 'container_upload', file_id: 'f' },
  ])('sends back whole %j', (data) => {
    expect(assistant({ type: 'opaque', data }, text)).toEqual([data, { type: 'text', text: 'a' }]);
  });

  it('sends back the provider\'s own tools whole, told apart for pairing', () => {
    const called = { type: 'server_tool_use', id: 's', name: 'w', input: { q: 1 } };
    const result = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ encrypted_content: 'x' }] };
    const content: AssistantPart[] = [
      { type: 'server-tool', id: 's', name: 'w', phase: 'call', data: called },
      { type: 'server-tool', id: 's', name: 'w', phase: 'result', data: result },
    ];
    expect(anthropicMessage({ role: 'assistant', content }, ABLE)).toEqual([
      { kind: 'server-call', id: 's', json: JSON.stringify(called) },
      { kind: 'server-result', id: 's', json: JSON.stringify(result) },
    ]);
  });

  it('puts what a text found on the web under it, once, and no other citation', () => {
    const cited = { type: 'web_search_result_location', url: 'https://x.test', encrypted_index: 'i' };
    const source = (block: string | undefined, data: unknown): AssistantPart => ({ type: 'source', data, ...(block !== undefined && { block }) });
    const parts = [source('b', cited), text, source('b', { type: 'char_location' }), source('b', { ...cited, url: 'u' }), source(undefined, cited), text];
    expect(assistant(...parts)).toEqual([
      { type: 'text', text: 'a', citations: [cited, { ...cited, url: 'u' }] },
      { type: 'text', text: 'a' },
    ]);
  });

  it.each<[name: string, call: ToolCall, input: string]>([
    ['as the model wrote it', toolCall('c', 'f', '{ "a" : 1.0 }'), '{ "a" : 1.0 }'],
    ['nothing', toolCall('c', 'f', ''), '{}'],
    ['cut text', toolCall('c', 'f', '{"a":'), '{}'],
    ['a list', toolCall('c', 'f', '[1]'), '{}'],
    ['null', toolCall('c', 'f', 'null'), '{}'],
    ['no text', { id: 'c', name: 'f', arguments: { a: [1] } }, '{"a":[1]}'],
    ['no text and no object', { id: 'c', name: 'f', arguments: 'x' }, '{}'],
    ['text that is no JSON beside an object', { id: 'c', name: 'f', arguments: { a: 1 }, rawArguments: '{a:1}' }, '{"a":1}'],
  ])('sends the input of a call back: %s', (_name, one, input) => {
    const [block] = anthropicMessage({ role: 'assistant', content: [{ type: 'tool-call', call: one }] }, ABLE);
    expect(block).toEqual({ kind: 'call', json: `{"type":"tool_use","id":"c","name":"f","input":${input}}` });
  });

  it('sends back who called', () => {
    const caller = { type: 'code_execution_20250825', tool_id: 's' };
    expect(assistant({ type: 'tool-call', call: toolCall('c', 'f', '{"a":1}', { anthropic: { caller }, providerId: 'p' }) })).toEqual([
      { type: 'tool_use', id: 'c', name: 'f', caller, input: { a: 1 } },
    ]);
    expect(assistant({ type: 'tool-call', call: toolCall('c', 'f', '', { anthropic: {} }) })).toEqual([{ type: 'tool_use', id: 'c', name: 'f', input: {} }]);
  });
});
