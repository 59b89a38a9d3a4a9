import type { Dirent } from 'node:fs';
import type { InsideRoot } from './inside-root.ts';

/** How far a walk goes. */
export interface WalkLimits {
  /** Files, folders and links that are looked at. Default 50,000. */
  readonly entries?: number;
  /** Milliseconds. Default 10,000. */
  readonly ms?: number;
  /** Milliseconds. Default: the system's clock. */
  readonly now?: () => number;
}

/** What other programs write, and what would drown the rest. A walk that begins inside one of them reads it. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/**
 * The paths of the regular files below a folder, sorted within each folder. Links are not followed, `.git` and
 * `node_modules` are passed over, and so is what cannot be read.
 *
 * Contract:
 * - fails: with a ToolError where the start is no folder inside the root; with the signal's reason once it has fired.
 *
 * @internal
 */
export class RootWalk {
  private readonly root: InsideRoot;
  private readonly signal: AbortSignal;
  private readonly now: () => number;
  private readonly limits: { readonly entries: number; readonly ms: number };
  private readonly deadline: number;
  private left: number;
  private reason = '';

  constructor(root: InsideRoot, signal: AbortSignal, { entries = 50_000, ms = 10_000, now = () => performance.now() }: WalkLimits = {}) {
    this.root = root;
    this.signal = signal;
    this.now = now;
    this.limits = { entries, ms };
    this.deadline = now() + ms;
    this.left = entries;
  }

  /** Why the walk ended before everything was seen; empty if it did not. */
  get stopped(): string {
    return this.reason;
  }

  async *files(start: string): AsyncGenerator<string> {
    const waiting: Iterator<Dirent>[] = [];
    const folders: string[] = [];
    const enter = async (folder: string): Promise<void> => {
      const { entries, isCut } = await this.root.folder(folder, this.left);
      if (isCut) this.reason = `the search stopped after ${this.limits.entries} files and folders`;
      // Counted when they are read, so that they bound the memory too.
      this.left -= entries.length;
      waiting.push(entries[Symbol.iterator]());
      folders.push(folder);
    };
    await enter(start);
    for (let inside = waiting.at(-1); inside !== undefined; inside = waiting.at(-1)) {
      this.signal.throwIfAborted();
      if (this.now() >= this.deadline) {
        this.reason = `the search stopped after ${this.limits.ms / 1_000} s`;
        return;
      }
      const { done, value: entry } = inside.next();
      const folder = folders.at(-1) ?? '';
      if (done === true) {
        waiting.pop();
        folders.pop();
        continue;
      }
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) yield path;
      else if (entry.isDirectory() && !SKIPPED.has(entry.name)) await enter(path).catch(() => undefined);
    }
  }
}
