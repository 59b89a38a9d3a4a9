import { describe, expect, it } from '@jest/globals';
import { openaiChatExtras } from '../../lib/deltas/openai-chat-extras.ts';
import type { Extras } from '../../lib/deltas/openai-chat-extras.ts';
import type { Delta } from '../../lib/delta.ts';
import type { Meta } from '../../lib/message.ts';

function read(...all: Extras[]): { deltas: Delta[]; sealed: Meta | undefined } {
  const deltas: Delta[] = [];
  let made = 0;
  const extras = openaiChatExtras(() => `made-${(made += 1)}`, (delta) => void deltas.push(delta));
  for (const each of all) extras.read(each);
  return { deltas, sealed: extras.sealed() };
}

describe('openaiChatExtras', () => {
  it('says nothing for nothing', () => {
    expect(read({}, { annotations: null, citations: null, images: [], executed_tools: [null], reasoning_details: [] })).toEqual({ deltas: [], sealed: undefined });
  });

  it('gives a source for each annotation', () => {
    const cited = { type: 'url_citation', url_citation: { url: 'https://x.test', title: 'X', start_index: 1 } };
    const untitled = { type: 'url_citation', url_citation: { url: 'https://y.test', title: '' } };
    const file = { type: 'file_citation', file_id: 'f' };
    expect(read({ annotations: [cited, untitled] }, { annotations: [file] }).deltas).toEqual([
      { type: 'source', url: 'https://x.test', title: 'X', data: cited },
      { type: 'source', url: 'https://y.test', data: untitled },
      { type: 'source', data: file },
    ]);
  });

  it('gives a source for each citation, once, with what a search result says of it', () => {
    const [x, y] = ['https://x.test', 'https://y.test'];
    const result = { url: y, title: 'Y', snippet: '...' };
    const all = read({ citations: [x] }, { citations: [x, y], search_results: [result] }, { citations: [x, y], search_results: [result] });
    expect(all.deltas).toEqual([
      { type: 'source', url: x, data: x },
      { type: 'source', url: y, title: 'Y', data: result },
    ]);
  });

  it('gives a source for each search result where there are no citations', () => {
    const result = { url: 'https://x.test', title: 'X' };
    expect(read({ search_results: [result] }, { search_results: [result] }).deltas).toEqual([{ type: 'source', ...result, data: result }]);
  });

  it('gives the call and the result of a tool that the server ran, under one id', () => {
    const call = { index: 0, type: 'search', arguments: '{}' };
    const other = { index: 1, name: 'browse', type: 'function' };
    const result = { ...call, output: 'found' };
    expect(read({ executed_tools: [call, other] }, { executed_tools: [result] }).deltas).toEqual([
      { type: 'server-tool', block: 'made-1', id: 'made-1', name: 'search', phase: 'call', data: call },
      { type: 'server-tool', block: 'made-2', id: 'made-2', name: 'browse', phase: 'call', data: other },
      { type: 'server-tool', block: 'made-1', id: 'made-1', name: 'search', phase: 'result', data: result },
    ]);
  });

  it('gives a file for each image', () => {
    const image = (url: string): object => ({ type: 'image_url', image_url: { url } });
    expect(read({ images: [image('data:image/webp;base64,AAAA'), image('https://x.test/i.png')] }).deltas).toEqual([
      { type: 'file', block: 'file-1', mediaType: 'image/webp', data: 'AAAA' },
      { type: 'file', block: 'file-2', mediaType: 'image/*', url: 'https://x.test/i.png' },
    ]);
  });

  it('keeps details for a seal alone', () => {
    const text = { type: 'reasoning.text', text: 'a', index: 0 };
    expect(read({ reasoning_details: [text] }).sealed).toBeUndefined();
    expect(read({ reasoning_details: [{ ...text, signature: 's' }] }).sealed).toEqual({ reasoning_details: [{ ...text, signature: 's' }] });
    expect(read({ reasoning_opaque: 'o' }).sealed).toEqual({ reasoning_opaque: 'o' });
  });

  it('joins the pieces of one detail, and keeps the bounds of the server', () => {
    const piece = (index: number, text: string): object => ({ type: 'reasoning.text', text, index });
    const summary = { type: 'reasoning.summary', summary: 'z', index: 1 };
    const sealed = { type: 'reasoning.encrypted', data: 'x', index: 1 };
    const details = [piece(0, 'a'), piece(0, 'b'), piece(1, 'c'), summary, summary, sealed, sealed];
    expect(read({ reasoning_details: details }).sealed).toEqual({
      reasoning_details: [piece(0, 'ab'), piece(1, 'c'), { ...summary, summary: 'zz' }, sealed, sealed],
    });
  });

  it('does not write into what it was given', () => {
    const first = { type: 'reasoning.text', text: 'a', index: 0 };
    read({ reasoning_details: [first] }, { reasoning_details: [{ ...first, signature: 's' }] });
    expect(first).toEqual({ type: 'reasoning.text', text: 'a', index: 0 });
  });
});
