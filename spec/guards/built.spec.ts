import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build, stop } from 'esbuild';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as ts from 'typescript';
import { importsOf } from './support/code.ts';
import { entries, exists, filesIn, packageJson, read, root } from './support/project.ts';
import { outputOf, run, runModule } from './support/run-node.ts';

const { name } = packageJson;

/** A run with a scripted model and one tool, written as a user of the package writes it. */
const PROGRAM = `
import { completeToolLoop, defineTool, toolLoop, toText } from '${name}';
import { scripted } from '${name}/scripted';
import { lastValueFrom, toArray } from 'rxjs';
import * as z from 'zod';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});
const model = () => scripted([{ calls: [{ name: 'add', arguments: { a: 2, b: 3 } }] }, { text: 'It is 5.' }]);
const said = await lastValueFrom(toolLoop({ model: model(), tools: [add], prompt: 'Add 2 and 3.' }).pipe(toText(), toArray()));
const { reason, messages } = await lastValueFrom(completeToolLoop({ model: model(), tools: [add], prompt: 'Add 2 and 3.' }));
console.log(JSON.stringify({ said: said.join(''), reason, roles: messages.map(({ role }) => role) }));
`;
/** A run whose tool has a raw JSON Schema and whose validator is the default one. */
const RAW = `
import { defineTool, ofType, toolLoop } from '${name}';
import { scripted } from '${name}/scripted';
import { lastValueFrom } from 'rxjs';

const add = defineTool({ name: 'add', description: 'Adds.', input: { type: 'object', required: ['a'] }, run: () => 1 });
const model = scripted([{ calls: [{ name: 'add', arguments: {} }] }, { text: 'ok' }]);
const result$ = toolLoop({ model, tools: [add], prompt: 'go' }).pipe(ofType('tool-result'));
console.log(await lastValueFrom(result$).then(({ result }) => result.error.message, ({ message }) => message));
`;

const PRINTS = { said: 'It is 5.', reason: 'answer', roles: ['user', 'assistant', 'tool'] };

describe('the built package under plain Node', () => {
  it('is there, and has nothing that no source stands behind', () => {
    const declared = filesIn('dist', '.d.ts').map((file) => file.replace(/^dist\/(.+)\.d\.ts$/, '$1.ts'));
    const bundled = filesIn('dist', '.js.map').flatMap(sourcesOf);
    if (declared.length === 0 || bundled.length === 0) throw new Error('There is no dist: run "npm run build" first.');
    const stale = [...declared, ...bundled].filter((file) => !exists(file));
    if (stale.length > 0) throw new Error(`dist was built from files that are gone (${stale.join(', ')}): remove it and build again.`);
    expect(declared).toContain('lib/index.ts');
    expect(bundled).toContain('lib/loop/tool-loop.ts');
  });

  it('has no file that its doors do not lead to, and each source once', () => {
    const reached = new Set([...entries.map(({ built }) => built), ...Object.values(packageJson.bin)]);
    for (const file of reached) {
      for (const { specifier } of importsOf(file)) if (specifier.startsWith('.')) reached.add(join(dirname(file), specifier));
    }
    expect(filesIn('dist', '.js')).toEqual([...reached].sort());
    const bundled = filesIn('dist', '.js.map').flatMap(sourcesOf);
    expect(bundled.filter((file, at) => bundled.indexOf(file) !== at)).toEqual([]);
  });

  it.each(entries)('opens as $name', ({ name: entry }) => {
    expect(Number(outputOf(runModule(`console.log(Object.keys(await import('${entry}')).length);`)))).toBeGreaterThan(0);
  });

  it('shows its package.json and nothing else of its inside', () => {
    const open = (path: string): string => outputOf(runModule(`console.log(await import('${name}/${path}').then(() => 'open', ({ code }) => code));`)).trim();
    expect(outputOf(runModule(`import json from '${name}/package.json' with { type: 'json' }; console.log(json.name);`)).trim()).toBe(name);
    expect(['lib/index.js', 'dist/lib/index.js', 'loop/tool-loop.js', 'loop/tool-loop'].map(open)).toEqual(Array(4).fill('ERR_PACKAGE_PATH_NOT_EXPORTED'));
  });

  it('runs a loop', () => {
    expect(JSON.parse(outputOf(runModule(PROGRAM)))).toEqual(PRINTS);
  });

  it('checks a raw JSON Schema', () => {
    expect(outputOf(runModule(RAW)).trim()).toBe('Invalid arguments for tool "add": a: is required');
  });

  it('loads no zod for the main entry or a model', () => {
    const loaded = (entry: string): boolean => {
      const hook = `export function resolve(specifier, context, next) {
        if (/^zod/.test(specifier)) throw new Error('zod is loaded by ' + context.parentURL);
        return next(specifier, context);
      }`;
      const register = `import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));`;
      return runModule(`${register} await import('${entry}');`).status !== 0;
    };
    const withZod = entries.filter(({ name: entry }) => loaded(entry)).map(({ subpath }) => subpath);
    expect(withZod).toEqual(['./schema', './http']);
  });
});

