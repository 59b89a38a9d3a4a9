import { open, readFile, rename, rm } from 'node:fs/promises';
import { defer, EMPTY, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { RemoteError } from '../index.ts';
import type { Checkpoint, LogEntry, LoggedRun, LogPiece, RunAbout } from '../index.ts';
import { fileLines } from './file-lines.ts';
import type { FileLine } from './file-lines.ts';
import { isEnding } from './is-ending.ts';
import type { Tailed } from './tail.ts';

/** The last line of a run that has ended, so that the end of a file tells it. */
export const END_LINE = '{"end":true}\n';

/** Entries, and bytes of entries, of one piece; the last entries, for readers that are not behind. */
const [PIECE, PIECE_BYTES, RECENT] = [64, 65_536, 256];
const INDEX_BYTES = 65_536;

interface Saved {
  readonly position: number;
  /** Those that were written with it: the log may have been cut before them. */
  readonly entries: readonly LogEntry[];
  readonly checkpoint: Checkpoint;
}

/**
 * The log of one run as a file of JSON lines: a header, then a line for each group of entries that was written at once.
 * The last checkpoint is a file beside it, written before the entries that it goes with, which it repeats.
 *
 * @internal
 */
export class FileRun implements Tailed {
  readonly waiting = new Set<() => void>();
  readonly about: RunAbout;
  position = 0;
  private readonly path: string;
  private readonly synced: boolean;
  private size = 0;
  /** Where lines begin, one for each 64 KiB: the way to a position. */
  private readonly index: { readonly position: number; readonly offset: number }[] = [];
  private recent: LogEntry[] = [];
  private saved: Saved | undefined;

  private constructor(path: string, about: RunAbout, synced: boolean) {
    this.path = path;
    this.about = about;
    this.synced = synced;
  }

  /** Rejects with the system's `EEXIST` where there is such a file. */
  static async create(path: string, runId: string, about: RunAbout, synced: boolean): Promise<FileRun> {
    const run = new FileRun(path, about, synced);
    await (await open(path, 'wx', 0o600)).close();
    await run.write(`${JSON.stringify({ log: 1, runId, about })}\n`);
    return run;
  }

  /** Nothing where there is no such file, or its header was never written whole. A torn end is cut off. */
  static async open(path: string, runId: string, synced: boolean): Promise<FileRun | undefined> {
    const file = await open(path, 'r+').catch(() => undefined);
    if (file === undefined) return undefined;
    try {
      let run: FileRun | undefined;
      let last: FileLine | undefined;
      for await (const line of fileLines(file, 0)) {
        if (run === undefined) {
          const header = parsed(line) as { readonly runId?: unknown; readonly about?: RunAbout } | undefined;
          // Another id: a file system that does not tell case.
          if (header?.runId !== runId || header.about === undefined) return undefined;
          run = new FileRun(path, header.about, synced);
        } else {
          const position = positionOf(line);
          if (position !== undefined) run.pass(position, line.from);
          last = position === undefined ? last : line;
        }
        run.size = line.end;
      }
      await run?.settle(last);
      if (run !== undefined && !run.isEnded) await file.truncate(run.size);
      return run;
    } finally {
      await file.close();
    }
  }

  get isEnded(): boolean {
    return isEnding(this.recent.at(-1));
  }

  get told(): LoggedRun {
    const { about, position, saved } = this;
    const ending = this.recent.at(-1);
    return {
      about,
      position,
      ...(isEnding(ending) && { ending }),
      ...(saved !== undefined && { checkpoint: { position: saved.position, checkpoint: saved.checkpoint } }),
    };
  }

  async append(entries: readonly LogEntry[], checkpoint?: Checkpoint): Promise<number> {
    if (checkpoint !== undefined) await this.save({ position: this.position + entries.length, entries, checkpoint });
    await this.add(entries);
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const wake of waiting) wake();
    return this.position;
  }

  piece(after: number): Observable<LogPiece> {
    if (after >= this.position) return EMPTY;
    const first = this.position - this.recent.length;
    if (after < first) return defer(() => this.read(after));
    return of({ position: after + 1, entries: this.recent.slice(after - first, after - first + PIECE) });
  }

  async sync(): Promise<void> {
    const file = await open(this.path, 'r+');
    await file.datasync().finally(() => file.close());
  }

  private async read(after: number): Promise<LogPiece> {
    const start = this.index.findLast(({ position }) => position <= after + 1);
    const file = await open(this.path, 'r');
    const entries: LogEntry[] = [];
    let bytes = 0;
    try {
      for await (const line of fileLines(file, start?.offset ?? 0)) {
        if (line.from >= this.size || entries.length >= PIECE || bytes >= PIECE_BYTES) break;
        const position = positionOf(line);
        if (position === undefined) continue;
        const group = (parsed(line) as { readonly entries?: readonly LogEntry[] } | undefined)?.entries;
        if (group === undefined) throw damaged(this.path, line.from);
        const skipped = Math.max(0, after + 1 - position);
        entries.push(...group.slice(skipped));
        if (skipped < group.length) bytes += line.bytes.length;
      }
    } finally {
      await file.close();
    }
    if (entries.length === 0) throw damaged(this.path, start?.offset ?? 0);
    return { position: after + 1, entries };
  }

  private async add(entries: readonly LogEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const offset = this.size;
    await this.write(`${JSON.stringify({ position: this.position + 1, entries })}\n${isEnding(entries.at(-1)) ? END_LINE : ''}`);
    this.pass(this.position + 1, offset);
    this.keep(entries);
    if (!this.isEnded) return;
    // A suspended run has its checkpoint in its outcome.
    this.saved = undefined;
    await rm(checkpointPath(this.path), { force: true });
  }

  /**
   * At the known end, so that what a failed write has left is written over. The file is opened for each write: a run may wait
   * for a person for weeks, and there may be thousands of them.
   */
  private async write(text: string): Promise<void> {
    const file = await open(this.path, 'r+');
    try {
      const bytes = Buffer.from(text);
      let done = 0;
      while (done < bytes.length) done += (await file.write(bytes, done, bytes.length - done, this.size + done)).bytesWritten;
      if (this.synced) await file.datasync();
      this.size += bytes.length;
    } finally {
      await file.close();
    }
  }

  private async save(saved: Saved): Promise<void> {
    const file = await open(`${this.path}.new`, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(saved));
      if (this.synced) await file.datasync();
    } finally {
      await file.close();
    }
    await rename(`${this.path}.new`, checkpointPath(this.path));
    this.saved = saved;
  }

  /** After the lines were read: the last line, the checkpoint, and what was written with it but not here. */
  private async settle(last: FileLine | undefined): Promise<void> {
    const group = last === undefined ? undefined : (parsed(last) as { readonly position: number; readonly entries: readonly LogEntry[] } | undefined);
    if (last !== undefined && group === undefined) throw damaged(this.path, last.from);
    this.position = (group?.position ?? 1) - 1;
    this.keep(group?.entries ?? []);
    // Empty or torn where the machine has ended and nothing was forced to its disk: then the run has none.
    this.saved = await readFile(checkpointPath(this.path), 'utf8').then((text) => JSON.parse(text) as Saved).catch(() => undefined);
    await rm(`${this.path}.new`, { force: true });
    if (this.saved === undefined || this.isEnded) return;
    const missing = this.saved.position - this.position;
    if (missing > 0) await this.add(this.saved.entries.slice(-missing));
  }

  private pass(position: number, offset: number): void {
    const last = this.index.at(-1);
    if (last === undefined || offset - last.offset >= INDEX_BYTES) this.index.push({ position, offset });
  }

  private keep(entries: readonly LogEntry[]): void {
    this.position += entries.length;
    this.recent = [...this.recent, ...entries].slice(-RECENT);
  }
}

function checkpointPath(path: string): string {
  return path.replace(/\.jsonl$/, '.checkpoint.json');
}

/** Without reading the whole line; nothing for a line that is no group of entries. */
function positionOf({ bytes }: FileLine): number | undefined {
  const [, digits] = /^\{"position":(\d+),/.exec(bytes.toString('latin1', 0, 40)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function parsed({ bytes }: FileLine): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

function damaged(path: string, offset: number): RemoteError {
  const message = `The log ${path} is damaged at byte ${offset}: move the file away, or restore it.`;
  return new RemoteError({ code: 'log-damaged', message, retryable: false, status: 500 });
}
