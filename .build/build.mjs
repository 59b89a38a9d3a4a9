// npm run build, its first half: the JavaScript of the package. The compiler then writes the declarations beside it.
// Each door of the package becomes one file, and what doors share goes into chunks: a program that imports the package
// opens a few files where one file a source would cost it more time than rxjs takes to run.
import { build } from 'esbuild';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

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

// The inspector's page, whole in one file beside the command that serves it: nothing else is loaded, from nowhere.
const folder = 'lib/view/inspector';
const { outputFiles: [script] } = await build({
  stdin: { contents: `import { inspector } from './inspector.ts';\ninspector(document);\n`, resolveDir: folder, sourcefile: 'page.js' },
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
});
const parts = {
  '/* page.css */': readFileSync(`${folder}/page.css`, 'utf8'),
  // The end of the element, as a text in the program, would end it.
  '/* page.js */': script.text.replaceAll('</script', '<\\/script'),
};
const page = readFileSync(`${folder}/page.html`, 'utf8').replace(/\/\* page\.(css|js) \*\//g, (place) => parts[place]);
writeFileSync('dist/lib/serve/inspector.html', page);
