import { build, stop } from 'esbuild';
import { gzipSync } from 'node:zlib';
import { root } from './project.ts';

export interface Bundle {
  readonly text: string;
  readonly gzipBytes: number;
  /** What is inside, biggest first: the path from the root and its bytes after minifying. */
  readonly parts: readonly { readonly file: string; readonly bytes: number }[];
}

/** What a web application would ship of a program that imports the built package by its name. In memory. */
export async function bundle(program: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: root, sourcefile: 'program.mjs' },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    absWorkingDir: root,
    logLevel: 'silent',
  });
  const text = outputFiles[0]?.text ?? '';
  const [output] = Object.values(metafile.outputs);
  const parts = Object.entries(output?.inputs ?? {})
    .map(([file, { bytesInOutput }]) => ({ file, bytes: bytesInOutput }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
  return { text, gzipBytes: gzipSync(text, { level: 9 }).length, parts };
}

/** Ends the bundler's process; a spec that bundles calls it when it is through. */
export const endBundler = stop;
