import * as ts from 'typescript';
import { join, relative } from 'node:path';
import { entries, filesIn, root } from './project.ts';
import type { Entry } from './project.ts';

/** One name that an entry exports, or that an exported one mentions. */
export interface Surface {
  readonly name: string;
  readonly kind: string;
  /** Exists at run time. */
  readonly isValue: boolean;
  /** Its declaration, without comments. */
  readonly text: string;
}

export interface EntrySurface {
  readonly entry: Entry;
  readonly exported: readonly Surface[];
  /** Not exported by this entry or the main one, but mentioned by a declaration above. */
  readonly mentioned: readonly Surface[];
}

/** The compiler's options of the package itself. */
export function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile) as { config: unknown };
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options;
}

/** A compiler host that reads some files from memory; paths are absolute. */
export function hostWith(files: ReadonlyMap<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile, directoryExists } = host;
  const folders = new Set([...files.keys()].flatMap((file) => foldersOf(file)));
  return Object.assign(host, {
    fileExists: (file: string) => files.has(file) || fileExists.call(host, file),
    readFile: (file: string) => files.get(file) ?? readFile.call(host, file),
    directoryExists: (folder: string) => folders.has(folder) || (directoryExists?.call(host, folder) ?? true),
    getSourceFile: (file: string, target: ts.ScriptTarget | ts.CreateSourceFileOptions) => {
      const text = files.get(file);
      return text === undefined ? getSourceFile.call(host, file, target) : ts.createSourceFile(file, text, target, true);
    },
  });
}

/** The declarations that a build would write, from the sources as they are now. */
function emittedDeclarations(): Map<string, string> {
  const options = { ...compilerOptions(), emitDeclarationOnly: true, declarationMap: false };
  const sources = [...filesIn('lib', '.ts'), ...filesIn('marbles', '.ts')].map((file) => join(root, file));
  const emitted = new Map<string, string>();
  // Out of the way of dist, which may be older: nothing there is read.
  const program = ts.createProgram(sources, { ...options, outDir: join(root, 'surface') });
  program.emit(undefined, (file, text) => void emitted.set(file, text));
  return emitted;
}

/** Every entry's public names, in the order of the exports map and then of the alphabet. */
export function surfaces(): EntrySurface[] {
  const emitted = emittedDeclarations();
  const options = { ...compilerOptions(), noEmit: true };
  const program = ts.createProgram([...emitted.keys()], options, hostWith(emitted, options));
  const checker = program.getTypeChecker();
  const printer = ts.createPrinter({ removeComments: true });

  const surfaceOf = (name: string, symbol: ts.Symbol): Surface => {
    const declarations = symbol.declarations ?? [];
    const texts = declarations.map((one) => printer.printNode(ts.EmitHint.Unspecified, statementOf(one), one.getSourceFile()));
    const isValue = (symbol.flags & ts.SymbolFlags.Value) !== 0;
    return { name, kind: declarations[0] === undefined ? 'unknown' : kindOf(declarations[0]), isValue, text: texts.join('\n') };
  };
  const resolved = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const mentionedBy = (symbol: ts.Symbol): ts.Symbol[] => {
    const found: ts.Symbol[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) {
        const target = checker.getSymbolAtLocation(node);
        const declared = target && resolved(target);
        if (declared?.declarations?.some((one) => emitted.has(one.getSourceFile().fileName) && isTopLevel(one))) found.push(declared);
      }
      ts.forEachChild(node, visit);
    };
    for (const declaration of symbol.declarations ?? []) visit(statementOf(declaration));
    return found;
  };

  const known = new Set<ts.Symbol>();
  return entries.map((entry) => {
    const file = program.getSourceFile(join(root, 'surface', relative('dist', entry.types)));
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) return { entry, exported: [], mentioned: [] };
    const symbols = checker.getExportsOfModule(module).map((symbol) => ({ name: symbol.name, symbol: resolved(symbol) }));
    const byName = (a: Surface, b: Surface): number => (a.name < b.name ? -1 : 1);
    const exported = symbols.map(({ name, symbol }) => surfaceOf(name, symbol)).sort(byName);
    for (const { symbol } of symbols) known.add(symbol);

    const mentioned: Surface[] = [];
    const open = symbols.map(({ symbol }) => symbol);
    for (let symbol = open.pop(); symbol !== undefined; symbol = open.pop()) {
      for (const one of mentionedBy(symbol)) {
        if (known.has(one)) continue;
        known.add(one);
        open.push(one);
        mentioned.push(surfaceOf(one.name, one));
      }
    }
    return { entry, exported, mentioned: mentioned.sort(byName) };
  });
}

function kindOf(node: ts.Declaration): string {
  if (ts.isClassDeclaration(node)) return 'class';
  if (ts.isFunctionDeclaration(node)) return 'function';
  if (ts.isInterfaceDeclaration(node)) return 'interface';
  if (ts.isTypeAliasDeclaration(node)) return 'type';
  return ts.isVariableDeclaration(node) ? 'const' : ts.SyntaxKind[node.kind];
}

function statementOf(node: ts.Node): ts.Node {
  return ts.isVariableDeclaration(node) ? node.parent.parent : node;
}

function isTopLevel(node: ts.Node): boolean {
  return ts.isSourceFile(statementOf(node).parent);
}

function foldersOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}
