import { build } from 'esbuild';
import type { Loader, Plugin } from 'esbuild';
import { join } from 'node:path';
import { blocks } from '../guards/support/blocks.ts';
import { entries, root } from '../guards/support/project.ts';

/** The one block of a language in a document that begins with these words: what a reader of the page would copy. */
export function blockOf(file: string, language: string, holds: string): string {
  const found = blocks().filter((one) => one.file === file && one.language === language && one.lines.join('\n').includes(holds));
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${file} has ${found.length} blocks of ${language} with ${JSON.stringify(holds)}.`);
  return found[0].lines.join('\n');
}

/**
 * A module of a page, loaded as an application would load it. This package is that of the sources.
 *
 * @param external - packages that the spec uses too
 * @param load - the `require` of the spec
 * @param files - JavaScript that the module imports, by the name that it uses
 */
export async function pageModule<T>(text: string, loader: Loader, external: readonly string[], load: NodeJS.Require, files: ReadonlyMap<string, string> = new Map()): Promise<T> {
  const ours = entries.map(({ name }) => name);
  const { outputFiles, warnings } = await build({
    stdin: { contents: text, loader, resolveDir: root, sourcefile: 'page' },
    bundle: true,
    write: false,
    format: 'cjs',
    jsx: 'automatic',
    target: 'es2022',
    conditions: ['browser', 'development'],
    external: [...external, ...ours],
    plugins: [inMemory(files)],
    logLevel: 'silent',
  });
  if (warnings.length > 0) throw new Error(`The page does not bundle cleanly: ${JSON.stringify(warnings)}`);
  const module = { exports: {} as T };
  const find = (name: string): unknown => {
    const entry = entries.find((one) => one.name === name);
    return load(entry === undefined ? name : join(root, entry.source));
  };
  new Function('module', 'exports', 'require', outputFiles[0]?.text ?? '')(module, module.exports, find);
  return module.exports;
}

function inMemory(files: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'in-memory',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^page:/ }, ({ path }) => (files.has(path) ? { path, namespace: 'page' } : undefined));
      onLoad({ filter: /.*/, namespace: 'page' }, ({ path }) => ({ contents: files.get(path) ?? '', loader: 'js', resolveDir: root }));
    },
  };
}
