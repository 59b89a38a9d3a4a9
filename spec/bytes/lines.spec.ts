import { describe, expect, it } from '@jest/globals';
import { lines } from '../../lib/bytes/lines.ts';
import { cut } from '../../marbles/cut.ts';

interface Split {
  readonly said: string[];
  readonly rest: string;
  readonly lengths: number[];
}

function split(pieces: readonly Uint8Array[], stopAfter = Infinity): Split {
  const [said, lengths]: [string[], number[]] = [[], []];
  const reader = lines(
    (bytes, from, to) => void said.push(Buffer.from(bytes.subarray(from, to)).toString()),
    () => said.length >= stopAfter,
    (length) => void lengths.push(length),
  );
  for (const piece of pieces) reader.push(piece);
  return { said, rest: Buffer.from(reader.rest()).toString(), lengths };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('lines', () => {
  it.each([
    ['line feeds', 'a\nb\n', ['a', 'b'], ''],
    ['carriage returns', 'a\rb\r', ['a', 'b'], ''],
    ['both', 'a\r\nb\r\n', ['a', 'b'], ''],
    ['blank lines of all kinds', '\n\r\n\r\n\n', ['', '', '', ''], ''],
    ['a rest', 'a\nbc', ['a'], 'bc'],
    ['a mark at the start', '\uFEFFa\n\uFEFFb\n', ['a', '\uFEFFb'], ''],
    ['a mark and nothing else', '\uFEFF', [], ''],
    ['no mark', '\u00EF\n', ['\u00EF'], ''],
    ['characters of every length', 'aé€𝄞\naé€𝄞', ['aé€𝄞'], 'aé€𝄞'],
    ['nothing', '', [], ''],
  ])('splits at %s, wherever it is cut', (_name, text, said, rest) => {
    const whole = bytes(text);
    for (let at = 0; at <= whole.length; at += 1) expect(split(cut(whole, at))).toMatchObject({ said, rest });
    const single = Array.from({ length: Math.max(0, whole.length - 1) }, (_, at) => at + 1);
    expect(split([new Uint8Array(0), ...cut(whole, single)])).toMatchObject({ said, rest });
  });

  it('reads nothing after the line that ended it', () => {
    expect(split([bytes('a\nb\nc\n')], 2)).toMatchObject({ said: ['a', 'b'], rest: '' });
  });

  it('tells how long an open line has become, and nothing of one that came whole', () => {
    expect(split([bytes('abc\nde'), bytes('f'), bytes('g\nh\n')]).lengths).toEqual([2, 3, 4]);
  });

  it('gives the rest away', () => {
    const reader = lines(() => undefined, () => false, () => undefined);
    reader.push(bytes('abc'));
    expect(Buffer.from(reader.rest()).toString()).toBe('abc');
    expect(reader.rest()).toHaveLength(0);
  });
});
