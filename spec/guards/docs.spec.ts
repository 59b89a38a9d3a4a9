import { describe, expect, it } from '@jest/globals';
import { statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import * as ts from 'typescript';
import { ambient } from './support/ambient.ts';
import { blocks, documents, proseLines } from './support/blocks.ts';
import type { Block } from './support/blocks.ts';
import { compilerOptions, hostWith } from './support/declarations.ts';
import { entries, exists, filesIn, read, root } from './support/project.ts';
import { outputOf, runModule } from './support/run-node.ts';

const all = blocks();
const programs = all.filter(({ language }) => language === 'ts' || language === 'tsx');
/** Plain JavaScript, and files that a text only sketches: what they import of this package is checked, and nothing else. */
const sketches = all.filter(({ language }) => language === 'js');
const diagrams = all.filter(({ language }) => language === 'marbles');

describe('a program in a text', () => {
  const faults = compile([...programs, ...sketches]);

  it('is found in the doc comments', () => {
    expect(programs.length).toBeGreaterThan(2);
  });

  it.each([...programs, ...sketches])('at $place compiles as it stands', (block) => {
    const found = faults.get(block) ?? [];
    if (found.length > 0) throw new Error(`The program at ${block.place} does not compile:\n${found.join('\n')}`);
  });

  it('has a fence that is read here', () => {
    const other = all.filter(({ language }) => /^(typescript|javascript|jsx|mjs|mts)$/.test(language));
    expect(other.map(({ place, language }) => `${place} is fenced as ${language}: write ts or tsx, or js for plain JavaScript`)).toEqual([]);
  });
});

describe('a diagram in a text', () => {
  const specs = filesIn('spec', '.spec.ts').filter((file) => !file.startsWith('spec/guards/'));
  const drawn = specs.map(read).join('\n');

  it.each(diagrams)('at $place is drawn in a spec', ({ place, lines }) => {
    const rows = lines.filter((line) => line.trim() !== '').map((line) => /^\s*(\S+)\s+(\S+)\s*$/.exec(line) ?? line);
    const unreadable = rows.filter((row) => typeof row === 'string');
    if (unreadable.length > 0) throw new Error(`${place}: a row is a name and a diagram, not "${unreadable.join('", "')}".`);
    const missing = rows.filter((row) => !isDrawn(row[2] ?? '', drawn)).map((row) => row[0].trim());
    if (missing.length > 0) throw new Error(`${place}: no spec draws\n  ${missing.join('\n  ')}`);
    expect(rows.length).toBeGreaterThan(0);
  });
});

describe('the README', () => {
  const [program] = programs.filter(({ file }) => file === 'README.md');

  it('exists, with a program', () => {
    expect(documents).toContain('README.md');
    expect(program).toBeDefined();
  });

  it('begins with a program of at most 15 lines', () => {
    expect(program?.lines.length ?? Infinity).toBeLessThanOrEqual(15);
  });

  it('begins with a program that runs, and shows what it prints', () => {
    const printed = printedBy(program?.lines.join('\n') ?? "throw new Error('README.md has no program.');");
    expect(printed.trim()).toMatch(/\w+/);
    const shown = all.filter(({ file, language }) => file === 'README.md' && language === 'text').map(({ lines }) => lines.join('\n').trim());
    expect(shown).toContain(printed.trim());
  });

  it('shows no program longer than a screen', () => {
    const long = programs.filter(({ file, lines }) => file === 'README.md' && lines.length > 40);
    expect(long.map(({ place }) => place)).toEqual([]);
  });
});

describe('a recipe, or a page that shows what it prints', () => {
  const programOf = ({ file, line }: Block): string => programs.filter((one) => one.file === file && one.line < line).at(-1)?.lines.join('\n') ?? '';
  // A program that asks for a key cannot be run here.
  const shown = all.filter((one) => /^docs\/(recipes\/|(ag-ui|ai-sdk-ui|http|projections)\.md$)/.test(one.file) && one.language === 'text' && !programOf(one).includes('process.env'));

  it.each(shown)('at $place prints what its program says', (block) => {
    expect(printedBy(programOf(block)).trimEnd()).toBe(block.lines.join('\n').trimEnd());
  });
});

describe('a link', () => {
  it('to a file, a picture or a heading of the project leads there', () => {
    expect(documents.flatMap(brokenLinks)).toEqual([]);
  });

  it('leads to every picture of the project, each under 80 KB', () => {
    const texts = documents.map(read).join('\n');
    const pictures = filesIn('docs/images', '.png');
    expect(pictures.filter((file) => !texts.includes(basename(file)) || statSync(join(root, file)).size > 80_000)).toEqual([]);
    expect(pictures.length).toBeGreaterThan(0);
  });
});

/** What a program prints under plain Node, with its types taken off. */
function printedBy(text: string): string {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true };
  return outputOf(runModule(ts.transpileModule(text, { compilerOptions }).outputText));
}

