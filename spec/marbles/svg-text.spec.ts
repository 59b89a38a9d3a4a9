import { describe, expect, it } from '@jest/globals';
import { svgText } from '../../marbles/svg-text.ts';

describe('svgText', () => {
  it('escapes what is markup, in contents and in attributes', () => {
    expect(svgText(`</title><script>"&'`)).toBe('&#60;/title&#62;&#60;script&#62;&#34;&#38;&#39;');
  });

  it('leaves out what XML forbids, halves of pairs, and marks that turn the order', () => {
    expect(svgText('a\u0000\u001b[31m\ud800b\u202ec\uffffd😀')).toBe('a[31mbcd😀');
  });

  it('is one line, cut where it is too long and never inside a character', () => {
    expect(svgText('a\n\tb')).toBe('a b');
    expect(svgText('😀'.repeat(9), 4)).toBe('😀😀😀…');
    expect(svgText('x'.repeat(1_000_000), 10)).toBe('xxxxxxxxx…');
  });
});
