import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder that holds package.json. */
export const root = join(__dirname, '../../..');

/** An example may have packages and a build of its own, which are not looked into: they are tens of thousands of files. */
const FOREIGN: ReadonlySet<string> = new Set(['node_modules', 'dist', '.angular']);

/** Paths are relative to the root, with `/`. A folder that does not exist has no files. */
export function filesIn(folder: string, ...endings: readonly string[]): string[] {
  const start = join(root, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return FOREIGN.has(entry.name) ? [] : filesIn(path, ...endings);
      return entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)) ? [path] : [];
    })
    .sort();
}

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

export function exists(file: string): boolean {
  return existsSync(join(root, file));
}

/** As an editor counts them: a last line feed begins no line. */
export function lineCount(file: string): number {
  return read(file).replace(/\n$/, '').split('\n').length;
}

interface PackageJson {
  readonly name: string;
  readonly sideEffects: unknown;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

/** One door of the package. */
export interface Entry {
  /** What a user writes: `rx-tool-loop/embedded`. */
  readonly name: string;
  /** `.` or `./embedded`. */
  readonly subpath: string;
  readonly source: string;
  readonly types: string;
  readonly built: string;
}

export const packageJson = JSON.parse(read('package.json')) as PackageJson;

/** Every code entry of the exports map. */
export const entries: readonly Entry[] = Object.entries(packageJson.exports).flatMap(([subpath, target]) => {
  if (typeof target === 'string') return [];
  const source = target.default.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts');
  const plain = (path: string): string => path.replace(/^\.\//, '');
  return [{ name: packageJson.name + subpath.slice(1), subpath, source, types: plain(target.types), built: plain(target.default) }];
});
