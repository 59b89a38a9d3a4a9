import { describe, expect, it } from '@jest/globals';
import { demoWords } from '../../lib/serve/demo-words.ts';

describe('demoWords', () => {
  it('gives a word at a time, with the white space behind it', () => {
    expect(demoWords('It is 3.\n\n- One  two\n')).toEqual(['It ', 'is ', '3.\n\n', '- ', 'One  ', 'two\n']);
  });

  it.each(['', ' ', 'a', '  a b', '\n```ts\n  x\n```\n'])('loses nothing of %j', (text) => {
    expect(demoWords(text).join('')).toBe(text);
  });
});
