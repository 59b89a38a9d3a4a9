import { describe, expect, it } from '@jest/globals';
import { ModelError } from '../../lib/index.ts';
import { demoSpeech } from '../../lib/serve/demo-speech.ts';
import type { DemoTurn } from '../../lib/serve/demo-speech.ts';
import { modelRequest } from '../support/model-request.ts';

const said = (turn: DemoTurn) => [...demoSpeech(turn, modelRequest())];

describe('demoSpeech', () => {
  it('says reasoning and text a word each, then what it used, then its ending', () => {
    expect(said({ text: 'It is  3.\n', reasoning: 'Two and one.' })).toEqual([
      { type: 'reasoning', block: 'block-made', text: 'Two ' },
      { type: 'reasoning', block: 'block-made', text: 'and ' },
      { type: 'reasoning', block: 'block-made', text: 'one.' },
      { type: 'text', block: 'block-made', text: 'It ' },
      { type: 'text', block: 'block-made', text: 'is  ' },
      { type: 'text', block: 'block-made', text: '3.\n' },
      { type: 'usage', usage: { inputTokens: 15, outputTokens: 6, reasoningTokens: 3, totalTokens: 21 } },
      { type: 'finish', reason: 'stop', model: 'demo' },
    ]);
  });

  it('writes the arguments of its calls piece by piece, broken ones as they are', () => {
    const deltas = said({ calls: [{ name: 'add', arguments: { a: 'one two' } }, { name: 'add', arguments: '{"a": 1' }] });
    expect(deltas.slice(0, 8)).toEqual([
      { type: 'tool-call-start', index: 0, id: 'call-made', name: 'add' },
      { type: 'tool-call-arguments', index: 0, chunk: '{"a":"one ' },
      { type: 'tool-call-arguments', index: 0, chunk: 'two"}' },
      { type: 'tool-call-end', index: 0, call: { id: 'call-made', name: 'add', arguments: { a: 'one two' }, rawArguments: '{"a":"one two"}' } },
      { type: 'tool-call-start', index: 1, id: 'call-made', name: 'add' },
      { type: 'tool-call-arguments', index: 1, chunk: '{"a": ' },
      { type: 'tool-call-arguments', index: 1, chunk: '1' },
      { type: 'tool-call-end', index: 1, call: { id: 'call-made', name: 'add', arguments: '{"a": 1', rawArguments: '{"a": 1' } },
    ]);
    expect(deltas.at(-1)).toEqual({ type: 'finish', reason: 'tool-use', model: 'demo' });
  });

  it('refuses, and breaks off without an ending', () => {
    expect(said({ refusal: 'No.' })).toMatchObject([{ type: 'refusal', text: 'No.' }, { type: 'usage' }, { type: 'finish', reason: 'refusal' }]);
    const error = new ModelError('model-stream', 'cut');
    expect(said({ text: 'It', error })).toEqual([{ type: 'text', block: 'block-made', text: 'It' }, { type: 'error', error }]);
    expect(said({})).toMatchObject([{ type: 'usage' }, { type: 'finish', reason: 'stop' }]);
  });
});
