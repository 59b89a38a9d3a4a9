import { describe, expect, it } from '@jest/globals';
import { anthropicBlocks } from '../../lib/deltas/anthropic-blocks.ts';
import type { AnthropicBlocks } from '../../lib/deltas/anthropic-blocks.ts';
import type { Delta } from '../../lib/delta.ts';
import { toolCall } from '../../lib/message.ts';

type Act = (blocks: AnthropicBlocks) => void;

/** Frames, short: what begins, a piece, a stop, a stop reason. The frame itself is the word `frame`. */
const start = (at: unknown, raw: unknown): Act => (blocks) => blocks.start(at, raw, 'frame');
const piece = (at: unknown, delta: unknown): Act => (blocks) => blocks.delta(at, delta, 'frame');
const stop = (at: unknown): Act => (blocks) => blocks.stop(at, 'frame');
const end = (atLimit = false): Act => (blocks) => blocks.end(atLimit);
const json = (at: unknown, text: string): Act => piece(at, { type: 'input_json_delta', partial_json: text });
const call = (at: unknown, id = 'c', name = 'f', input: unknown = {}): Act => start(at, { type: 'tool_use', id, name, input });

/** What they make, without signs of life. */
function made(...acts: readonly Act[]): Delta[] {
  const deltas: Delta[] = [];
  let ids = 0;
  const blocks = anthropicBlocks(() => `made-${(ids += 1)}`, (delta) => deltas.push(delta), () => 'block');
  for (const act of acts) act(blocks);
  return deltas.filter(({ type }) => type !== 'alive');
}

const unknown: Delta = { type: 'unknown', raw: 'frame' };
const ends = (deltas: readonly Delta[]): string[] => deltas.flatMap((delta) => (delta.type === 'tool-call-end' ? [delta.call.id] : []));

