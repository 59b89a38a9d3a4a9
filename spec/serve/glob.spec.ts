import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { glob } from '../../lib/serve/glob.ts';

describe('glob', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['*.ts', ['a.ts', 'src/a.ts', '.ts', 'a/b/c.d.ts'], ['a.tsx', 'a.ts/b', 'ats']],
    ['a?.md', ['ab.md', 'x/a1.md'], ['a.md', 'abc.md', 'a/.md']],
    ['src/*.ts', ['src/a.ts'], ['a.ts', 'src/x/a.ts', 'x/src/a.ts']],
    ['./src//*.ts', ['src/a.ts'], ['a.ts']],
    ['/a.ts', ['a.ts'], ['src/a.ts']],
    ['src/**', ['src/a', 'src/a/b/c'], ['a/src/b']],
    ['**/*.ts', ['a.ts', 'src/a.ts', 'a/b/c.ts'], ['a.js']],
    ['src/**/a/*.ts', ['src/a/b.ts', 'src/x/y/a/b.ts'], ['src/b.ts', 'src/a/x/b.ts']],
    ['**/a/**/b', ['a/b', 'x/a/y/z/b'], ['b', 'a/x']],
    ['**', ['a', 'a/b'], []],
    ['a*b*c', ['abc', 'aXbYc', 'abbcc', 'x/abc'], ['ab', 'acb']],
    ['a**b', ['ab', 'axxb'], ['a/b']],
    ['*.{js,ts}', ['a.js', 'b/c.ts'], ['a.jsx', 'a.{js,ts}']],
    ['{src,lib}/{a,b}.ts', ['src/a.ts', 'lib/b.ts'], ['src/c.ts', 'bin/a.ts']],
    ['{a,b/*.ts}', ['a', 'x/a', 'b/c.ts'], ['b', 'x/b/c.ts']],
    ['{a,}.ts', ['a.ts', '.ts'], ['b.ts']],
    ['[id].tsx', ['[id].tsx', 'app/[id].tsx'], ['i.tsx']],
    ['a.b+c(d)^$|', ['a.b+c(d)^$|'], ['aXb+c(d)^$|']],
    ['ü?', ['ü\u{1f30d}'], ['ü']],
  ])('%s', (pattern, hits, misses) => {
    const matches = glob(pattern);
    expect(hits.filter((path) => !matches(path))).toEqual([]);
    expect(misses.filter((path) => matches(path))).toEqual([]);
  });

  it.each([
    ['', 'must have 1 to 500 characters'],
    ['x'.repeat(501), 'must have 1 to 500 characters'],
    ['{a', 'has braces that do not match, or nest'],
    ['a}', 'has braces that do not match, or nest'],
    ['}a{', 'has braces that do not match, or nest'],
    ['{a,{b,c}}', 'has braces that do not match, or nest'],
    ['{a,b,c}'.repeat(4), 'stands for more than 64 patterns'],
    ['{a,b}'.repeat(60), 'stands for more than 64 patterns'],
  ])('refuses %j', (pattern, reason) => {
    expect(() => glob(pattern)).toThrow(reason);
    expect(() => glob(pattern)).toThrow(expect.objectContaining({ kind: 'invalid-input' }));
  });

  it('matches as the same pattern does as a regular expression', () => {
    const part = fc.constantFrom('a', 'b', '*', '?', '**', '.', '/', '+');
    const path = fc.array(fc.constantFrom('a', 'b', '.', '+', '/a', '/b'), { minLength: 1, maxLength: 8 }).map((all) => `a${all.join('')}`);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }).map((all) => all.join('')), path, (pattern, one) => {
        expect(glob(pattern)(one)).toBe(expressionOf(pattern).test(one));
      }),
      { numRuns: 3_000 },
    );
  });

  it('takes no longer for a pattern that makes a regular expression go back and forth', () => {
    // Each of these would keep an expression busy for longer than the universe has been there.
    expect(glob('*a'.repeat(200))('a'.repeat(4_000) + 'b')).toBe(false);
    expect(glob('**/a/'.repeat(80) + 'b')('a/'.repeat(1_500) + 'c')).toBe(false);
  });
});

/** Names are parted by one slash, and no name is empty, here as in the paths of a walk. */
function expressionOf(pattern: string): RegExp {
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.');
  const whole = pattern.includes('/') ? names : ['**', ...names];
  const text = whole.map((name) => (name === '**' ? '(?:[^/]+/)*' : `${nameOf(name)}/`)).join('');
  return { test: (path: string) => new RegExp(`^${text}$`).test(`${path}/`) } as RegExp;
}

function nameOf(name: string): string {
  return name.replace(/[.+]/g, '\\$&').replace(/\*+/g, '[^/]*').replaceAll('?', '[^/]');
}
