import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What an adapter must make of a body; `null` is "not on the wire". */
export interface Expected {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string | null;
  readonly toolCalls: readonly ExpectedCall[];
  readonly stop: { readonly raw: string | null; readonly normalized: string; readonly accept?: readonly string[] };
  readonly usage: Readonly<
    Record<'input' | 'output' | 'cachedRead' | 'cachedWrite' | 'reasoning' | 'total', number | null>
  >;
  readonly error: { readonly type: string | null; readonly code: unknown; readonly message: string | null } | null;
  /** Tools that the provider ran. */
  readonly builtinTools?: readonly { readonly name: string; readonly id: string | null }[];
  /** How many. */
  readonly citations?: number;
  readonly redactedReasoning?: number;
  /** A signature came that must go back. */
  readonly reasoningSigned?: boolean;
}

export interface ExpectedCall {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: unknown;
  /** Only where the text is not JSON. */
  readonly argumentsText?: string;
}

/** One step of a recorded tool loop, and what its client sent back afterwards. */
export interface SessionStep {
  readonly id: string;
  readonly step: number;
  readonly of: number;
  readonly toolResultsSentNext?: readonly { readonly id: string; readonly name: string | null; readonly content: string }[];
}

/** A response body with what must come of it. */
export interface Recording {
  /** `<folder>/<case>`. */
  readonly id: string;
  readonly dialect: string;
  readonly body: Uint8Array;
  readonly expected: Expected;
  readonly session?: SessionStep;
  readonly httpStatus?: number;
  readonly contentType?: string;
}

const root = resolve(__dirname, '../..');

/** Where streams recorded from real services are, if they are there at all: they are no part of this repository. */
export const corpusFolder = resolve(process.env['RX_TOOL_LOOP_CORPUS'] ?? join(root, '../shared/corpus'));

export function hasCorpus(): boolean {
  return existsSync(join(corpusFolder, 'index.json'));
}

/** The recorded streams of one dialect in these folders; none where the recordings are absent. */
export function recordings(dialect: string, folders: readonly string[]): Recording[] {
  if (!hasCorpus()) return [];
  return folders.flatMap((folder) =>
    readdirSync(join(corpusFolder, folder))
      .filter((file) => file.endsWith('.meta.json'))
      .sort()
      .map((file) => recording(folder, file))
      .filter((found) => found.dialect === dialect),
  );
}

/** The folders that hold recordings of one dialect. */
export function foldersOf(dialect: string): string[] {
  if (!hasCorpus()) return [];
  const rows = readJson(join(corpusFolder, 'index.json')) as readonly { readonly id: string; readonly dialect: string }[];
  return [...new Set(rows.filter((row) => row.dialect === dialect).map(({ id }) => id.slice(0, id.indexOf('/'))))];
}

const WHOLE_CUT_BYTES = 8_192;
const RANDOM_CUTS = 200;

/** Repeats the random cuts of a run: print it. */
export const cutSeed = Number(process.env['CUT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Where a body is cut: at every position of a short one, at random ones (mulberry32 of the seed) of a long one. */
export function cutPositions(length: number): number[] {
  if (length <= WHOLE_CUT_BYTES) return Array.from({ length: length + 1 }, (_, at) => at);
  let state = cutSeed;
  return Array.from({ length: RANDOM_CUTS }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % (length + 1);
  });
}

/** The steps of one recorded tool loop, such as `openai/gpt5-parallel-session`, in order. */
export function session(dialect: string, id: string): Recording[] {
  return recordings(dialect, [id.slice(0, id.indexOf('/'))])
    .filter((found) => found.session?.id === id)
    .sort((a, b) => (a.session?.step ?? 0) - (b.session?.step ?? 0));
}

/** The bodies that this repository brings itself, written by hand. */
export function fixtures(dialect: string): Recording[] {
  const folder = join(root, 'spec/fixtures', dialect);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const name = file.slice(0, -'.json'.length);
      const expected = readJson(join(folder, file)) as Expected;
      return { id: `fixtures/${name}`, dialect, body: readBody(join(folder, `${name}.sse`)), expected };
    });
}

/** Says for a spec whether the recordings are there; absent, they fail in CI and are named on a console elsewhere. */
export function corpusNotice(): string {
  return hasCorpus()
    ? 'finds the recorded streams'
    : `runs WITHOUT the recorded streams: none in ${corpusFolder} (set RX_TOOL_LOOP_CORPUS)`;
}

export function checkCorpus(): void {
  if (hasCorpus()) return;
  if (process.env['CI']) throw new Error(`There are no recorded streams in ${corpusFolder}: set RX_TOOL_LOOP_CORPUS.`);
  console.warn(`No recorded streams in ${corpusFolder}: only the bodies in spec/fixtures were checked.`);
}

function recording(folder: string, file: string): Recording {
  const meta = readJson(join(corpusFolder, folder, file)) as Omit<Recording, 'body'> & { readonly body: string };
  return { ...meta, body: readBody(join(corpusFolder, folder, meta.body)) };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function readBody(path: string): Uint8Array {
  return new Uint8Array(readFileSync(path));
}
