import { describe, expect, it } from '@jest/globals';
import { initialState } from '../../lib/index.ts';
import type { BlockState, Delta, DeltaEvent, LoopState } from '../../lib/index.ts';
import { completed, foldSaid, openMessage, sameJson } from '../../lib/projections/fold-said.ts';
import { delta } from '../support/events.ts';

const said = (...deltas: Delta[]): LoopState => deltas.reduce((state, one) => foldSaid(state, delta(0, one) as DeltaEvent), initialState());
const blocksOf = (...deltas: Delta[]): readonly BlockState[] | undefined => said(...deltas).messages[0]?.blocks;
const text = (block: string, words: string): Delta => ({ type: 'text', block, text: words });

describe('foldSaid', () => {
  it('puts the pieces of a block together', () => {
    expect(blocksOf(text('a', 'Hel'), text('a', 'lo'))).toEqual([{ type: 'text', block: 'a', text: 'Hello' }]);
  });

  it('opens a message where a stream is joined in the middle of a step', () => {
    expect(said(text('a', 'x')).messages).toEqual([{ ...openMessage('run1', 0, 1), blocks: [{ type: 'text', block: 'a', text: 'x' }] }]);
  });

  it('tells two kinds of block with one name apart', () => {
    expect(blocksOf(text('a', 'x'), { type: 'reasoning', block: 'a', text: 'y' }, { type: 'refusal', block: 'a', text: 'z' })?.map(({ type }) => type)).toEqual(['text', 'reasoning', 'refusal']);
  });

  it('lets blocks alternate, each by its name [#103]', () => {
    expect(blocksOf(text('a', '1'), text('b', 'x'), text('a', '2'), text('b', 'y'), text('a', '3'))).toEqual([
      { type: 'text', block: 'a', text: '123' },
      { type: 'text', block: 'b', text: 'xy' },
    ]);
  });

  it('keeps what belongs to a block, of its last piece too [#100]', () => {
    const pieces: Delta[] = [{ type: 'reasoning', block: 'r', text: 'hm', meta: { id: 1 } }, { type: 'reasoning', block: 'r', text: '', meta: { signature: 's' } }];
    expect(blocksOf(...pieces)).toEqual([{ type: 'reasoning', block: 'r', text: 'hm', meta: { id: 1, signature: 's' } }]);
  });

  it('lets reasoning that replaces stand for all reasoning before it', () => {
    const blocks = blocksOf({ type: 'reasoning', block: 'r', text: 'a' }, text('t', 'b'), { type: 'reasoning', block: 'q', text: 'c' }, { type: 'reasoning-replace', text: 'd', meta: { m: 1 } });
    expect(blocks).toEqual([{ type: 'text', block: 't', text: 'b' }, { type: 'reasoning', text: 'd', meta: { m: 1 } }]);
  });

  it.each<Delta>([
    { type: 'server-tool', block: 's', id: 'i', name: 'search', phase: 'call' },
    { type: 'source', url: 'https://example.com' },
    { type: 'file', block: 'f', mediaType: 'image/png', url: 'https://example.com' },
    { type: 'opaque', block: 'o', data: 'x' },
  ])('takes what comes whole as it comes: $type', (whole) => {
    expect(blocksOf(text('a', 'x'), whole)?.[1]).toBe(whole);
  });

  it.each<Delta>([{ type: 'usage', usage: {} }, { type: 'unknown', raw: 1 }, { type: 'finish', reason: 'stop' }, { type: 'alive' }, { type: 'delta-of-tomorrow' } as unknown as Delta])('shows nothing of $type', (one) => {
    const state = initialState();
    expect(foldSaid(state, delta(0, one) as DeltaEvent)).toBe(state);
  });

  it('reads calls while they are written, also two that alternate', () => {
    const state = said(
      { type: 'tool-call-start', index: 0, id: 'c', name: 'add' },
      { type: 'tool-call-start', index: 1, id: 'd', name: 'mul' },
      { type: 'tool-call-arguments', index: 0, chunk: '{"a":1' },
      { type: 'tool-call-arguments', index: 1, chunk: '{"b":[' },
      { type: 'tool-call-arguments', index: 0, chunk: ',"b":2}' },
      { type: 'tool-call-end', index: 0, call: { id: 'c', name: 'add', arguments: { a: 1, b: 2 }, rawArguments: '{"a":1,"b":2}' } },
    );
    expect(state.calls).toEqual([
      { callId: 'c', name: 'add', step: 0, attempt: 1, index: 0, state: 'asked', argumentsText: '{"a":1,"b":2}', arguments: { a: 1, b: 2 } },
      { callId: 'd', name: 'mul', step: 0, attempt: 1, index: 1, state: 'writing', argumentsText: '{"b":[', arguments: { b: [] } },
    ]);
    expect(state.messages[0]?.blocks).toEqual([{ type: 'tool-call', callId: 'c' }, { type: 'tool-call', callId: 'd' }]);
  });

  it('ignores pieces of a call that never began', () => {
    const state = initialState();
    expect(foldSaid(state, delta(0, { type: 'tool-call-arguments', index: 0, chunk: '{' }) as DeltaEvent)).toBe(state);
  });

  it('keeps the identity of what a piece does not concern', () => {
    const before = said(text('a', 'x'), { type: 'source', url: 'u' }, text('b', 'y'));
    const after = foldSaid(before, delta(0, text('b', 'z')) as DeltaEvent);
    expect(after.messages[0]?.blocks[0]).toBe(before.messages[0]?.blocks[0]);
    expect(after.messages[0]?.blocks[1]).toBe(before.messages[0]?.blocks[1]);
    expect([after.calls, after.plan, after.shared]).toEqual([before.calls, before.plan, before.shared]);
    expect(before.messages[0]?.blocks[2]).toMatchObject({ text: 'y' });
  });
});

describe('completed', () => {
  const open = { callId: 'c', name: 'add', state: 'writing', argumentsText: '{"a":1}', arguments: { a: 1 } } as const;

  it('keeps a reading that was right as the same value, and else takes what the call says', () => {
    expect(completed(open, { id: 'c', name: 'add', arguments: { a: 1 } }).arguments).toBe(open.arguments);
    expect(completed(open, { id: 'c', name: 'add', arguments: { a: 2 } }).arguments).toEqual({ a: 2 });
  });

  it('has a text also where no piece came, and leaves a call that already runs running', () => {
    expect(completed({ ...open, argumentsText: '' }, { id: 'c', name: 'add', arguments: {}, rawArguments: ' ' })).toMatchObject({ argumentsText: ' ', arguments: {}, state: 'asked' });
    expect(completed({ ...open, argumentsText: '', state: 'running' }, { id: 'c', name: 'add', arguments: [1] })).toMatchObject({ argumentsText: '[1]', state: 'running' });
  });
});

describe('sameJson', () => {
  it('compares values as JSON', () => {
    expect([sameJson({ a: [1] }, { a: [1] }), sameJson(undefined, {}), sameJson({ a: 1 }, { a: 2 })]).toEqual([true, false, false]);
  });
});
