import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { posix, win32 } from 'node:path';
import { rootPath } from '../../lib/serve/root-path.ts';

describe('rootPath', () => {
  it.each([
    ['', ''],
    ['.', ''],
    ['./', ''],
    ['a', 'a'],
    ['a/b', 'a/b'],
    ['./a//b/./c/', 'a/b/c'],
    ['.git/config', '.git/config'],
    ['...', '...'],
    ['a..b/..c/d..', 'a..b/..c/d..'],
    ['~/x', '~/x'],
    ['%2e%2e/x', '%2e%2e/x'],
    [' a ', ' a '],
    ['ab:c', 'ab:c'],
  ])('reads %j as %j', (path, names) => {
    expect(rootPath(path)).toBe(names);
  });

  it.each([
    ['/etc/passwd', 'permission-denied', 'is absolute'],
    ['//host/share', 'permission-denied', 'is absolute'],
    ['C:/x', 'permission-denied', 'is absolute'],
    ['c:x', 'permission-denied', 'is absolute'],
    ['..', 'permission-denied', 'leads upwards'],
    ['../x', 'permission-denied', 'leads upwards'],
    ['a/../../x', 'permission-denied', 'leads upwards'],
    ['a/..', 'permission-denied', 'leads upwards'],
    ['./..//x', 'permission-denied', 'leads upwards'],
    ['..\\x', 'invalid-input', 'holds a backslash'],
    ['a\\b', 'invalid-input', 'Write / between names'],
    ['\\\\host\\share', 'invalid-input', 'holds a backslash'],
    ['a\0.txt', 'invalid-input', 'holds a NUL'],
    ['x'.repeat(4_097), 'invalid-input', '4097 characters; at most 4096'],
  ])('refuses %j', (path, kind, reason) => {
    expect(() => rootPath(path)).toThrow(expect.objectContaining({ code: 'tool', kind }));
    expect(() => rootPath(path)).toThrow(reason);
  });

  const piece = fc.oneof(fc.constantFrom('..', '.', '/', '\\', '\0', 'C:', '~', 'a', '...', '//', ' '), fc.string({ unit: 'binary', maxLength: 3 }));

  it('gives nothing that leads out, on any system', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')), (path) => {
        let names: string;
        try {
          names = rootPath(path);
        } catch (error) {
          expect(error).toMatchObject({ code: 'tool' });
          return;
        }
        expect(names.split('/')).not.toContain('..');
        expect(posix.join('/root', names)).toBe(names === '' ? '/root' : `/root/${names}`);
        expect(win32.resolve('C:\\root', names).toLowerCase()).toMatch(/^c:\\root($|\\)/);
      }),
      { numRuns: 2_000 },
    );
  });
});