/** A diagram as a whole, not as a part of a longer one. */
function isDrawn(diagram: string, text: string): boolean {
  const edge = /[\s'"`]/;
  for (let at = text.indexOf(diagram); at >= 0; at = text.indexOf(diagram, at + 1)) {
    if (edge.test(text[at - 1] ?? ' ') && edge.test(text[at + diagram.length] ?? ' ')) return true;
  }
  return false;
}

/** What the compiler says of each block, with the places in the text that holds it. */
function compile(all: readonly Block[]): Map<Block, string[]> {
  const options: ts.CompilerOptions = {
    ...compilerOptions(),
    noEmit: true,
    jsx: ts.JsxEmit.ReactJSX,
    noUnusedLocals: false,
    noUnusedParameters: false,
    moduleDetection: ts.ModuleDetectionKind.Force,
    paths: Object.fromEntries(entries.map(({ name, source }) => [name, [join(root, source)]])),
  };
  // In a folder of the package, where its dependencies are found; the folder itself does not exist.
  const pathOf = (at: number): string => join(root, 'text-blocks', `${at}.${all[at]?.language === 'tsx' ? 'tsx' : 'ts'}`);
  const files = new Map(all.map((block, at) => [pathOf(at), block.language === 'js' ? importsOf(block) : block.lines.join('\n')]));
  const ambientFile = join(root, 'text-blocks', 'ambient.d.cts');
  files.set(ambientFile, ambient);
  const program = ts.createProgram([...files.keys()], options, hostWith(files, options));
  return new Map(
    all.map((block, at) => {
      const source = program.getSourceFile(pathOf(at));
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      return [block, found.map((one) => told(block, one))];
    }),
  );
}

/** A block's imports of this package, each on its own line. */
function importsOf({ lines }: Block): string {
  const text = lines.join('\n');
  const kept = ts
    .createSourceFile('block.js', text, ts.ScriptTarget.ES2022, true)
    .statements.filter((one) => ts.isImportDeclaration(one) && /^['"]rx-tool-loop\b/.test(one.moduleSpecifier.getText()));
  const isKept = (at: number): boolean => kept.some((one) => one.getStart() <= at && at < one.end);
  return text.replace(/[^\n]/g, (letter, at: number) => (isKept(at) ? letter : ' '));
}

function told({ file, line }: Block, { file: source, start = 0, messageText }: ts.Diagnostic): string {
  const within = source?.getLineAndCharacterOfPosition(start).line ?? 0;
  return `  ${file}:${line + within}  ${ts.flattenDiagnosticMessageText(messageText, '\n    ')}`;
}

function brokenLinks(file: string): string[] {
  return proseLines(file).flatMap((line, at) =>
    [...line.matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)|<[^>]*\b(?:src|srcset|href)="([^"]+)"/g)]
      .map(([, inline, reference, ofElement]) => inline ?? reference ?? ofElement ?? '')
      .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target) && !leads(file, target))
      .map((target) => `${file}:${at + 1} links to ${target}`),
  );
}

function leads(from: string, link: string): boolean {
  const [path = '', heading] = decodeURI(link).split('#');
  const target = path === '' ? from : normalize(join(dirname(from), path));
  if (!exists(target)) return false;
  return heading === undefined || !target.endsWith('.md') || headingsOf(target).includes(heading);
}

/** The anchors of a document's headings, as GitHub makes them. */
function headingsOf(file: string): string[] {
  const seen = new Map<string, number>();
  return proseLines(file).flatMap((line) => {
    const [, title] = /^#{1,6}\s+(.*?)\s*#*$/.exec(line) ?? [];
    if (title === undefined) return [];
    const anchor = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return [count === 0 ? anchor : `${anchor}-${count}`];
  });
}
