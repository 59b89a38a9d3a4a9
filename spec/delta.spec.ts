import { describe, expect, it } from '@jest/globals';
import { isShown } from '../lib/delta.ts';
import type { Delta } from '../lib/delta.ts';
import { ModelError } from '../lib/errors.ts';

const call = { id: 'c', name: 'add', arguments: {} };

describe('isShown', () => {
  it.each<Delta>([
    { type: 'text', block: 'b', text: 'hi' },
    { type: 'refusal', block: 'b', text: 'no' },
    { type: 'reasoning', block: 'b', text: 'hm' },
    { type: 'reasoning-replace', text: 'hm' },
    { type: 'tool-call-start', index: 0, id: 'c', name: 'add' },
    { type: 'tool-call-arguments', index: 0, chunk: '{' },
    { type: 'tool-call-end', index: 0, call },
  ])('is true of $type, which a user sees', (delta) => {
    expect(isShown(delta)).toBe(true);
  });

  it.each<Delta>([
    { type: 'unknown', raw: 1 },
    { type: 'alive' },
    { type: 'usage', usage: {} },
    { type: 'error', error: new ModelError('model-http', 'x') },
    { type: 'finish', reason: 'stop' },
  ])('is false of $type', (delta) => {
    expect(isShown(delta)).toBe(false);
  });

  it('is false of a type to come', () => {
    expect(isShown({ type: 'tomorrow' } as never)).toBe(false);
  });
});
