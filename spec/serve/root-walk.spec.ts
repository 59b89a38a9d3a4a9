import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { RootWalk } from '../../lib/serve/root-walk.ts';
import type { WalkLimits } from '../../lib/serve/root-walk.ts';
import { temporaryRoot } from './temporary-root.ts';
import type { TemporaryRoot } from './temporary-root.ts';

let root: TemporaryRoot;
beforeEach(async () => {
  root = await temporaryRoot();
});
afterEach(() => root.remove());

const quiet = new AbortController().signal;

async function walked(start = '', limits: WalkLimits = {}): Promise<{ files: string[]; stopped: string }> {
  const walk = new RootWalk(root.inside, quiet, limits);
  const files: string[] = [];
  for await (const file of walk.files(start)) files.push(file);
  return { files, stopped: walk.stopped };
}

describe('RootWalk', () => {
  it('finds every file, sorted within its folder, hidden ones too', async () => {
    root.put({ 'b/y.txt': '', 'b/x/z.txt': '', 'a.txt': '', 'c.txt': '', '.env': '', '.github/w.yml': '' });
    expect(await walked()).toEqual({ files: ['.env', '.github/w.yml', 'a.txt', 'b/x/z.txt', 'b/y.txt', 'c.txt'], stopped: '' });
    expect((await walked('b')).files).toEqual(['b/x/z.txt', 'b/y.txt']);
  });

  it('finds nothing in an empty folder', async () => {
    expect(await walked()).toEqual({ files: [], stopped: '' });
  });

  it('passes over .git and node_modules, unless it begins there', async () => {
    root.put({ '.git/config': '', 'a/node_modules/x/y.js': '', 'a/node_modules/x/node_modules/z.js': '', 'a/b.js': '' });
    expect((await walked()).files).toEqual(['a/b.js']);
    expect((await walked('.git')).files).toEqual(['.git/config']);
    expect((await walked('a/node_modules')).files).toEqual(['a/node_modules/x/y.js']);
  });

  it('follows no link, so it comes to an end and stays inside', async () => {
    root.put({ 'a/b.txt': '', 'a/up': { link: '..' }, loop: { link: 'loop' }, out: { link: '../outside' }, near: { link: 'a/b.txt' } });
    expect(await walked()).toEqual({ files: ['a/b.txt'], stopped: '' });
  });

  it('goes on where a folder has vanished', async () => {
    root.put({ 'a/x.txt': '', 'b/gone/y.txt': '', 'c.txt': '' });
    const walk = new RootWalk(root.inside, quiet);
    const files: string[] = [];
    for await (const file of walk.files('')) {
      files.push(file);
      rmSync(join(root.path, 'b'), { recursive: true, force: true });
    }
    expect(files).toEqual(['a/x.txt', 'c.txt']);
  });

  it.each([
    ['none', 'not-found'],
    ['file', 'invalid-input'],
    ['../outside', 'permission-denied'],
  ])('begins at no %s', async (start, kind) => {
    root.put({ file: '' });
    await expect(walked(start)).rejects.toMatchObject({ code: 'tool', kind });
  });
});

describe('a walk through too much', () => {
  const many = (count: number, folder = ''): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${folder}${String(n).padStart(3, '0')}.txt`, '']));

  it('stops after a number of entries, in one folder or in many', async () => {
    root.put({ ...many(60, 'a/'), ...many(60, 'b/') });
    expect(await walked('', { entries: 122 })).toMatchObject({ stopped: '' });
    const some = await walked('', { entries: 100 });
    expect([some.files.length, some.stopped]).toEqual([98, 'the search stopped after 100 files and folders']);
    const one = await walked('a', { entries: 50 });
    expect([one.files.length, one.stopped]).toEqual([50, 'the search stopped after 50 files and folders']);
  });

  it('stops after a time', async () => {
    root.put(many(60));
    let now = 0;
    const { files, stopped } = await walked('', { ms: 10_000, now: () => (now += 1_000) });
    expect([files.length, stopped]).toEqual([9, 'the search stopped after 10 s']);
  });

  it('stops when its signal fires', async () => {
    root.put(many(60));
    const controller = new AbortController();
    const files: string[] = [];
    const walk = async (): Promise<void> => {
      for await (const file of new RootWalk(root.inside, controller.signal).files('')) {
        files.push(file);
        if (files.length === 3) controller.abort(new Error('left'));
      }
    };
    await expect(walk()).rejects.toThrow('left');
    expect(files).toHaveLength(3);
  });
});
