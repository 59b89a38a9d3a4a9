import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { printable } from '../../lib/serve/printable.ts';

describe('printable', () => {
  it.each([
    ['keeps words, breaks and tabs', 'a\n\tb é 漢 😀', 'a\n\tb é 漢 😀'],
    ['drops colours', '\u001b[31mred\u001b[0m', 'red'],
    ['drops a clear of the screen', 'a\u001b[2J\u001b[Hb', 'ab'],
    ['drops a title', '\u001b]0;owned\u0007x', 'x'],
    ['keeps words between a sequence and a bell', '\u001b[2Jhi\u0007', 'hi'],
    ['drops a link, and keeps its words', '\u001b]8;;http://x\u001b\\words\u001b]8;;\u001b\\', 'words'],
    ['drops a one-byte sequence start', 'a\u009b31mb', 'ab'],
    ['drops a carriage return, which overwrites a line', 'safe\rfake', 'safefake'],
    ['makes line ends plain', 'a\r\nb', 'a\nb'],
    ['drops bells, backspaces and deletes', 'a\u0007\u0008\u007fb', 'ab'],
    ['drops marks that reverse the reading order', 'a\u202eb\u2066c', 'abc'],
  ])('%s', (_name, given, text) => {
    expect(printable(given)).toBe(text);
  });

  it('leaves nothing that a terminal obeys, also of a sequence that comes in pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('\u001b', '\u001b[', '31m', '\u009b', '\r'))), (pieces) => {
        expect(pieces.map(printable).join('')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });
});
