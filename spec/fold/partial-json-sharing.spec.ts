import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { partialJson } from '../../lib/fold/partial-json.ts';
import { HARD, jsonText, slices } from '../support/json-oracle.ts';

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** What is the same in both has to be the same object; what is not, must not be. */
function expectShared(before: unknown, after: unknown): void {
  if (!isNode(before) || !isNode(after)) return;
  const same = JSON.stringify(before) === JSON.stringify(after);
  expect(before === after).toBe(same);
  for (const key of Object.keys(before)) expectShared(before[key], after[key]);
}

describe('the snapshots of partialJson', () => {
  it.each(HARD.filter((text) => !text.includes('"a":1,"a"')))('share what has not changed, at each character of %j', (text) => {
    const json = partialJson();
    let before: unknown;
    for (const mark of text) {
      json.push(mark);
      const after = json.value;
      expectShared(before, after);
      expect(json.value).toBe(after);
      before = after;
    }
  });

  it('share what has not changed and never change, in any text and by any chunks', () => {
    const pieces = jsonText.chain((text) => fc.tuple(slices(text), fc.array(fc.boolean(), { minLength: 13, maxLength: 13 })));
    fc.assert(
      fc.property(pieces, ([chunks, looks]) => {
        const json = partialJson();
        const taken: { value: unknown; text: string | undefined }[] = [];
        chunks.forEach((chunk, index) => {
          json.push(chunk);
          if (looks[index] !== true) return;
          const { value } = json;
          expectShared(taken.at(-1)?.value, value);
          taken.push({ value, text: JSON.stringify(value) });
        });
        json.end();
        expectShared(taken.at(-1)?.value, json.value);
        for (const { value, text } of taken) expect(JSON.stringify(value)).toBe(text);
      }),
      { seed: 6, numRuns: 400 },
    );
  });

  it('keep a finished part for good', () => {
    const json = partialJson();
    json.push('{"done":{"deep":[1,{"x":"y"}]},"open":[{"a":"');
    const first = json.value as { done: unknown; open: Node[] };
    json.push('text');
    const second = json.value as { done: unknown; open: Node[] };
    expect(second).not.toBe(first);
    expect(second.open).not.toBe(first.open);
    expect(second.open[0]).not.toBe(first.open[0]);
    expect(second.done).toBe(first.done);
    json.push('"},{');
    const third = json.value as { done: unknown; open: Node[] };
    expect(third.open[0]).toBe(second.open[0]);
    expect([first.open, second.open, third.open]).toEqual([[{ a: '' }], [{ a: 'text' }], [{ a: 'text' }, {}]]);
  });

  it('stay the same when a piece adds nothing that can be read', () => {
    const json = partialJson();
    json.push('{"a":["x"');
    const before = json.value;
    for (const piece of [' ', ',', ' 1', '2', 'e', '5']) {
      json.push(piece);
      expect(json.value).toBe(before);
    }
    json.push(']');
    expect(json.value).toEqual({ a: ['x', 12e5] });
    const after = json.value;
    for (const piece of [' ', ',', '"ke', 'y"', ' : ', '-', '1', '.']) {
      json.push(piece);
      expect(json.value).toBe(after);
    }
  });

  it('are copied once a reading, not once a change', () => {
    const json = partialJson();
    json.push('{"a":[');
    const open = json.value as { a: unknown[] };
    const { slice } = Array.prototype;
    let copies = 0;
    Array.prototype.slice = function (this: unknown[], ...range) {
      copies++;
      return slice.apply(this, range);
    };
    try {
      for (let piece = 0; piece < 100; piece++) json.push(`${piece},`);
    } finally {
      Array.prototype.slice = slice;
    }
    const seen = json.value as { a: unknown[] };
    expect([copies, open.a.length, seen.a.length]).toEqual([1, 0, 100]);
    json.push(' 100]}');
    expect([seen.a.length, (json.value as { a: unknown[] }).a.length]).toEqual([100, 101]);
  });
});

describe('the cost of partialJson', () => {
  /** Runs `act` and counts the characters that are looked at or copied, and the longest string that is looked into. */
  function count(act: () => void): { looked: number; copied: number; longest: number } {
    const seen = { looked: 0, copied: 0, longest: 0 };
    const { charCodeAt, charAt, slice } = String.prototype;
    const watch = <Rest extends unknown[], Result>(method: (this: string, ...rest: Rest) => Result, counts: 'looked' | 'copied') =>
      function (this: string, ...rest: Rest): Result {
        const result = method.apply(this, rest);
        seen[counts] += counts === 'looked' ? 1 : String(result).length;
        if (this.length > seen.longest) seen.longest = this.length;
        return result;
      };
    Object.assign(String.prototype, { charCodeAt: watch(charCodeAt, 'looked'), charAt: watch(charAt, 'looked'), slice: watch(slice, 'copied') });
    try {
      act();
    } finally {
      Object.assign(String.prototype, { charCodeAt, charAt, slice });
    }
    return seen;
  }

  const PIECE = 20;
  const texts: readonly [string, (length: number) => string][] = [
    ['one long string', (length) => JSON.stringify({ a: 'x'.repeat(length) })],
    ['a string of escapes', (length) => JSON.stringify({ a: '\n\u0001"'.repeat(length / 10) })],
    ['a string of surrogate pairs', (length) => JSON.stringify({ a: '\u{1f600}'.repeat(length / 2) })],
    ['a long key', (length) => JSON.stringify({ ['x'.repeat(length)]: 1 })],
    ['a long number', (length) => `[${'1'.repeat(length)}]`],
    ['a wide array', (length) => JSON.stringify(Array.from({ length: length / 5 }, () => 1234))],
    ['white space', (length) => `[${' '.repeat(length)}]`],
  ];

  it.each(texts)('is a bounded number of looks a character for %s, none of them into what was read before', (_, make) => {
    const text = make(200_000);
    const pieces = Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) => text.slice(index * PIECE, (index + 1) * PIECE));
    const json = partialJson();
    const seen = count(() => pieces.forEach((piece) => json.push(piece)));
    expect(json.done).toBe(true);
    expect(seen.looked).toBeLessThan(4 * text.length);
    expect(seen.copied).toBeLessThan(4 * text.length);
    // A piece and the half pair before it.
    expect(seen.longest).toBeLessThanOrEqual(PIECE + 1);
    expect(JSON.stringify(json.value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('does not grow with what was read before when it is looked at after each piece', () => {
    const json = partialJson();
    json.push('{"a":"');
    const seen = count(() => {
      for (let piece = 0; piece < 10_000; piece++) {
        json.push('x'.repeat(PIECE));
        if (typeof json.value !== 'object') throw new Error('not read');
      }
    });
    expect(seen.looked).toBeLessThan(4 * PIECE * 10_000);
    expect(seen.longest).toBe(PIECE);
    expect((json.value as { a: string }).a).toHaveLength(PIECE * 10_000);
  });
});
