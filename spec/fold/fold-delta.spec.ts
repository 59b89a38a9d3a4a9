import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Delta } from '../../lib/delta.ts';
import { completeCalls, draftParts, foldDelta, newDraft } from '../../lib/fold/fold-delta.ts';
import type { Draft } from '../../lib/fold/fold-delta.ts';

const text = (words: string, block = 'b'): Delta => ({ type: 'text', block, text: words });
const thinking = (words: string, block = 'r', meta?: Record<string, unknown>): Delta => ({ type: 'reasoning', block, text: words, ...(meta && { meta }) });
const start = (index: number, name = 'add'): Delta => ({ type: 'tool-call-start', index, id: `c${index}`, name });
const args = (index: number, chunk: string): Delta => ({ type: 'tool-call-arguments', index, chunk });
const end = (index: number, args: unknown = {}): Delta => ({ type: 'tool-call-end', index, call: { id: `c${index}`, name: 'add', arguments: args } });
const usage = (figures: Record<string, number>): Delta => ({ type: 'usage', usage: figures });

function fold(...deltas: readonly Delta[]): Draft {
  return deltas.reduce(foldDelta, newDraft());
}

describe('foldDelta', () => {
  it('concatenates text in order [19]', () => {
    expect(draftParts(fold(text('Hel'), text('lo'), text(' you')))).toEqual([{ type: 'text', block: 'b', text: 'Hello you' }]);
  });

  it('keeps reasoning out of the text [20]', () => {
    expect(draftParts(fold(thinking('hm'), text('hi'), thinking('!')))).toEqual([
      { type: 'reasoning', block: 'r', text: 'hm!' },
      { type: 'text', block: 'b', text: 'hi' },
    ]);
  });

  it('counts a call only when its end came; a half-finished one leaves no trace [21]', () => {
    const draft = fold(start(0), args(0, '{"a"'), start(1), end(1));
    expect(completeCalls(draft).map(({ id }) => id)).toEqual(['c1']);
    expect(draftParts(draft)).toEqual([{ type: 'tool-call', call: { id: 'c1', name: 'add', arguments: {} } }]);
  });

  it('orders calls by index, even if they start or end in another order [22]', () => {
    const draft = fold(start(2), start(0), start(1), end(1), end(2), end(0));
    expect(completeCalls(draft).map(({ id }) => id)).toEqual(['c0', 'c1', 'c2']);
    expect(draftParts(draft).map((part) => part.type === 'tool-call' && part.call.id)).toEqual(['c0', 'c1', 'c2']);
  });

  it('takes the interleaved fragments of parallel calls, each call as its own end says it [23]', () => {
    const draft = fold(start(0), start(1), args(0, '{"a":'), args(1, '{"b":'), args(0, '1}'), args(1, '2}'), end(0, { a: 1 }), end(1, { b: 2 }));
    expect(completeCalls(draft).map((call) => call.arguments)).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('replaces usage whole by the latest report, not field by field [25]', () => {
    expect(fold(usage({ inputTokens: 5, cachedInputTokens: 4 }), usage({ inputTokens: 6, outputTokens: 1 })).usage).toEqual({ inputTokens: 6, outputTokens: 1 });
  });

  it('leaves an unknown cached count unknown [26]', () => {
    expect(fold(usage({ inputTokens: 5 })).usage).not.toHaveProperty('cachedInputTokens');
  });

  it('keeps the last known count when no further report comes [27]', () => {
    expect(fold(usage({ inputTokens: 5 }), text('hi')).usage).toEqual({ inputTokens: 5 });
    expect(fold(text('hi')).usage).toBeUndefined();
  });

  it('drops all earlier reasoning for a replacement, and lets its block begin anew', () => {
    const draft = fold(thinking('draft'), text('hi'), { type: 'reasoning-replace', text: 'final' }, thinking('more'));
    expect(draftParts(draft)).toEqual([
      { type: 'text', block: 'b', text: 'hi' },
      { type: 'reasoning', text: 'final' },
      { type: 'reasoning', block: 'r', text: 'more' },
    ]);
  });

  it('keeps blocks apart by id and kind, in order of arrival', () => {
    const draft = fold(thinking('a', '1'), thinking('b', '2'), text('c', '1'), thinking('d', '1'), text('e', '1'));
    expect(draftParts(draft)).toEqual([
      { type: 'reasoning', block: '1', text: 'ad' },
      { type: 'reasoning', block: '2', text: 'b' },
      { type: 'text', block: '1', text: 'ce' },
    ]);
  });

  it('reads text blocks that interleave as they were heard', () => {
    const draft = fold(text('a', '1'), text('b', '2'), text('c', '1'), text('d', '1'));
    expect(draftParts(draft)).toEqual([
      { type: 'text', block: '1', text: 'a' },
      { type: 'text', block: '2', text: 'b' },
      { type: 'text', block: '1', text: 'cd' },
    ]);
  });

  it('merges the meta of a block and keeps a block that has nothing else', () => {
    const draft = fold(thinking('', 'r', { signature: 's' }), thinking('', 'r', { id: 1 }), text('', 'empty'));
    expect(draftParts(draft)).toEqual([{ type: 'reasoning', block: 'r', text: '', meta: { signature: 's', id: 1 } }]);
  });

  it('leaves deltas that say nothing of the turn out', () => {
    expect(draftParts(fold({ type: 'unknown', raw: 1 }, { type: 'alive' }))).toEqual([]);
  });

  it.each([
    ['a second start', [start(0), start(0)], 'starts twice'],
    ['arguments without a start', [args(0, '{')], 'has not started'],
    ['arguments after the end', [start(0), end(0), args(0, '{')], 'after its end'],
    ['an end without a start', [end(3)], 'tool call 3, which has not started'],
  ])('refuses %s', (_name, deltas, message) => {
    const error = (() => { try { return fold(...deltas); } catch (caught) { return caught; } })();
    expect(error).toMatchObject({ code: 'model-protocol', retryable: true, message: expect.stringContaining(message) });
  });

  it('takes the first end of a call and no other', () => {
    expect(completeCalls(fold(start(0), end(0, { a: 1 }), end(0, { a: 2 }))).map((call) => call.arguments)).toEqual([{ a: 1 }]);
  });

  it('joins any number of pieces to the same text', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 3000 }), (pieces) => {
        const parts = draftParts(fold(...pieces.map((piece) => text(piece))));
        expect(parts).toEqual(pieces.join('') === '' ? [] : [{ type: 'text', block: 'b', text: pieces.join('') }]);
      }),
      { numRuns: 30 },
    );
  });

  it('gives the same parts when asked twice', () => {
    const draft = fold(text('a'), thinking('b'));
    expect(draftParts(draft)).toEqual(draftParts(draft));
  });
});

describe('draftParts of a broken attempt', () => {
  it('leaves out a reasoning block that was still being written', () => {
    expect(draftParts(fold(text('hi'), thinking('half')), true)).toEqual([{ type: 'text', block: 'b', text: 'hi' }]);
  });

  it('keeps one whose signature came, and one that another part follows', () => {
    expect(draftParts(fold(thinking('whole', 'r', { signature: 's' })), true)).toHaveLength(1);
    expect(draftParts(fold(thinking('whole'), text('hi')), true)).toHaveLength(2);
  });
});
