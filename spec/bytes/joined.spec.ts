import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { joined, utf8 } from '../../lib/bytes/joined.ts';

describe('joined', () => {
  it('is the pieces one after another', () => {
    expect(joined([new Uint8Array([1, 2]), new Uint8Array(0), new Uint8Array([3])])).toEqual(new Uint8Array([1, 2, 3]));
    expect(joined([])).toEqual(new Uint8Array(0));
  });

  it('gives back the text of its pieces, whatever their characters', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        expect(new TextDecoder().decode(joined(texts.map(utf8)))).toBe(texts.join(''));
      }),
    );
  });
});
