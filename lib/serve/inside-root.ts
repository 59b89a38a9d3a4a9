import { constants } from 'node:fs';
import type { Dirent } from 'node:fs';
import { lstat, open, opendir, readlink, realpath, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ToolError } from '../index.ts';
import { quoted } from './quoted.ts';
import { rootFault } from './root-fault.ts';
import { rootPath } from './root-path.ts';

/** What stands in a folder, in the order of the names' code units. */
export interface FolderEntries {
  readonly entries: readonly Dirent[];
  /** There is more than was asked for. */
  readonly isCut: boolean;
}

/**
 * The files and folders below one folder, read-only. A path that a model wrote leads to nothing else: what is opened is
 * compared with the root *after* it was opened, so a folder that becomes a link in between is found out. (On Linux the kernel
 * is asked where the open file is; elsewhere its place is looked up again.)
 *
 * Links are followed as long as they stay inside. Only regular files are opened: a pipe would hold the run, a device may
 * act when it is opened. A hard link inside the root is a file inside the root.
 *
 * Contract:
 * - fails: every method rejects with a {@link ToolError}: `not-found`, `permission-denied` (outside, or not readable),
 *   `invalid-input` (no path, or the wrong kind of thing).
 *
 * @internal
 */
export class InsideRoot {
  /** Without links in it. */
  private readonly root: string;
  private readonly showsOpenFiles: boolean;

  private constructor(root: string, showsOpenFiles: boolean) {
    this.root = root;
    this.showsOpenFiles = showsOpenFiles;
  }

  /**
   * @param showsOpenFiles - whether `/proc/self/fd` has the files that this process holds open; default: on Linux
   * @throws the system's own error where there is no such folder
   */
  static async at(folder: string, showsOpenFiles = process.platform === 'linux'): Promise<InsideRoot> {
    const root = await realpath(folder);
    if (!(await stat(root)).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
    return new InsideRoot(root, showsOpenFiles);
  }

  /** Whether the path leads to a folder; it must lead to something. */
  async isFolder(path: string): Promise<boolean> {
    return this.named(path, async (real) => (await lstat(real)).isDirectory());
  }

  /** Opens a regular file for reading. The caller closes it. */
  async file(path: string): Promise<FileHandle> {
    return this.named(path, async (real) => {
      if (!(await lstat(real)).isFile()) throw notA('file', path);
      return this.opened(real, path, 0, (handle) => Promise.resolve(handle));
    });
  }

  /** At most `most` entries of a folder, sorted. */
  async folder(path: string, most: number): Promise<FolderEntries> {
    return this.named(path, async (real) => {
      if (!(await lstat(real)).isDirectory()) throw notA('folder', path);
      if (!this.showsOpenFiles) {
        const found = await entriesOf(real, most);
        this.check(await realpath(real), path);
        return found;
      }
      // Read through the open folder: its path may lead elsewhere by now.
      return this.opened(real, path, constants.O_DIRECTORY, async (handle) => {
        try {
          return await entriesOf(openFile(handle), most);
        } finally {
          await handle.close();
        }
      });
    });
  }

  private async named<T>(path: string, use: (real: string) => Promise<T>): Promise<T> {
    try {
      const real = await realpath(join(this.root, rootPath(path)));
      this.check(real, path);
      return await use(real);
    } catch (error) {
      throw rootFault(error, path);
    }
  }

  private async opened<T>(real: string, path: string, flags: number, use: (handle: FileHandle) => Promise<T>): Promise<T> {
    const handle = await open(real, constants.O_RDONLY | NO_LINK | NO_WAIT | flags);
    try {
      const stats = await handle.stat();
      if (flags === 0 && !stats.isFile()) throw notA('file', path);
      this.check(await this.placeOf(handle, real), path);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return use(handle);
  }

  /** Where an open file really is. */
  private async placeOf(handle: FileHandle, real: string): Promise<string> {
    if (this.showsOpenFiles) return readlink(openFile(handle));
    // It is looked up again: the same place must still hold the same file, before and after.
    const before = await realpath(real);
    const [there, here] = [await stat(before, { bigint: true }), await handle.stat({ bigint: true })];
    const isSame = there.ino === here.ino && there.dev === here.dev && before === (await realpath(real));
    return isSame ? before : '';
  }

  private check(real: string, path: string): void {
    const start = this.root.endsWith(sep) ? this.root : this.root + sep;
    if (real === this.root || real.startsWith(start)) return;
    throw new ToolError('permission-denied', `${quoted(path)} leads out of the root by a link.`);
  }
}

// Not every system has these; there the checks before and after stand alone.
const NO_LINK: number = constants.O_NOFOLLOW ?? 0;
/** Without it, opening a pipe waits until somebody writes. */
const NO_WAIT: number = constants.O_NONBLOCK ?? 0;

function openFile(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

async function entriesOf(folder: string, most: number): Promise<FolderEntries> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder)) {
    if (entries.length === most) return { entries: sorted(entries), isCut: true };
    entries.push(entry);
  }
  return { entries: sorted(entries), isCut: false };
}

function sorted(entries: Dirent[]): Dirent[] {
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function notA(kind: 'file' | 'folder', path: string): ToolError {
  const name = path === '' ? 'The root' : quoted(path);
  const hint = kind === 'file' ? 'no regular file: a folder is read with list_files, and pipes and devices are not read' : 'no folder: a file is read with read_file';
  return new ToolError('invalid-input', `${name} is ${hint}.`);
}
