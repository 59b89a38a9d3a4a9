import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DeltaOf } from '../../lib/index.ts';
import { AgUiBlocks } from '../../lib/projections/ag-ui-blocks.ts';
import { deskOf } from '../support/ag-ui-of.ts';

type Piece = DeltaOf<'text' | 'refusal' | 'reasoning'>;
let { desk, said } = deskOf();
let blocks = new AgUiBlocks('run', {}, desk);
beforeEach(() => {
  ({ desk, said } = deskOf());
  blocks = new AgUiBlocks('run', {}, desk);
  blocks.startAttempt('0.1');
});

const piece = (type: Piece['type'], block: string, text: string, meta?: Piece['meta']): void => blocks.piece({ type, block, text, ...(meta && { meta }) });
const held = (): unknown => desk.messages.snapshot().map(({ id, content }) => [id, content]);

describe('text and reasoning', () => {
  it('open and close a message, with an id of run, kind and block [146]', () => {
    piece('text', 'b', 'hi ');
    piece('text', 'b', 'you');
    blocks.close();
    expect(said()).toEqual(['TEXT_MESSAGE_START run/text/b', 'TEXT_MESSAGE_CONTENT run/text/b hi ', 'TEXT_MESSAGE_CONTENT run/text/b you', 'TEXT_MESSAGE_END run/text/b']);
    blocks.close();
    expect(said()).toEqual([]);
  });

  it('are never open together [146]', () => {
    piece('reasoning', 'r', 'Hm');
    piece('text', 'b', 'hi');
    piece('reasoning', 'r', 'so');
    blocks.close();
    expect(said()).toEqual([
      'REASONING_START run/reasoning/r', 'REASONING_MESSAGE_START run/reasoning/r', 'REASONING_MESSAGE_CONTENT run/reasoning/r Hm', 'REASONING_MESSAGE_END run/reasoning/r', 'REASONING_END run/reasoning/r',
      'TEXT_MESSAGE_START run/text/b', 'TEXT_MESSAGE_CONTENT run/text/b hi', 'TEXT_MESSAGE_END run/text/b',
      'REASONING_START run/reasoning/r', 'REASONING_MESSAGE_START run/reasoning/r', 'REASONING_MESSAGE_CONTENT run/reasoning/r so', 'REASONING_MESSAGE_END run/reasoning/r', 'REASONING_END run/reasoning/r',
    ]);
    expect(held()).toEqual([['run/reasoning/r', 'Hmso'], ['run/text/b', 'hi']]);
  });

  it('of two blocks in turn read as they were heard', () => {
    for (const [block, word] of [['a', '1'], ['b', '2'], ['a', '3'], ['a', '4'], ['b', '5']] as const) piece('text', block, word);
    expect(held()).toEqual([['run/text/a', '1'], ['run/text/b', '2'], ['run/text/a~2', '34'], ['run/text/b~2', '5']]);
  });

  it('of one block and of different kinds are different messages; a refusal says that it is one', () => {
    piece('text', 'b', 'hi');
    piece('refusal', 'b', 'no');
    expect(desk.messages.snapshot()).toMatchObject([{ id: 'run/text/b' }, { id: 'run/refusal/b', role: 'assistant', content: 'no', metadata: { refusal: true } }]);
  });

  it('that are empty open nothing', () => {
    piece('text', 'b', '');
    expect(said()).toEqual([]);
  });

  it('carry what their provider wants back, sealed when they close', () => {
    piece('reasoning', 'r', 'Hm', { a: 1 });
    piece('reasoning', 'r', '', { signature: 's' });
    expect(said().filter((one) => one.startsWith('REASONING_ENCRYPTED'))).toEqual([]);
    blocks.close();
    expect(said().slice(0, 2)).toEqual(['REASONING_MESSAGE_END run/reasoning/r', 'REASONING_ENCRYPTED_VALUE run/reasoning/r {"a":1,"signature":"s"}']);
    piece('text', 'b', '', { signature: 't' });
    blocks.close();
    expect(said()).toEqual(['TEXT_MESSAGE_START run/text/b', 'TEXT_MESSAGE_END run/text/b', 'REASONING_ENCRYPTED_VALUE run/text/b {"signature":"t"}']);
  });

  it('keep a block that nobody can read as reasoning without text', () => {
    blocks.opaque({ type: 'opaque', block: 'o', data: 'sealed', meta: { by: 'a' } });
    expect(desk.messages.snapshot()).toEqual([{ id: 'run/opaque/o', role: 'reasoning', content: '', metadata: { opaque: true }, encryptedValue: '{"data":"sealed","meta":{"by":"a"}}' }]);
  });
});

describe('reasoning that is replaced', () => {
  it('keeps the id of the first message, and the others go', () => {
    piece('reasoning', 'r', 'long', { signature: 's' });
    piece('text', 'b', 'hi');
    piece('reasoning', 'q', 'longer');
    blocks.opaque({ type: 'opaque', block: 'o', data: 1 });
    said();
    blocks.replaceReasoning({ type: 'reasoning-replace', text: 'short' });
    expect(said()).toEqual(['MESSAGES_SNAPSHOT']);
    expect(held()).toEqual([['run/reasoning/r', 'short'], ['run/text/b', 'hi'], ['run/opaque/o', '']]);
    expect(desk.messages.snapshot()[0]).not.toHaveProperty('encryptedValue');
    piece('reasoning', 'r', 'and more');
    expect(held()).toContainEqual(['run/reasoning/r~2', 'and more']);
  });

  it('is closed first, and sealed anew', () => {
    piece('reasoning', 'r', 'long');
    said();
    blocks.replaceReasoning({ type: 'reasoning-replace', text: 'short', meta: { signature: 's' } });
    expect(said()).toEqual(['REASONING_MESSAGE_END run/reasoning/r', 'REASONING_END run/reasoning/r', 'MESSAGES_SNAPSHOT', 'REASONING_ENCRYPTED_VALUE run/reasoning/r {"signature":"s"}']);
  });

  it('is just said where there was none', () => {
    blocks.replaceReasoning({ type: 'reasoning-replace', text: 'short' });
    expect(held()).toEqual([['run/reasoning/0.1-replaced', 'short']]);
  });
});

describe('a call', () => {
  it('belongs to the text before it, or to a message of its own', () => {
    expect(blocks.holder('c1')).toBe('run/calls/c1');
    expect(blocks.holder('c2')).toBe('run/calls/c1');
    piece('text', 'b', 'hi');
    expect(blocks.holder('c3')).toBe('run/text/b');
  });

  it('does not move before the reasoning that led to it', () => {
    piece('text', 'b', 'hi');
    piece('reasoning', 'r', 'Hm');
    expect(blocks.holder('c1')).toBe('run/calls/c1');
    blocks.startAttempt('0.2');
    expect(blocks.holder('c2')).toBe('run/calls/c2');
  });
});

describe('an attempt', () => {
  it('knows its own messages and the ids of any block', () => {
    piece('text', 'b', 'hi');
    expect([...blocks.shown()]).toEqual(['run/text/b']);
    blocks.startAttempt('0.2');
    expect([...blocks.shown()]).toEqual([]);
    expect(blocks.idsOf('b')).toEqual(['run/text/b', 'run/refusal/b', 'run/reasoning/b', 'run/opaque/b']);
  });
});
