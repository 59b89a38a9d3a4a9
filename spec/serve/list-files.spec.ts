import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { listFiles } from '../../lib/serve/list-files.ts';
import type { WalkLimits } from '../../lib/serve/root-walk.ts';
import { callTool, temporaryRoot } from './temporary-root.ts';
import type { TemporaryRoot } from './temporary-root.ts';

let root: TemporaryRoot;
beforeEach(async () => {
  root = await temporaryRoot({ 'README.md': '', 'src/a.ts': '', 'src/deep/b.ts': '', 'src/deep/c.js': '' });
});
afterEach(() => root.remove());

const list = (args: object, limits?: WalkLimits): Promise<string> => callTool(listFiles(root.inside, limits), args as never);

describe('list_files', () => {
  it('lists a folder', async () => {
    expect(await list({})).toBe('README.md\nsrc/');
    expect(await list({ path: 'src' })).toBe('a.ts\ndeep/');
    expect(await list({ path: './src/deep/' })).toBe('b.ts\nc.js');
  });

  it('marks what is neither a file nor a folder', async () => {
    root.put({ out: { link: '/etc' }, loop: { link: 'loop' }, 'line\nbreak': '' });
    execFileSync('mkfifo', [join(root.path, 'pipe')]);
    expect(await list({})).toBe('README.md\n"line\\nbreak"\nloop (link)\nout (link)\npipe (no file)\nsrc/');
  });

  it('says that a folder is empty', async () => {
    execFileSync('mkdir', [join(root.path, 'empty')]);
    expect(await list({ path: 'empty' })).toBe('(the folder is empty)');
  });

  it.each<[object, string]>([
    [{ glob: '*.ts' }, 'src/a.ts\nsrc/deep/b.ts'],
    [{ glob: '*' }, 'README.md\nsrc/a.ts\nsrc/deep/b.ts\nsrc/deep/c.js'],
    [{ glob: 'src/*' }, 'src/a.ts'],
    [{ path: 'src', glob: 'deep/*' }, 'src/deep/b.ts\nsrc/deep/c.js'],
    [{ path: 'src/', glob: '*.{md,js}' }, 'src/deep/c.js'],
    [{ glob: '*.py' }, '(no file matches)'],
  ])('finds files by %j', async (args, found) => {
    expect(await list(args)).toBe(found);
  });

  it('follows a link that stays inside', async () => {
    root.put({ near: { link: 'src/deep' } });
    expect(await list({ path: 'near' })).toBe('b.ts\nc.js');
    expect(await list({ path: 'near', glob: '*.ts' })).toBe('near/b.ts');
  });

  it.each<[object, string]>([
    [{ path: '..' }, 'permission-denied'],
    [{ path: '/' }, 'permission-denied'],
    [{ path: '..', glob: '*' }, 'permission-denied'],
    [{ path: 'out' }, 'permission-denied'],
    [{ path: 'out', glob: '*' }, 'permission-denied'],
    [{ path: 'none' }, 'not-found'],
    [{ path: 'README.md' }, 'invalid-input'],
    [{ glob: '{' }, 'invalid-input'],
  ])('refuses %j', async (args, kind) => {
    root.put({ out: { link: '../outside' } });
    await expect(list(args)).rejects.toMatchObject({ code: 'tool', kind });
  });

  it('shows 500 at most, and says so', async () => {
    root.put(Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`many/${n}.txt`, ''])));
    const all = (await list({ path: 'many' })).split('\n');
    expect([all.length, all.at(-1)]).toEqual([501, '(500 of 501 entries are shown; give a glob)']);
    const found = (await list({ glob: '*.txt' })).split('\n');
    expect([found.length, found.at(-1)]).toEqual([501, '(500 files are shown, there are more; give a narrower path or glob)']);
  });

  it('says when it stopped looking', async () => {
    expect(await list({ glob: '*.ts' }, { entries: 4 })).toBe('src/a.ts\n(the search stopped after 4 files and folders)');
  });

  it('stops when its signal fires', async () => {
    await expect(callTool(listFiles(root.inside), { glob: '*' }, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  });
});
