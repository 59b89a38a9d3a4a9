import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { readFile } from '../../lib/serve/read-file.ts';
import { callTool, SECRET, temporaryRoot } from './temporary-root.ts';
import type { Content, TemporaryRoot } from './temporary-root.ts';

let root: TemporaryRoot;
beforeEach(async () => {
  root = await temporaryRoot();
});
afterEach(() => root.remove());

const read = (args: object): Promise<string> => callTool(readFile(root.inside), args as never);
const readOf = (content: Content, args: object = {}): Promise<string> => {
  root.put({ file: content });
  return read({ path: 'file', ...args });
};

const numbered = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join('\n');

describe('read_file', () => {
  it.each([
    ['a line', 'a\n', 'a'],
    ['a line without an end', 'a', 'a'],
    ['empty lines', '\n\n', '\n'],
    ['lines with CR', 'a\r\nb\r\n', 'a\r\nb\r'],
    ['a mark at the start', '\ufeffa\n', 'a'],
    ['characters of any length', 'ü€\u{1f30d}\n', 'ü€\u{1f30d}'],
    ['nothing', '', '(the file is empty)'],
  ])('reads %s', async (_what, content, text) => {
    expect(await readOf(content)).toBe(text);
  });

  it.each<[object, string]>([
    [{ startLine: 1 }, numbered(10)],
    [{ startLine: 9 }, 'line 9\nline 10'],
    [{ startLine: 10 }, 'line 10'],
    [{ lines: 2 }, 'line 1\nline 2\n(there is more: go on with startLine 3)'],
    [{ startLine: 4, lines: 1 }, 'line 4\n(there is more: go on with startLine 5)'],
    [{ startLine: 9, lines: 2 }, 'line 9\nline 10'],
    [{ startLine: 9, lines: 2_000 }, 'line 9\nline 10'],
  ])('reads the lines %j', async (args, text) => {
    expect(await readOf(`${numbered(10)}\n`, args)).toBe(text);
  });

  it.each([
    ['a\n', 2, '"file" ends with line 1; startLine is 2.'],
    ['a\nb', 3, '"file" ends with line 2; startLine is 3.'],
    ['a\n\n', 9, '"file" ends with line 2; startLine is 9.'],
  ])('refuses a line past the end of %j', async (content, startLine, message) => {
    await expect(readOf(content, { startLine })).rejects.toMatchObject({ kind: 'invalid-input', message });
  });

  it.each([{ startLine: 0 }, { startLine: 1.5 }, { lines: 0 }, { lines: 2_001 }, { path: 7 }])('takes no %j', async (args) => {
    await expect(readOf('a', args)).rejects.toThrow(TypeError);
  });

  it.each<[string, Content, string]>([
    ['a binary file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), '"file" is no text in UTF-8: it holds NUL bytes.'],
    ['UTF-16', Buffer.from('\ufeffabc', 'utf16le'), 'is no text in UTF-8'],
    ['a binary file that begins like text', Buffer.concat([Buffer.alloc(90_000, 'a'), Buffer.alloc(1)]), 'is no text in UTF-8'],
  ])('refuses %s', async (_what, content, message) => {
    await expect(readOf(content)).rejects.toMatchObject({ kind: 'invalid-input', message: expect.stringContaining(message) });
  });

  it('shows what is no UTF-8 as such, and says so', async () => {
    expect(await readOf(Buffer.from('caf\xe9\n', 'latin1'))).toBe('caf\ufffd\n(what is no UTF-8 is shown as \ufffd)');
  });

  it.each([
    ['../outside/secret.txt', 'permission-denied'],
    ['/etc/passwd', 'permission-denied'],
    ['out/secret.txt', 'permission-denied'],
    ['none', 'not-found'],
    ['.', 'invalid-input'],
  ])('refuses %s', async (path, kind) => {
    root.put({ out: { link: '../outside' } });
    await expect(read({ path })).rejects.toMatchObject({ code: 'tool', kind });
    await expect(read({ path })).rejects.not.toMatchObject({ message: expect.stringContaining(SECRET) });
  });

  it('stops when its signal fires', async () => {
    root.put({ file: 'a' });
    await expect(callTool(readFile(root.inside), { path: 'file' }, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  });
});

describe('read_file of a large file', () => {
  it('reads 2,000 lines at once', async () => {
    const text = await readOf(numbered(2_001));
    expect(text).toBe(`${numbered(2_000)}\n(there is more: go on with startLine 2001)`);
    expect(await read({ path: 'file', startLine: 2_001 })).toBe('line 2001');
  });

  it('reads 100,000 bytes at once', async () => {
    const line = `${'x'.repeat(99)}\n`;
    expect(await readOf(line.repeat(1_000))).toBe(line.repeat(1_000).slice(0, -1));
    const text = await readOf(line.repeat(1_001));
    expect(text).toBe(`${line.repeat(1_000)}(there is more: go on with startLine 1001)`);
    expect(await read({ path: 'file', startLine: 1_001 })).toBe('x'.repeat(99));
  });

  it('cuts a line that is longer than that, between two characters', async () => {
    const text = await readOf(`a${'€'.repeat(40_000)}\nb\n`);
    expect(text).toBe(`a${'€'.repeat(33_333)}\n(line 1 is cut: 100000 bytes are read at once; go on with startLine 2)`);
    expect(await readOf(`${'\u{1f30d}'.repeat(30_000)}`)).toBe(`${'\u{1f30d}'.repeat(25_000)}\n(line 1 is cut: 100000 bytes are read at once; go on with startLine 2)`);
    expect(await read({ path: 'file', startLine: 1, lines: 1 })).toContain('is cut');
  });

  it('finds a line far inside, and does not look for ever', async () => {
    expect(await readOf(numbered(200_000), { startLine: 150_000, lines: 1 })).toBe('line 150000\n(there is more: go on with startLine 150001)');
    root.put({ vast: Buffer.alloc(65 * 1_048_576, 'x') });
    await expect(read({ path: 'vast', startLine: 2 })).rejects.toMatchObject({
      kind: 'invalid-input',
      message: 'Line 2 of "vast" lies beyond its first 64 MiB, which are all that is read.',
    });
  });

  it('refuses one of 10 GB that holds nothing', async () => {
    root.put({ hole: '' });
    truncateSync(join(root.path, 'hole'), 10_000_000_000);
    await expect(read({ path: 'hole', startLine: 5 })).rejects.toMatchObject({ kind: 'invalid-input' });
  });
});

describe('any text in any pieces', () => {
  it('is read whole', async () => {
    // Lengths around the size of one read, so that lines and characters are cut at its end.
    const line = fc.tuple(fc.constantFrom('', 'a', '€', '\u{1f30d}', 'x\r'), fc.oneof(fc.nat(3), fc.integer({ min: 16_300, max: 16_500 })));
    const text = fc.array(line, { maxLength: 5 }).map((lines) => lines.map(([unit, count]) => unit.repeat(count)).join('\n'));
    await fc.assert(
      fc.asyncProperty(text.filter((one) => one !== '' && Buffer.byteLength(one) <= 100_000), fc.integer({ min: 1, max: 3 }), async (whole, lines) => {
        root.put({ file: whole });
        const count = whole.replace(/\n$/, '').split('\n').length;
        const got: string[] = [];
        for (let startLine = 1; startLine <= count; startLine += lines) {
          const answer = await read({ path: 'file', startLine, lines });
          got.push(answer.replace(/\n\(there is more: go on with startLine \d+\)$/, ''));
        }
        expect(got.join('\n')).toBe(whole.replace(/\n$/, ''));
      }),
      { numRuns: 60 },
    );
  });
});
