import { build, stop } from 'esbuild';
import { SourceMap } from 'node:module';
import type { SourceMapPayload } from 'node:module';
import { gzipSync } from 'node:zlib';
import { root } from './project.ts';

export interface Bundle {
  readonly text: string;
  readonly gzipBytes: number;
  /** What is inside, biggest first: the source's path from the root and its characters after minifying. */
  readonly parts: readonly { readonly file: string; readonly length: number }[];
}

/** What a web application would ship of a program that imports the built package by its name. In memory. */
export async function bundle(program: string, external: readonly string[] = []): Promise<Bundle> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: root, sourcefile: 'program.mjs' },
    bundle: true,
    minify: true,
    write: false,
    // Beside the root's files, for the map's paths to begin there.
    outfile: 'bundle.mjs',
    sourcemap: 'external',
    sourcesContent: false,
    platform: 'browser',
    format: 'esm',
    // Of an entry that is for Node alone: any other that named one would be no part of a web application.
    external: [...external],
    target: 'es2022',
    absWorkingDir: root,
    logLevel: 'silent',
  });
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  const text = textOf('.mjs');
  return { text, gzipBytes: gzipSync(text, { level: 9 }).length, parts: partsOf(text, JSON.parse(textOf('.map')) as SourceMapPayload) };
}

/** Built files hold many sources each: only the maps, followed through them, tell which of these have left something. */
function partsOf(text: string, payload: SourceMapPayload): Bundle['parts'] {
  const map = new SourceMap(payload);
  const lengths = new Map<string, number>();
  for (const [at, line] of text.split('\n').entries()) {
    for (let column = 0; column < line.length; column++) {
      const entry = map.findEntry(at, column);
      if ('originalSource' in entry) lengths.set(entry.originalSource, (lengths.get(entry.originalSource) ?? 0) + 1);
    }
  }
  return [...lengths].map(([file, length]) => ({ file, length })).sort((a, b) => b.length - a.length);
}

/** Ends the bundler's process; a spec that bundles calls it when it is through. */
export const endBundler = stop;