describe('the packed package', () => {
  let folder = '';
  let modules = '';
  let packed: string[] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), `${name}-`));
    modules = join(folder, 'node_modules');
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, '--cache', join(folder, 'cache')];
    const [{ filename, files }] = JSON.parse(outputOf(run('npm', args))) as [{ filename: string; files: { path: string }[] }];
    packed = files.map(({ path }) => path).sort();
    mkdirSync(modules);
    outputOf(run('tar', ['-xzf', join(folder, filename), '-C', modules]));
    outputOf(run('mv', [join(modules, 'package'), join(modules, name)]));
    // rxjs needs tslib; everything else of this project stays out of reach.
    for (const needed of ['rxjs', 'zod', 'tslib', '@angular']) symlinkSync(join(root, 'node_modules', needed), join(modules, needed));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await stop();
  });

  it('holds what was built, and the texts about it', () => {
    const outside = packed.filter((file) => !file.startsWith('dist/'));
    expect(outside).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    // The page of the inspector, which the command serves.
    expect(packed).toContain('dist/lib/serve/inspector.html');
    outside.push('dist/lib/serve/inspector.html');
    expect(packed.filter((file) => !/^dist\/(lib|marbles)\/.+\.(js|d\.ts)(\.map)?$/.test(file) && !outside.includes(file))).toEqual([]);
  });

  it('installs a command that Node can start', () => {
    const commands = Object.values(packageJson.bin).map((file) => file.replace(/^\.\//, ''));
    expect(commands.filter((file) => !packed.includes(file))).toEqual([]);
    const [command = ''] = commands;
    const help = outputOf(run(process.execPath, [join(modules, name, command), '--help'], folder));
    expect(help).toContain(name);
  });

  it('runs where only its peers are installed', () => {
    writeFileSync(join(folder, 'program.mjs'), PROGRAM);
    expect(JSON.parse(outputOf(run(process.execPath, ['program.mjs'], folder)))).toEqual(PRINTS);
  });

  it('says what to install for a raw JSON Schema where its optional peer is missing, in a bundle too', async () => {
    const missing = /^The JSON Schema of tool "add" cannot be checked: its validator did not load\. Install @cfworker\/json-schema, or give the option validator/;
    writeFileSync(join(folder, 'raw.mjs'), RAW);
    expect(outputOf(run(process.execPath, ['raw.mjs'], folder))).toMatch(missing);
    const { warnings } = await build({ entryPoints: [join(folder, 'raw.mjs')], outfile: join(folder, 'bundle', 'raw.mjs'), bundle: true, format: 'esm', logLevel: 'silent' });
    expect(warnings).toEqual([]);
    expect(outputOf(run(process.execPath, [join('bundle', 'raw.mjs')], folder))).toMatch(missing);
  });

  // Only the door of Node's own server needs the types of Node.
  const [nodeTypes, isNodes] = [join(root, 'node_modules/@types'), ({ subpath }: (typeof entries)[number]): boolean => subpath === './node-listener'];

  it.each([
    { resolution: 'NodeNext', module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: [] },
    { resolution: 'Bundler', module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, types: [] },
    { resolution: 'NodeNext with @types/node', module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: ['node'] },
  ])('has declarations that a strict $resolution project accepts, libraries checked', ({ module, moduleResolution, types }) => {
    const used = entries.filter((one) => types.length > 0 || !isNodes(one));
    const uses = used.map(({ name: entry }, at) => `import * as entry${at} from '${entry}';\nexport const keys${at} = Object.keys(entry${at});`);
    const consumer = join(folder, 'consumer.ts');
    writeFileSync(consumer, `${uses.join('\n')}\n${PROGRAM}`);
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types,
      typeRoots: [nodeTypes],
      // Those of Node do not agree with those of a browser in every point.
      skipLibCheck: types.length > 0,
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      module,
      moduleResolution,
    };
    const program = ts.createProgram([consumer], options);
    expect(ts.getPreEmitDiagnostics(program).map(told)).toEqual([]);
    // The declarations are the packed ones, not this project's own.
    const read = program.getSourceFiles().map(({ fileName }) => fileName).filter((file) => file.includes('/dist/lib/'));
    expect(read.length).toBeGreaterThan(5);
    expect(read.filter((file) => !file.includes(folder))).toEqual([]);
  });
});

/** What a built file was made of. The map holds their text too: the sources themselves are not packed. */
function sourcesOf(map: string): string[] {
  const { sources, sourcesContent } = JSON.parse(read(map)) as { sources: string[]; sourcesContent: string[] };
  expect(sourcesContent.map((text) => typeof text)).toEqual(sources.map(() => 'string'));
  return sources.map((source) => join(dirname(map), source));
}

function told({ file, start = 0, messageText }: ts.Diagnostic): string {
  const line = file === undefined ? '' : `${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1} `;
  return line + ts.flattenDiagnosticMessageText(messageText, ' ');
}
