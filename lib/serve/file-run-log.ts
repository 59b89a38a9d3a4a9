import { mkdirSync, readdirSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { defer, ignoreElements, mergeMap } from 'rxjs';
import { ConfigError } from '../index.ts';
import type { RunAbout, RunLog } from '../index.ts';
import { amount } from './amount.ts';
import { existsError } from './exists-error.ts';
import { fileLines } from './file-lines.ts';
import { END_LINE, FileRun } from './file-run.ts';
import { goneError } from './gone-error.ts';
import { isRunId } from './run-id.ts';
import { tail } from './tail.ts';

export interface FileRunLogOptions {
  /** The folder of the files; made where there is none. One process at a time may use it. */
  readonly dir: string;
  /**
   * When what is written is forced to the disk: `always` with every write, `interval` about once a second, `never` when the
   * system does it. The end of the process loses nothing in any case; this is about the end of the machine. Default `always`.
   */
  readonly fsync?: 'always' | 'interval' | 'never';
  /** Ended runs that are kept; the oldest are removed. Default 10,000. */
  readonly maxRuns?: number;
}

const INTERVAL_MS = 1_000;

/** Ended runs that stay in memory; others are read again when they are asked for. */
const AT_HAND = 1_000;

/**
 * A log in a folder: `<run id>.jsonl` for each run, and its last checkpoint beside it. Runs outlive the process: see
 * `recover()` of the handler.
 *
 * Contract:
 * - starts: the folder is made and read at the call; everything else waits for a subscription.
 * - fails: as {@link RunLog} says; errors of the file system are passed on. A line that a crash has torn is cut off when
 *   its file is opened.
 * - order: positions go on where they were, also in another process.
 *
 * @throws ConfigError where the folder cannot be made, or an option is wrong
 * @public
 */
export function fileRunLog({ dir, fsync = 'always', maxRuns: most = 10_000 }: FileRunLogOptions): RunLog {
  const maxRuns = amount('fileRunLog', 'maxRuns', most);
  if (!['always', 'interval', 'never'].includes(fsync)) throw new ConfigError(`fileRunLog: fsync is ${fsync}; give "always", "interval" or "never".`);
  const names = namesIn(dir);
  const runs = new Map<string, Promise<FileRun | undefined>>();
  const begun = new Set<string>();
  const ended: string[] = [];
  /** Those that have not, oldest first. */
  const going = new Set<string>();
  /** Those that have, and are in memory, last asked for last. */
  const atHand = new Set<string>();
  const writing = new Set<string>();
  const dirty = new Set<FileRun>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let listed: Promise<void> | undefined;
  const pathOf = (runId: string): string => join(dir, `${runId}.jsonl`);

  /** One that is written to stays: there must never be two of a run. */
  const rest = (runId: string, run: FileRun): void => {
    atHand.delete(runId);
    if (run.isEnded && !writing.has(runId)) atHand.add(runId);
    for (const oldest of atHand) {
      if (atHand.size <= AT_HAND) break;
      atHand.delete(oldest);
      runs.delete(oldest);
    }
  };

  const find = (runId: string): Promise<FileRun | undefined> => {
    // An id that is no file name here is one that nobody has.
    if (!isRunId(runId)) return Promise.resolve(undefined);
    const run = runs.get(runId) ?? FileRun.open(pathOf(runId), runId, fsync === 'always');
    runs.set(runId, run);
    // What is not there may come; what cannot be read may be repaired.
    const drop = (): unknown => runs.get(runId) === run && runs.delete(runId);
    void run.then((found) => (found === undefined ? drop() : rest(runId, found)), drop);
    return run;
  };
  const known = async (runId: string): Promise<FileRun> => {
    const run = await find(runId);
    if (run === undefined) throw goneError(runId);
    return run;
  };

  const list = async (): Promise<void> => {
    const files = await Promise.all(names.map(async (name) => ({ runId: name.replace(/\.jsonl$/, ''), ...(await lookAt(join(dir, name)).catch(() => UNREADABLE)) })));
    files.sort((a, b) => a.changedAt - b.changedAt);
    ended.unshift(...files.filter(({ runId, hasEnd }) => hasEnd && !going.has(runId)).map(({ runId }) => runId));
    for (const { runId, hasEnd } of files) if (!hasEnd && !ended.includes(runId)) going.add(runId);
  };

  const forget = async (): Promise<void> => {
    while (ended.length > maxRuns) {
      const runId = ended.shift() as string;
      runs.delete(runId);
      atHand.delete(runId);
      await rm(pathOf(runId), { force: true });
      await rm(join(dir, `${runId}.checkpoint.json`), { force: true });
    }
  };

  const create = async (runId: string, about: RunAbout): Promise<void> => {
    if (!isRunId(runId)) throw new ConfigError('fileRunLog: a run id is 1 to 128 letters, digits, - and _; give such a one.');
    if (begun.has(runId)) throw existsError(runId);
    begun.add(runId);
    try {
      if ((await find(runId)) !== undefined) throw existsError(runId);
      // What is there was torn while it began. With a line it is a file of somebody else, or of a run whose id differs in case.
      if (await hasLine(pathOf(runId))) throw existsError(runId);
      await rm(pathOf(runId), { force: true });
      const run = await FileRun.create(pathOf(runId), runId, about, fsync === 'always');
      runs.set(runId, Promise.resolve(run));
      going.add(runId);
    } finally {
      begun.delete(runId);
    }
  };

  const later = (run: FileRun): void => {
    if (fsync !== 'interval' || run.isEnded) return;
    dirty.add(run);
    timer ??= setTimeout(() => {
      timer = undefined;
      for (const one of dirty) void one.sync().catch(() => undefined);
      dirty.clear();
    }, INTERVAL_MS).unref();
  };

  return {
    create: (runId, about) => defer(() => create(runId, about)).pipe(ignoreElements()),
    append: (runId, entries, checkpoint) =>
      defer(async () => {
        const run = await known(runId);
        const wasEnded = run.isEnded;
        writing.add(runId);
        rest(runId, run);
        const position = await run.append(entries, checkpoint).finally(() => writing.delete(runId));
        rest(runId, run);
        later(run);
        if (run.isEnded === wasEnded) return position;
        await (listed ??= list());
        if (run.isEnded) {
          going.delete(runId);
          if (!ended.includes(runId)) ended.push(runId);
          await forget();
        } else {
          going.add(runId);
          ended.splice(ended.indexOf(runId), 1);
        }
        return position;
      }),
    read: (runId, after, demand) => defer(() => known(runId)).pipe(mergeMap((run) => tail(run, after, demand))),
    load: (runId) => defer(async () => (await find(runId))?.told),
    unfinished: () =>
      defer(async () => {
        await (listed ??= list());
        // One that is damaged has not ended either: who loads it is told what is wrong, and the others go on.
        const isGoing = (runId: string): Promise<boolean> => find(runId).then((run) => run?.isEnded === false, () => true);
        const found = await Promise.all([...going].map(async (runId) => ((await isGoing(runId)) ? [runId] : [])));
        return found.flat();
      }),
    list: () =>
      defer(async () => {
        await (listed ??= list());
        return [...ended, ...going].reverse();
      }),
  };
}

function namesIn(dir: string): readonly string[] {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return readdirSync(dir).filter((name) => name.endsWith('.jsonl') && isRunId(name.slice(0, -'.jsonl'.length)));
  } catch (error) {
    throw new ConfigError(`fileRunLog: the folder ${dir} cannot be used; give dir the path of one that may be written.`, { cause: error });
  }
}

/** No file, gone, or not ours to read: opening it tells. */
const UNREADABLE = { changedAt: 0, hasEnd: false };

async function hasLine(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return false;
  try {
    return (await fileLines(file, 0).next()).done !== true;
  } finally {
    await file.close();
  }
}

async function lookAt(path: string): Promise<{ readonly changedAt: number; readonly hasEnd: boolean }> {
  const { size, mtimeMs } = await stat(path);
  const file = await open(path, 'r');
  try {
    const length = Math.min(size, END_LINE.length);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return { changedAt: mtimeMs, hasEnd: buffer.toString() === END_LINE };
  } finally {
    await file.close();
  }
}
