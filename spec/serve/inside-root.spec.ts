import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { InsideRoot } from '../../lib/serve/inside-root.ts';
import { SECRET, temporaryRoot } from './temporary-root.ts';
import type { TemporaryRoot } from './temporary-root.ts';

let root: TemporaryRoot;
beforeEach(async () => {
  root = await temporaryRoot({ 'a.txt': 'A', 'folder/b.txt': 'B', '.hidden': 'H' });
});
afterEach(() => root.remove());

async function textOf(path: string, inside = root.inside): Promise<string> {
  const handle = await inside.file(path);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

const namesIn = async (path: string, most = 100): Promise<string[]> => (await root.inside.folder(path, most)).entries.map(({ name }) => name);

describe('InsideRoot', () => {
  it('opens files at any depth, hidden ones too', async () => {
    expect([await textOf('a.txt'), await textOf('./folder//b.txt'), await textOf('.hidden')]).toEqual(['A', 'B', 'H']);
  });

  it('reads folders in order, as far as it is asked', async () => {
    expect(await namesIn('')).toEqual(['.hidden', 'a.txt', 'folder']);
    expect(await root.inside.folder('', 3)).toMatchObject({ isCut: false });
    const some = await root.inside.folder('', 2);
    expect([some.entries.length, some.isCut]).toEqual([2, true]);
  });

  it('tells a folder from a file', async () => {
    expect([await root.inside.isFolder(''), await root.inside.isFolder('folder'), await root.inside.isFolder('a.txt')]).toEqual([true, true, false]);
  });

  it.each<[string, string, string]>([
    ['none.txt', 'not-found', '"none.txt" does not exist.'],
    ['a.txt/b', 'not-found', '"a.txt/b" does not exist.'],
    ['folder', 'invalid-input', '"folder" is no regular file: a folder is read with list_files'],
    ['', 'invalid-input', 'The root is no regular file'],
    ['../outside/secret.txt', 'permission-denied', 'leads upwards'],
    ['/etc/passwd', 'permission-denied', 'is absolute'],
    ['x'.repeat(300), 'invalid-input', 'longer than the file system takes'],
  ])('opens no file at %j', async (path, kind, words) => {
    await expect(textOf(path)).rejects.toMatchObject({ code: 'tool', kind, message: expect.stringContaining(words) });
  });

  it.each<[string, string]>([
    ['none', 'not-found'],
    ['a.txt', 'invalid-input'],
    ['..', 'permission-denied'],
  ])('reads no folder at %j', async (path, kind) => {
    await expect(namesIn(path)).rejects.toMatchObject({ code: 'tool', kind });
  });

  it('needs a folder to begin with', async () => {
    await expect(InsideRoot.at(join(root.path, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(InsideRoot.at(join(root.path, 'a.txt'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it('may itself be reached by a link', async () => {
    symlinkSync(root.path, join(root.folder, 'way'));
    expect(await textOf('a.txt', await InsideRoot.at(join(root.folder, 'way')))).toBe('A');
  });

  it('may be the root of the file system', async () => {
    expect(await textOf(`${root.path}/a.txt`.slice(1), await InsideRoot.at('/'))).toBe('A');
  });

  it('is no other folder whose name begins alike', async () => {
    mkdirSync(`${root.path}-other`);
    writeFileSync(`${root.path}-other/x.txt`, SECRET);
    root.put({ near: { link: '../root-other/x.txt' } });
    await expect(textOf('near')).rejects.toMatchObject({ kind: 'permission-denied' });
  });
});

describe('a link', () => {
  it.each<[string, string, string]>([
    ['to a file inside', 'a.txt', 'link'],
    ['through a folder inside', 'folder', 'link/b.txt'],
    ['that leaves and comes back', '../root/a.txt', 'link'],
  ])('%s is followed', async (_what, link, path) => {
    root.put({ link: { link } });
    expect(await textOf(path)).toMatch(/^[AB]$/);
  });

  it.each<[string, string, string]>([
    ['a file', '../outside/secret.txt', 'link'],
    ['a folder', '../outside', 'link/secret.txt'],
    ['an absolute place', '/etc/passwd', 'link'],
    ['the root of the file system', '/', 'link/etc/passwd'],
    ['the folder above', '..', 'link/outside/secret.txt'],
  ])('to %s outside is refused, and not told where it leads', async (_what, link, path) => {
    root.put({ link: { link } });
    const refused = { kind: 'permission-denied', message: `"${path}" leads out of the root by a link.` };
    await expect(textOf(path)).rejects.toMatchObject(refused);
    await expect(namesIn(path)).rejects.toMatchObject(refused);
    await expect(root.inside.isFolder(path)).rejects.toMatchObject(refused);
  });

  it('to a link that leads out is refused', async () => {
    root.put({ one: { link: 'two' }, two: { link: '../outside/secret.txt' } });
    await expect(textOf('one')).rejects.toMatchObject({ kind: 'permission-denied' });
  });

  it('to nothing is not found, one to itself is no path', async () => {
    root.put({ dangling: { link: 'none' }, loop: { link: 'loop' }, ping: { link: 'pong' }, pong: { link: 'ping' } });
    await expect(textOf('dangling')).rejects.toMatchObject({ kind: 'not-found' });
    for (const path of ['loop', 'ping', 'ping/x']) await expect(textOf(path)).rejects.toMatchObject({ kind: 'invalid-input' });
  });

  it('that is hard is a file inside', async () => {
    linkSync(join(root.path, 'a.txt'), join(root.path, 'same.txt'));
    expect(await textOf('same.txt')).toBe('A');
  });
});

describe('what is no regular file', () => {
  it('is not opened: a pipe would hold the run, a device may act', async () => {
    execFileSync('mkfifo', [join(root.path, 'pipe')]);
    const socket = createServer();
    await new Promise<void>((resolve) => socket.listen(join(root.path, 'socket'), resolve));
    for (const path of ['pipe', 'socket']) {
      await expect(textOf(path)).rejects.toMatchObject({ kind: 'invalid-input', message: expect.stringContaining('no regular file') });
    }
    await new Promise((resolve) => socket.close(resolve));
    const devices = await InsideRoot.at('/dev');
    await expect(textOf('null', devices)).rejects.toMatchObject({ kind: 'invalid-input' });
  });
});

describe('a folder that is swapped for a link while it is used', () => {
  it('never lets the outside in', async () => {
    const [real, aside] = [join(root.path, 'swap'), join(root.path, 'aside')];
    mkdirSync(real);
    writeFileSync(join(real, 'secret.txt'), 'harmless');
    let swapping = true;
    const swap = (): void => {
      renameSync(real, aside);
      symlinkSync('../outside', real);
    };
    const restore = (): void => {
      unlinkSync(real);
      renameSync(aside, real);
    };
    const swapper = (async () => {
      while (swapping) {
        swap();
        await new Promise((resolve) => setImmediate(resolve));
        restore();
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const texts = new Set<string>();
    const names = new Set<string>();
    for (let n = 0; n < 2_000; n += 1) {
      texts.add(await textOf('swap/secret.txt').catch(({ kind }: { kind: string }) => kind));
      names.add(await namesIn('swap').then((found) => found.join(), ({ kind }: { kind: string }) => kind));
    }
    swapping = false;
    await swapper;
    expect([...texts]).not.toContain(SECRET);
    expect([...texts].every((text) => ['harmless', 'permission-denied', 'not-found', 'invalid-input'].includes(text))).toBe(true);
    expect([...names].every((text) => ['secret.txt', 'permission-denied', 'not-found', 'invalid-input'].includes(text))).toBe(true);
  });
});

describe('a system that does not show open files', () => {
  it('is kept inside by looking again', async () => {
    const inside = await InsideRoot.at(root.path, false);
    root.put({ near: { link: 'folder' }, far: { link: '../outside' } });
    expect([await textOf('a.txt', inside), await textOf('near/b.txt', inside)]).toEqual(['A', 'B']);
    expect((await inside.folder('near', 10)).entries.map(({ name }) => name)).toEqual(['b.txt']);
    await expect(textOf('far/secret.txt', inside)).rejects.toMatchObject({ kind: 'permission-denied' });
    await expect(inside.folder('far', 10)).rejects.toMatchObject({ kind: 'permission-denied' });
    await expect(textOf('folder', inside)).rejects.toMatchObject({ kind: 'invalid-input' });
    await expect(inside.folder('a.txt', 10)).rejects.toMatchObject({ kind: 'invalid-input' });
  });
});

describe('any path and any links', () => {
  const name = fc.constantFrom('a', 'b', 'd', '.', '..', '');
  const path = fc.array(name, { minLength: 1, maxLength: 6 }).map((names) => names.join('/'));
  // `d` stays a folder: a link made through another link would be made outside.
  const place = fc.constantFrom('a', 'b', 'd/a', 'd/b');
  const target = fc.oneof(path.map((one) => `./${one}`), path.map((one) => `${'../'.repeat(3)}${one}`), fc.constantFrom('/', '..', '../outside', '../outside/secret.txt', '/proc/self/root'));

  it('read nothing outside the root', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.tuple(place, target), { maxLength: 4, selector: ([at]) => at }), fc.array(path, { maxLength: 5 }), async (links, paths) => {
        rmSync(root.path, { recursive: true });
        mkdirSync(join(root.path, 'd'), { recursive: true });
        for (const [at, to] of links) root.put({ [at]: { link: to } });
        const reach = [...paths, ...links.map(([at]) => at), ...links.map(([at]) => `${at}/secret.txt`), ...links.map(([at]) => `${at}/outside/secret.txt`)];
        for (const one of reach) {
          const text = await textOf(one).catch((error: unknown) => error);
          expect(text).not.toBe(SECRET);
          const listed = await namesIn(one).catch((error: unknown) => error);
          if (Array.isArray(listed)) expect(listed).not.toContain('outside');
          else expect(listed).toMatchObject({ code: 'tool' });
        }
      }),
      { numRuns: 150 },
    );
  });
});
