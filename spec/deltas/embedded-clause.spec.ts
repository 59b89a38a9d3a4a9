import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readClause } from '../../lib/deltas/embedded-clause.ts';

const kinds = (text: string) => readClause(text).tokens.map((token) => `${token.kind} ${token.text}`);

describe('readClause', () => {
  it.each([
    ['add 2 and 3.5', ['word add', 'number 2', 'word and', 'number 3.5']],
    ['-5, 3 -2, 10-4', ['number -5', 'number 3', 'number -2', 'number 10', 'number 4']],
    ['1,000 and 1,2', ['number 1,000', 'word and', 'number 1', 'number 2']],
    ['say "hello, you" or “good day” or `x y`', ['word say', 'quoted hello, you', 'word or', 'quoted good day', 'word or', 'quoted x y']],
    ['the 3rd of abc123', ['word the', 'word 3rd', 'word of', 'word abc123']],
    ['2024-05-01 10:30 1.2.3', ['word 2024-05-01', 'word 10:30', 'word 1.2.3']],
    ['Port-au-Prince São_Paulo', ['word Port', 'word au', 'word Prince', 'word São', 'word Paulo']],
    ['"open', ['word open']],
    ['""', ['quoted ']],
    ['', []],
    ['!?😀 .*+', []],
  ])('reads %j', (text, tokens) => expect(kinds(text)).toEqual(tokens));

  it('compares words in lower case and in the singular, and never a quotation', () => {
    expect(readClause('Numbers class yes "Yes"').tokens.map(({ key }) => key)).toEqual(['number', 'class', 'yes', '']);
  });

  it('marks words that say nothing by themselves', () => {
    expect(readClause('What is the weather').tokens.map(({ isStop }) => isStop)).toEqual([true, true, true, false]);
  });

  it('says where each token stands, without its quotation marks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        for (const token of readClause(text).tokens) expect(text.slice(token.start, token.end)).toBe(token.text);
      }),
    );
    expect(readClause('a "b c"').tokens.at(-1)).toMatchObject({ text: 'b c', start: 3, end: 6 });
  });
});
