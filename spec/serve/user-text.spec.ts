import { describe, expect, it } from '@jest/globals';
import { userMessage } from '../../lib/index.ts';
import { userText } from '../../lib/serve/user-text.ts';

describe('userText', () => {
  it('joins what was said in words, and passes over the rest', () => {
    expect(userText(userMessage('Add 2 and 3.'))).toBe('Add 2 and 3.');
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
    expect(userText({ role: 'user', content: [{ type: 'text', text: 'Look' }, image, { type: 'text', text: 'here.' }] })).toBe('Look  here.');
    expect(userText({ role: 'user', content: [image] })).toBe('');
  });
});
