import { describe, expect, it } from '@jest/globals';
import { shownPath } from '../../lib/serve/shown-path.ts';

describe('shownPath', () => {
  it('leaves a name as it is', () => {
    expect(['src/a b.ts', 'ü "x"', '[id].tsx'].map(shownPath)).toEqual(['src/a b.ts', 'ü "x"', '[id].tsx']);
  });

  it('keeps one that holds a line break on one line', () => {
    expect(shownPath('a\nb')).toBe('"a\\nb"');
    expect(shownPath('a\u001bb')).toBe('"a\\u001bb"');
  });
});
