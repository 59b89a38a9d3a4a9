import { describe, expect, it } from '@jest/globals';
import { cut } from '../../marbles/cut.ts';

const bytes = Uint8Array.of(1, 2, 3);
const plain = (pieces: readonly Uint8Array[]): number[][] => pieces.map((piece) => [...piece]);

describe('cut', () => {
  it.each<[at: number | number[], pieces: number[][]]>([
    [1, [[1], [2, 3]]],
    [0, [[], [1, 2, 3]]],
    [3, [[1, 2, 3], []]],
    [[1, 2], [[1], [2], [3]]],
    [[1, 1], [[1], [], [2, 3]]],
    [[], [[1, 2, 3]]],
  ])('cuts at %j', (at, pieces) => {
    expect(plain(cut(bytes, at))).toEqual(pieces);
  });

  it('makes every single cut, then one byte at a time', () => {
    expect([...cut(bytes)].map(plain)).toEqual([
      [[], [1, 2, 3]],
      [[1], [2, 3]],
      [[1, 2], [3]],
      [[1, 2, 3], []],
      [[1], [2], [3]],
    ]);
    expect([...cut(new Uint8Array(0))].map(plain)).toEqual([[[], []], [[]]]);
  });

  it('gives each piece memory of its own', () => {
    const [first] = cut(bytes, 1);
    first?.fill(9);
    expect([...bytes]).toEqual([1, 2, 3]);
  });

  it.each([[-1], [4], [1.5], [[2, 1]]])('refuses position %j', (at) => {
    expect(() => cut(bytes, at)).toThrow(RangeError);
  });
});
