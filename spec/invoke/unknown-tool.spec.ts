import { describe, expect, it } from '@jest/globals';
import { unknownToolText } from '../../lib/invoke/unknown-tool.ts';

describe('unknownToolText', () => {
  it('says what there is, and what may be meant', () => {
    expect(unknownToolText('ad', ['add', 'mul'])).toBe('There is no tool "ad". Did you mean "add"? Available: add, mul.');
    expect(unknownToolText('zzzzzz', ['add'])).toBe('There is no tool "zzzzzz". Available: add.');
    expect(unknownToolText('add', [])).toBe('There is no tool "add": no tools are available.');
  });
});
