import { describe, expect, it } from '@jest/globals';
import { userMessage } from '../../lib/index.ts';
import { firstWords } from '../../lib/serve/first-words.ts';

describe('firstWords', () => {
  it('is the first prompt on one line', () => {
    expect(firstWords([userMessage(' What is\n2 + 3? '), { role: 'assistant', content: [] }, userMessage('And 4?')])).toBe('What is 2 + 3?');
  });

  it('is cut', () => {
    expect(firstWords([userMessage('word '.repeat(50))])).toHaveLength(60);
    expect(firstWords([userMessage('word '.repeat(50))])).toMatch(/^word word.*…$/);
  });

  it('is none where nobody has asked in words', () => {
    expect(firstWords([])).toBeUndefined();
    expect(firstWords([{ role: 'user', content: [{ type: 'image', mediaType: 'image/png', data: '' }] }])).toBe('');
  });
});
