// npm run build, its first half: the JavaScript of the package. The compiler then writes the declarations beside it.
// Each door of the package becomes one file, and what doors share goes into chunks: a program that imports the package
// opens a few files where one file a source would cost it more time than rxjs takes to run.
import { build } from 'esbuild';
import { readFileSync, rmSync } from 'node:fs';

const { bin, exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const doors = [...Object.values(exports).map((target) => target.default), ...Object.values(bin)].filter((file) => file !== undefined);

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: doors.map((file) => file.replace(/^(\.\/)?dist\/(.+)\.js$/, '$2.ts')),
  outdir: 'dist',
  outbase: '.',
  chunkNames: 'lib/chunks/[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  packages: 'external',
  target: 'es2022',
  // Readable, and mapped to the sources: minifying is the application's business.
  sourcemap: true,
  legalComments: 'none',
  logLevel: 'warning',
});
