import { describe, expect, it } from '@jest/globals';
import { draw } from '../../marbles/index.ts';
import type { Mark } from '../../marbles/index.ts';

/** Marks from pairs of a frame and the letters that stand there. */
const marks = (...groups: (readonly [number, string])[]): Mark[] =>
  groups.flatMap(([frame, letters]) => [...letters].map((letter) => ({ frame, letter })));

describe('draw', () => {
  it('draws two lines over one legend', () => {
    const expected = marks([1, 't'], [3, 'c'], [5, 'y'], [7, '1'], [9, 'T'], [11, 'ZL|']);
    const actual = marks([1, 't'], [3, 'c'], [5, 'y'], [7, '1'], [9, 'T'], [11, 'LZ|']);

    const legend = [['t', '0 text "hi"'], ['c', '0 call add']] as const;

    expect(`\n${draw(expected, actual, { legend })}\n`).toBe(`
    expected  -t-c-y-1-T-(ZL|)
    actual    -t-c-y-1-T-(LZ|)
      t = 0 text "hi"
      c = 0 call add
`);
  });

  it('puts equal frames into one column', () => {
    expect(lines(marks([1, 'ab'], [9, 'c']), marks([1, 'a'], [6, 'b'], [9, 'c']))).toEqual(['-(ab)----c', '-a----b--c']);
  });

  it('writes a mark that falls into the width of a group with its frame', () => {
    expect(lines(marks([1, 'abc'], [3, 'd'], [9, '|']), marks([1, 'abc'], [9, '|']))).toEqual(['-(abc)@3d---|', '-(abc)---   |']);
  });

  it('goes on in one column after such a mark', () => {
    expect(lines(marks([0, 'ab'], [2, 'c'], [6, 'd']), marks([0, 'ab'], [6, 'd']))).toEqual(['(ab)@2c--d', '(ab)--   d']);
  });

  it('counts short gaps in dashes', () => {
    expect(lines(marks([6, 'a']), marks([6, 'a']), true)).toEqual(['------a', '------a']);
  });

  it('writes long gaps as times when the diagram does', () => {
    expect(lines(marks([1, 'a'], [500, 'b'], [502, '|']), marks([1, 'a'], [500, 'b'], [501, '|']), true)).toEqual([
      '-a 498ms b-|',
      '-a 498ms b|',
    ]);
  });

  it('keeps the columns when a group makes one of the times shorter', () => {
    expect(lines(marks([1, 'ab'], [500, 'c']), marks([1, 'a'], [500, 'c']), true)).toEqual(['-(ab) 495ms c', '-a 498ms    c']);
  });

  it('writes a gap that nobody can count as a time in any diagram', () => {
    expect(lines(marks([80, 'a'], [200, 'b']), marks([80, 'a']))).toEqual([`${'-'.repeat(80)}a 119ms b`, `${'-'.repeat(80)}a`]);
  });

  it('begins with a time where the line does', () => {
    expect(lines(marks([100, 'a']), [])).toEqual(['100ms a', '-']);
  });

  it('draws nothing as a dash', () => {
    expect(draw([], [])).toBe('    expected  -\n    actual    -');
  });

  it('counts a letter of two code units as one', () => {
    expect(lines(marks([1, '😀b'], [6, 'c']), marks([1, '😀'], [6, 'c']))).toEqual(['-(😀b)-c', '-😀----c']);
  });
});

function lines(expected: readonly Mark[], actual: readonly Mark[], progress = false): readonly string[] {
  const [above = '', below = ''] = draw(expected, actual, { progress }).split('\n');
  return [above.replace('    expected  ', ''), below.replace('    actual    ', '')];
}
