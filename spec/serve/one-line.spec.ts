import { describe, expect, it } from '@jest/globals';
import { oneLine } from '../../lib/serve/one-line.ts';

describe('oneLine', () => {
  it.each<[string, unknown, number, string]>([
    ['a text', 'a  b\n\nc', 80, 'a b c'],
    ['an object', { a: [1, 'x'] }, 80, '{"a":[1,"x"]}'],
    ['nothing', undefined, 80, ''],
    ['a text that just fits', '12345', 5, '12345'],
    ['a text that does not', '123456', 5, '1234…'],
    ['a sequence in an object', { a: '\u001b[31mx' }, 80, '{"a":"\\u001b[31mx"}'],
    ['a character of two units', '😀😀😀', 2, '😀…'],
  ])('%s', (_name, value, width, text) => {
    expect(oneLine(value, width)).toBe(text);
  });

  it('reads only the beginning of a huge value', () => {
    expect(oneLine('x'.repeat(5_000_000), 10)).toBe('xxxxxxxxx…');
    expect(oneLine(`a${' '.repeat(1_000)}b`, 10)).toBe('a…');
  });
});
