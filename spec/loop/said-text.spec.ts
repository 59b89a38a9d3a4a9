import { describe, expect, it } from '@jest/globals';
import { saidText } from '../../lib/loop/said-text.ts';
import type { AssistantPart } from '../../lib/message.ts';

const PARTS: AssistantPart[] = [
  { type: 'reasoning', text: 'Two and ' },
  { type: 'text', text: 'It is ' },
  { type: 'tool-call', call: { id: 'c1', name: 'add', arguments: { a: 2, b: 3 } } },
  { type: 'reasoning', text: 'three.' },
  { type: 'refusal', text: 'No.' },
  { type: 'text', text: '5.' },
];

describe('saidText', () => {
  it('joins the text around calls and reasoning, in order', () => {
    expect(saidText(PARTS)).toBe('It is 5.');
  });

  it('joins the parts of another kind', () => {
    expect(saidText(PARTS, 'reasoning')).toBe('Two and three.');
    expect(saidText(PARTS, 'refusal')).toBe('No.');
  });

  it('is empty where nothing of the kind was said', () => {
    expect(saidText([])).toBe('');
    expect(saidText([{ type: 'reasoning', text: 'Hm.' }])).toBe('');
  });
});
