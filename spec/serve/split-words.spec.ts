import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitWords } from '../../lib/serve/split-words.ts';

describe('splitWords', () => {
  it.each<[line: string, words: readonly string[]]>([
    ['node server.mjs', ['node', 'server.mjs']],
    ['  a\t b\n', ['a', 'b']],
    ['', []],
    ["a 'b c' d", ['a', 'b c', 'd']],
    ['a "b c" d', ['a', 'b c', 'd']],
    ['--x="b c"\'d e\'f', ['--x=b cd ef']],
    ["'' \"\"", ['', '']],
    ['a\\ b \\"c\\\\', ['a b', '"c\\']],
    ['"a \\" \\\\ \\n"', ['a " \\ \\n']],
    ["'a \\ b'", ['a \\ b']],
    ['a\\', ['a\\']],
    ['$HOME *.ts | cat ; `x`', ['$HOME', '*.ts', '|', 'cat', ';', '`x`']],
  ])('reads %j', (line, words) => {
    expect(splitWords(line)).toEqual(words);
  });

  it.each([['a "b', '"'], ["a 'b\"", "'"]])('refuses %j, and names the quote', (line, quote) => {
    expect(() => splitWords(line)).toThrow(`has a ${quote} without its end`);
  });

  it('gives back every word that was quoted', () => {
    const quoted = (word: string): string => `'${word.replaceAll("'", `'"'"'`)}'`;
    fc.assert(fc.property(fc.array(fc.string()), (words) => expect(splitWords(words.map(quoted).join(' '))).toEqual(words)));
  });
});
