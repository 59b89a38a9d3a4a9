import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { WalkLimits } from '../../lib/serve/root-walk.ts';
import { searchFiles } from '../../lib/serve/search-files.ts';
import { callTool, SECRET, temporaryRoot } from './temporary-root.ts';
import type { TemporaryRoot } from './temporary-root.ts';

let root: TemporaryRoot;
beforeEach(async () => {
  root = await temporaryRoot({ 'a.md': '# One\nTwo, two\r\n', 'src/b.ts': 'const two = 2;\n\nexport { two };', 'src/c.js': 'nothing' });
});
afterEach(() => root.remove());

const search = (text: string, args: object = {}, limits?: WalkLimits): Promise<string> => callTool(searchFiles(root.inside, limits), { text, ...args });

describe('search_files', () => {
  it.each<[string, object, string]>([
    ['two', {}, 'a.md:2: Two, two\nsrc/b.ts:1: const two = 2;\nsrc/b.ts:3: export { two };'],
    ['Two', {}, 'a.md:2: Two, two'],
    ['TWO', { ignoreCase: true }, 'a.md:2: Two, two\nsrc/b.ts:1: const two = 2;\nsrc/b.ts:3: export { two };'],
    ['two', { path: 'src' }, 'src/b.ts:1: const two = 2;\nsrc/b.ts:3: export { two };'],
    ['two', { path: './src/b.ts' }, 'src/b.ts:1: const two = 2;\nsrc/b.ts:3: export { two };'],
    ['two', { glob: '*.md' }, 'a.md:2: Two, two'],
    ['two', { path: 'src', glob: '*.js' }, '(nothing found)'],
    ['=', {}, 'src/b.ts:1: const two = 2;'],
    ['three', {}, '(nothing found)'],
  ])('finds %j with %j', async (text, args, found) => {
    expect(await search(text, args)).toBe(found);
  });

  it.each(['.*', 't[wx]o', '(a+)+$', '\\w', '^', '$'])('takes %j as it is, not as an expression', async (text) => {
    expect(await search(text)).toBe('(nothing found)');
    root.put({ 'literal.txt': `x ${text} y` });
    expect(await search(text)).toBe(`literal.txt:1: x ${text} y`);
  });

  it('finds letters of any script, whatever their case', async () => {
    root.put({ 'u.txt': 'GRÜSSE\nİstanbul ΣΑΣ\n' });
    expect(await search('grüsse', { ignoreCase: true })).toBe('u.txt:1: GRÜSSE');
    expect(await search('istanbul', { ignoreCase: true })).toBe('(nothing found)');
    expect(await search('ΣΑΣ', { ignoreCase: true })).toBe('u.txt:2: İstanbul ΣΑΣ');
  });

  it('shows what stands around a hit in a long line', async () => {
    root.put({ 'long.txt': `${'a'.repeat(1_000)}HIT${'b'.repeat(1_000)}\nHIT${'c'.repeat(500)}\n${'d'.repeat(500)}HIT` });
    const lines = (await search('HIT')).split('\n');
    expect(lines).toEqual([
      `long.txt:1: …${'a'.repeat(80)}HIT${'b'.repeat(157)}…`,
      `long.txt:2: HIT${'c'.repeat(237)}…`,
      `long.txt:3: …${'d'.repeat(237)}HIT`,
    ]);
  });

  it('passes over what is no text, .git, node_modules and links', async () => {
    root.put({
      'two.bin': Buffer.from('two\0'),
      '.git/two': 'two',
      'node_modules/two/two.js': 'two',
      'two.txt': { link: 'a.md' },
      out: { link: '../outside' },
      loop: { link: '.' },
      'latin1.txt': Buffer.from('two \xe9', 'latin1'),
      '.hidden': 'two',
    });
    const files = (await search('two')).split('\n').map((line) => line.split(':')[0]);
    expect([...new Set(files)]).toEqual(['.hidden', 'a.md', 'latin1.txt', 'src/b.ts']);
    expect(await search(SECRET)).toBe('(nothing found)');
  });

  it('says that a file which it was to search is no text', async () => {
    root.put({ 'two.bin': Buffer.from('two\0') });
    await expect(search('two', { path: 'two.bin' })).rejects.toMatchObject({ kind: 'invalid-input', message: '"two.bin" is no text in UTF-8: it holds NUL bytes.' });
  });

  it.each([
    ['../outside', 'permission-denied'],
    ['out', 'permission-denied'],
    ['out/secret.txt', 'permission-denied'],
    ['/', 'permission-denied'],
    ['none', 'not-found'],
  ])('refuses to begin at %s', async (path, kind) => {
    root.put({ out: { link: '../outside' } });
    await expect(search('secret', { path })).rejects.toMatchObject({ code: 'tool', kind });
  });

  it.each(['', 'a\nb', 'a\r', 'x'.repeat(1_001)])('takes no text such as %j', async (text) => {
    await expect(search(text)).rejects.toThrow(TypeError);
  });

  it('keeps a strange name on one line', async () => {
    root.put({ 'x\ny': 'two' });
    expect(await search('two', { glob: 'x*' })).toBe('"x\\ny":1: two');
  });
});

describe('a search through too much', () => {
  it('shows 200 lines', async () => {
    root.put({ 'many.txt': 'hit\n'.repeat(201) });
    const lines = (await search('hit')).split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([201, '(200 lines are shown, there are more; give a narrower path, glob or text)']);
    root.put({ 'many.txt': 'hit\n'.repeat(200) });
    expect((await search('hit')).split('\n')).toHaveLength(200);
  });

  it('searches the first 2 MiB of a file', async () => {
    const line = `${'x'.repeat(1_023)}\n`;
    root.put({ 'large.txt': `${line.repeat(2_047)}early\n`, 'larger.txt': `early\n${line.repeat(2_048)}late\n` });
    expect(await search('early')).toBe('large.txt:2048: early\nlarger.txt:1: early\n(of 1 large file only the first 2 MiB were searched)');
    expect(await search('late')).toBe('(nothing found)\n(of 1 large file only the first 2 MiB were searched)');
  });

  it('is not held by a file of 10 GB', async () => {
    root.put({ hole: 'two' });
    truncateSync(join(root.path, 'hole'), 10_000_000_000);
    expect(await search('two', { glob: '*.md' })).toBe('a.md:2: Two, two');
    expect(await search('Two')).toBe('a.md:2: Two, two');
  });

  it('says when it stopped looking', async () => {
    expect(await search('two', {}, { entries: 2 })).toBe('a.md:2: Two, two\n(the search stopped after 2 files and folders)');
    let now = 0;
    expect(await search('three', {}, { ms: 1_000, now: () => (now += 600) })).toBe('(nothing found)\n(the search stopped after 1 s)');
  });

  it('stops when its signal fires', async () => {
    await expect(callTool(searchFiles(root.inside), { text: 'two' }, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  });
});