describe('anthropicBlocks', () => {
  it('says text and thinking under the ids of their blocks', () => {
    const acts = [
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      piece(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      piece(0, { type: 'thinking_delta', thinking: '' }),
      piece(0, { type: 'signature_delta', signature: 'sig' }),
      stop(0),
      start(1, { type: 'text', text: '' }),
      piece(1, { type: 'text_delta', text: 'a' }),
      piece(1, { type: 'text_delta', text: 'b' }),
      stop(1),
      end(),
    ];
    expect(made(...acts)).toEqual([
      { type: 'reasoning', block: 'block-0', text: 'Hm.' },
      { type: 'reasoning', block: 'block-0', text: '', meta: { signature: 'sig' } },
      { type: 'text', block: 'block-1', text: 'a' },
      { type: 'text', block: 'block-1', text: 'b' },
    ]);
  });

  it('says what a block begins with', () => {
    expect(made(start(0, { type: 'thinking', thinking: 'Hm.', signature: 'sig' }), start(1, { type: 'text', text: 'a', citations: [{ type: 'x' }, null] }))).toEqual([
      { type: 'reasoning', block: 'block-0', text: 'Hm.' },
      { type: 'reasoning', block: 'block-0', text: '', meta: { signature: 'sig' } },
      { type: 'text', block: 'block-1', text: 'a' },
      { type: 'source', block: 'block-1', data: { type: 'x' } },
    ]);
  });

  it('gives a sign of life for each frame that says nothing', () => {
    const deltas: Delta[] = [];
    const blocks = anthropicBlocks(() => 'made', (delta) => deltas.push(delta), () => 'block');
    for (const act of [start(0, { type: 'text', text: '' }), stop(0), call(1), json(1, ''), stop(1), start(2, { type: 'server_tool_use', id: 's', name: 'w', input: {} }), json(2, '{')]) {
      const before = deltas.length;
      act(blocks);
      expect(deltas.length).toBeGreaterThan(before);
    }
  });

  it.each<[name: string, citation: unknown, source: object]>([
    ['a page', { type: 'web_search_result_location', url: 'https://x.test', title: 'T' }, { url: 'https://x.test', title: 'T' }],
    ['a document', { type: 'char_location', document_title: 'D', cited_text: 'c' }, { title: 'D' }],
    ['nothing readable', { url: null, title: null }, {}],
  ])('makes a source of a citation of %s', (_name, citation, source) => {
    expect(made(start(0, { type: 'text', text: '' }), piece(0, { type: 'citations_delta', citation }))).toEqual([
      { type: 'source', block: 'block-0', ...source, data: citation },
    ]);
  });

  it('starts a call at once and ends it only when something follows its stop', () => {
    const begun: Delta[] = [
      { type: 'tool-call-start', index: 0, id: 'c', name: 'f' },
      { type: 'tool-call-arguments', index: 0, chunk: '{"a":' },
      { type: 'tool-call-arguments', index: 0, chunk: '1}' },
    ];
    const acts = [call(0), json(0, ''), json(0, '{"a":'), json(0, '1}'), stop(0)];
    const ended: Delta = { type: 'tool-call-end', index: 0, call: toolCall('c', 'f', '{"a":1}') };
    expect(made(...acts)).toEqual(begun);
    expect(made(...acts, end())).toEqual([...begun, ended]);
    expect(made(...acts, end(), end())).toEqual([...begun, ended]);
    expect(made(...acts, start(1, { type: 'text', text: 'a' }))).toEqual([...begun, ended, { type: 'text', block: 'block-1', text: 'a' }]);
  });

  it.each([
    ['no arguments', '', {}],
    ['text that is no JSON', '{"a":', '{"a":'],
    ['no object', '[1]', [1]],
  ])('ends a call with %s when the stop reason is no limit', (_name, text, value) => {
    expect(made(call(0), json(0, text), stop(0), end()).at(-1)).toMatchObject({ call: { arguments: value, rawArguments: text } });
  });

  it.each<[name: string, acts: readonly Act[], whole: readonly string[]]>([
    ['cut', [call(0, 'a'), json(0, '{"a":'), stop(0)], []],
    ['cut before its first piece', [call(0, 'a'), stop(0)], []],
    ['not stopped', [call(0, 'a'), json(0, '{"a":1')], []],
    ['whole', [call(0, 'a'), json(0, '{"a":1}'), stop(0)], ['a']],
    ['whole, with another behind that is cut', [call(0, 'a'), stop(0), call(1, 'b'), json(1, '{')], ['a']],
    ['given as an object, which the server may have completed', [call(0, 'a', 'f', { a: 1 }), stop(0)], []],
  ])('ends at a limit what is proved: a call that is %s', (_name, acts, whole) => {
    expect(ends(made(...acts, end(true)))).toEqual(whole);
  });

  it('ends calls whose stops are missing: by their text when a block follows, all at the end', () => {
    expect(ends(made(call(0, 'a'), json(0, '{}'), call(1, 'b')))).toEqual(['a']);
    expect(ends(made(call(0, 'a'), json(0, '{'), call(1, 'b'), json(1, '{}'), json(0, '}'), end()))).toEqual(['a', 'b']);
  });

  it('takes an input that came as an object for the text of it', () => {
    expect(made(call(0, 'c', 'f', { a: [1] }), stop(0), end())).toEqual([
      { type: 'tool-call-start', index: 0, id: 'c', name: 'f' },
      { type: 'tool-call-arguments', index: 0, chunk: '{"a":[1]}' },
      { type: 'tool-call-end', index: 0, call: toolCall('c', 'f', '{"a":[1]}') },
    ]);
    expect(made(call(0, 'c', 'f', { a: 1 }), end()).map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-arguments', 'tool-call-end']);
  });

  it('gives a call an id where the wire has none, and takes none without a name', () => {
    const ids = made(call(0, ''), call(1, 'x'), call(2, ''), call(3, 'y', '')).flatMap((delta) => (delta.type === 'tool-call-start' ? [[delta.index, delta.id]] : []));
    expect(ids).toEqual([[0, 'made-1'], [1, 'x'], [2, 'made-2']]);
    expect(made(call(0, 'y', ''), json(0, '{}'), stop(0), end())).toEqual([unknown, unknown]);
  });

  it('keeps who called, if it was not the model', () => {
    const by = (caller: unknown, more: object = {}): unknown => {
      const last = made(start(0, { type: 'tool_use', id: 'c', name: 'f', input: {}, caller, ...more }), end()).at(-1);
      return last?.type === 'tool-call-end' ? last.call.meta : 'no end';
    };
    expect(by({ type: 'direct' })).toBeUndefined();
    expect(by(undefined)).toBeUndefined();
    const caller = { type: 'code_execution_20250825', tool_id: 's' };
    expect(by(caller, { toolset_name: 't' })).toEqual({ anthropic: { toolset_name: 't', caller } });
  });

  it('says the call of a server tool whole, and its result with the name of the call', () => {
    const result = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
    const acts = [start(0, { type: 'server_tool_use', id: 's', name: 'w', input: {} }), json(0, '{"q"'), json(0, ':1}'), stop(0), stop(0), start(1, result), stop(1), end()];
    expect(made(...acts)).toEqual([
      { type: 'server-tool', block: 'block-0', id: 's', name: 'w', phase: 'call', data: { type: 'server_tool_use', id: 's', name: 'w', input: { q: 1 } } },
      { type: 'server-tool', block: 'block-1', id: 's', name: 'w', phase: 'result', data: result },
    ]);
    expect(made(start(0, result))).toMatchObject([{ id: 's', name: 'web_search' }]);
  });

  it('says the call of a server tool that was cut at the stop reason, with an input that can go back', () => {
    const acts = [start(0, { type: 'mcp_tool_use', id: 's', name: 'w', server_name: 'n', input: {} }), json(0, '{"q"')];
    expect(made(...acts)).toEqual([]);
    expect(made(...acts, end(true))).toMatchObject([{ data: { type: 'mcp_tool_use', server_name: 'n', input: {} } }]);
  });

  it('keeps redacted blocks, uploads and summaries whole', () => {
    const redacted = { type: 'redacted_thinking', data: 'x' };
    const upload = { type: 'container_upload', file_id: 'f' };
    const summary = [start(2, { type: 'compaction', content: null }), piece(2, { type: 'compaction_delta', content: 'much', encrypted_content: 'e' }), stop(2)];
    expect(made(start(0, redacted), start(1, upload), ...summary)).toEqual([
      { type: 'opaque', block: 'block-0', data: redacted },
      { type: 'opaque', block: 'block-1', data: upload },
      { type: 'opaque', block: 'block-2', data: { type: 'compaction', content: 'much', encrypted_content: 'e' } },
    ]);
  });

  it.each<[name: string, acts: readonly Act[]]>([
    ['a block that is no object', [start(0, 'x')]],
    ['a block of another type', [start(0, { type: 'hologram' })]],
    ['a piece of no block', [piece(3, { type: 'text_delta', text: 'a' })]],
    ['a piece that is no object', [start(0, { type: 'text', text: '' }), piece(0, null)]],
    ['a piece of another type', [start(0, { type: 'text', text: '' }), piece(0, { type: 'video_delta' })]],
    ['a piece of another kind of block', [start(0, { type: 'text', text: '' }), piece(0, { type: 'thinking_delta', thinking: 'a' })]],
    ['text that is none', [start(0, { type: 'text', text: '' }), piece(0, { type: 'text_delta', text: 7 })]],
    ['thinking that is none', [start(0, { type: 'thinking', thinking: '' }), piece(0, { type: 'thinking_delta' })]],
    ['a signature that is none', [start(0, { type: 'thinking', thinking: '' }), piece(0, { type: 'signature_delta', signature: null })]],
    ['a citation that is none', [start(0, { type: 'text', text: '' }), piece(0, { type: 'citations_delta', citation: 'x' })]],
    ['JSON for a text', [start(0, { type: 'text', text: '' }), json(0, '{}')]],
    ['a piece behind the stop', [start(0, { type: 'text', text: '' }), stop(0), piece(0, { type: 'text_delta', text: 'a' })]],
    ['the stop of no block', [stop(5)]],
  ])('reports %s', (_name, acts) => {
    expect(made(...acts)).toEqual([unknown]);
  });
});
