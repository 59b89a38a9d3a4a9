import { describe, expect, it } from '@jest/globals';
import { BoundedLines } from '../../lib/serve/bounded-lines.ts';

describe('BoundedLines', () => {
  it('takes lines up to a number', () => {
    const lines = new BoundedLines(2);
    expect(['a', 'b', 'c'].map((line) => lines.add(line))).toEqual([true, true, false]);
    expect([lines.count, lines.text()]).toEqual([2, 'a\nb']);
  });

  it('takes lines up to 50,000 characters', () => {
    const lines = new BoundedLines(100);
    expect(lines.add('x'.repeat(49_990))).toBe(true);
    expect(lines.add('y'.repeat(10))).toBe(false);
    expect(lines.add('y'.repeat(9))).toBe(true);
    expect(lines.text().length).toBeLessThanOrEqual(50_000);
  });

  it('ends in the notes that say something', () => {
    const lines = new BoundedLines(2);
    lines.add('a');
    expect(lines.text('', 'there is more', '')).toBe('a\n(there is more)');
    expect(new BoundedLines(1).text('nothing')).toBe('(nothing)');
  });
});
