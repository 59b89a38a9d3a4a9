import { describe, expect, it } from '@jest/globals';
import { basename } from 'node:path';
import * as ts from 'typescript';
import { findInCode, nodesIn, placeOf, syntaxOf } from './support/code.ts';
import { exists, filesIn, lineCount, read } from './support/project.ts';

const lib = filesIn('lib', '.ts');
const marbles = filesIn('marbles', '.ts');
const sources = [...lib, ...marbles];
const specs = filesIn('spec', '.ts');
const texts = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'package.json', 'package-lock.json', '.npmrc', '.ci/run'].filter(exists);
const told = [...sources, ...texts, ...filesIn('docs', '.md', '.mjs', '.ts', '.js')];

/** The files of a list that are not in the named ones; `lib/serve/` names a folder. */
function outside(files: readonly string[], ...named: readonly string[]): string[] {
  return files.filter((file) => !named.some((name) => file === name || (name.endsWith('/') && file.startsWith(name))));
}

function find(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) => findInCode(file, pattern));
}

function findNodes(files: readonly string[], isWrong: (node: ts.Node, file: string) => boolean): string[] {
  return files.flatMap((file) =>
    [...nodesIn(syntaxOf(file))]
      .filter((node) => isWrong(node, file))
      .map((node) => `${placeOf(file, node.getStart())}  ${node.getText().split('\n')[0]}`),
  );
}

/** Lines of a text, comments and strings included, in which a pattern occurs. */
function findInText(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, at) => (pattern.test(line) ? [`${file}:${at + 1}  ${line.trim()}`] : [])),
  );
}

describe('sizes', () => {
  const over = (files: readonly string[], max: number): string[] =>
    files.filter((file) => lineCount(file) > max).map((file) => `${file} has ${lineCount(file)} lines, at most ${max} are allowed`);

  it('of files stay readable in one sitting', () => {
    expect(over(sources, 249)).toEqual([]);
    expect(over(['lib/loop/tool-loop.ts'], 199)).toEqual([]);
    expect(over(outside(specs, 'spec/fixtures/'), 300)).toEqual([]);
  });

  it('of files in lib have a median under 90 lines', () => {
    const sizes = lib.map(lineCount).sort((a, b) => a - b);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThan(90);
  });
});

describe('names', () => {
  it('of files are kebab-case nouns, never a drawer for everything', () => {
    const names = [...sources, ...specs].map((file) => basename(file).replace(/(\.spec|\.types)?\.ts$/, ''));
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([]);
    expect(names.filter((name) => /^(utils?|helpers?|common|core|types|misc|shared)$/.test(name))).toEqual([]);
  });

  it('of exports carry no $', () => {
    const declared = sources.flatMap((file) => syntaxOf(file).statements.filter(isExported).flatMap(namesOf));
    expect(declared.length).toBeGreaterThan(100);
    expect(declared.filter((name) => name.includes('$'))).toEqual([]);
  });
});

describe('observables', () => {
  it('are subscribed in the named files only', () => {
    // A store is the end of the pipeline: frameworks read it, and nothing leads on from there. Signals are set from a store, and a `fetch`
    // that Angular makes begins when it is called.
    const angular = ['lib/view/angular-loop.ts', 'lib/view/angular-http.ts'];
    const named = ['lib/relay.ts', 'lib/answer.ts', 'lib/loop/unfold.ts', 'lib/fold/in-order.ts', 'lib/bytes/open.ts', 'lib/projections/pull.ts', 'lib/serve/', 'lib/invoke/mcp-elicitation.ts', 'lib/view/remote.ts', 'lib/view/store-runs.ts', 'lib/view/inspector/inspector.ts', ...angular];
    expect(find(outside(lib, ...named), /\.subscribe\(|\b(firstValueFrom|lastValueFrom|toPromise)\b/)).toEqual([]);
  });

  it('are cold: nothing of RxJS that shares one subscription is imported', () => {
    const isShared = (node: ts.Node): boolean =>
      ts.isImportSpecifier(node) && /Subject$|^share|^connect|^publish|^multicast$|^refCount$/.test((node.propertyName ?? node.name).text);
    expect(findNodes(lib, isShared)).toEqual([]);
  });
});

describe('time and chance', () => {
  it('enter through options: no promise, timer, clock or random number outside the named files', () => {
    // An async iterator is made of promises: it is the reader's side, not the run's. So is the transport of a chat, and a `fetch`. A page
    // dates the tape that it saves.
    const named = ['lib/answer.ts', 'lib/bytes/open.ts', 'lib/projections/pull.ts', 'lib/projections/readable-stream.ts', 'lib/projections/ui-messages-transport.ts', 'lib/serve/', 'lib/bytes/record-fetch.ts', 'lib/view/inspector/iso-time.ts', 'lib/view/angular-http.ts'];
    const isPromise = (node: ts.Node): boolean =>
      ts.isAwaitExpression(node) ||
      node.kind === ts.SyntaxKind.AsyncKeyword ||
      (ts.isForOfStatement(node) && node.awaitModifier !== undefined);
    expect(findNodes(outside(lib, ...named), isPromise)).toEqual([]);

    const AMBIENT = new Set(['Promise', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'requestAnimationFrame', 'Date', 'performance', 'process']);
    const isAmbient = (node: ts.Node): boolean => ts.isIdentifier(node) && isValue(node) && AMBIENT.has(node.text);
    expect(findNodes(outside(lib, ...named), isAmbient)).toEqual([]);
  });

  it('are not spent on loading code, but for the default validator', () => {
    const isLoad = (node: ts.Node): boolean => ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
    expect(findNodes(outside(lib, 'lib/invoke/default-validator.ts', 'lib/serve/'), isLoad)).toEqual([]);
    expect(findNodes(['lib/invoke/default-validator.ts'], isLoad)).toHaveLength(1);
  });

  it('have their defaults in one place each', () => {
    expect(find(outside(lib, 'lib/loop/read-options.ts', 'lib/serve/'), /\bMath\.random\b/)).toEqual([]);
    expect(find(['lib/loop/read-options.ts'], /\bMath\.random\b/)).toHaveLength(1);
    expect(find(['lib/loop/read-options.ts'], /options\.random \?\? Math\.random,/)).toHaveLength(1);
    expect(find(outside(lib, 'lib/ids.ts', 'lib/serve/'), /\bcrypto\b|\brandomUUID\b/)).toEqual([]);
  });

  it('are never parsed from a date outside the byte source', () => {
    expect(find(outside(lib, 'lib/bytes/', 'lib/serve/'), /\bDate\.parse\b/)).toEqual([]);
  });

  it('are read from the scheduler alone', () => {
    const isOtherClock = (node: ts.Node): boolean =>
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === 'now' &&
      !/(^|\.)(scheduler|clock)$/.test(node.expression.expression.getText());
    // The byte source is handed the scheduler's clock as a function.
    expect(findNodes(outside(lib, 'lib/bytes/open.ts', 'lib/bytes/record-fetch.ts', 'lib/serve/'), isOtherClock)).toEqual([]);
  });
});

describe('policy', () => {
  const policy = syntaxOf('lib/policy.ts').statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === 'Policy');
  const keys = new Set((policy as ts.InterfaceDeclaration).members.map(({ name }) => name?.getText()));
  const presets = new Set(['strict', 'resilient', 'atomic', 'hosted']);

  const isRead = (node: ts.Node): boolean => {
    if (ts.isPropertyAccessExpression(node)) return keys.has(node.name.text);
    if (ts.isElementAccessExpression(node)) return ts.isStringLiteralLike(node.argumentExpression) && keys.has(node.argumentExpression.text);
    return ts.isBindingElement(node) && keys.has((node.propertyName ?? node.name).getText());
  };

  it('is read where a run decides, and nowhere else', () => {
    expect([...keys]).toContain('budgetEnd');
    const deciders = ['lib/loop/settle.ts', 'lib/loop/ending.ts', 'lib/invoke/batch.ts'];
    expect(findNodes(deciders, isRead).length).toBeGreaterThan(3);
    const elsewhere = findNodes(outside(sources, ...deciders), isRead);
    expect(elsewhere).toEqual([]);
  });

  it('is data: no file tests the name of a preset', () => {
    const isName = (node: ts.Node): boolean => ts.isStringLiteralLike(node) && presets.has(node.text) && !ts.isLiteralTypeNode(node.parent);
    const named = findNodes(outside(sources, 'lib/policy.ts'), isName);
    expect(named.map((place) => place.replace(/:\d+ +/, ' '))).toEqual(["lib/loop/read-options.ts 'resilient'"]);
    expect(findNodes(['lib/loop/read-options.ts'], (node) => isName(node) && !ts.isBindingElement(node.parent))).toEqual([]);
  });
});

describe('types', () => {
  it('are `any` only where variance needs it', () => {
    // A tool of known arguments is no tool of `unknown` ones, nor the other way round: only `any` holds every tool.
    const isVariance = ({ parent }: ts.Node): boolean =>
      (ts.isTypeReferenceNode(parent) && /^(Tool|LoopEvent)$/.test(parent.typeName.getText())) ||
      (ts.isTypeParameterDeclaration(parent) && ts.isInterfaceDeclaration(parent.parent) && parent.parent.name.text === 'Tool');
    expect(findNodes(sources, (node) => node.kind === ts.SyntaxKind.AnyKeyword && !isVariance(node))).toEqual([]);
  });

  it('are never silenced', () => {
    expect(findInText([...sources, ...specs], new RegExp('@ts' + '-(ignore|nocheck)'))).toEqual([]);
    expect(findInText([...sources, ...outside(specs, 'spec/types/')], new RegExp('@ts' + '-expect-error'))).toEqual([]);
    expect(findInText(sources, /(eslint|prettier|biome|istanbul|c8|v8)[- ](disable|ignore)(?!$)/)).toEqual([]);
  });
});

describe('text', () => {
  it('has no note to self', () => {
    const note = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b`);
    expect(findInText([...told.filter((file) => file !== 'package-lock.json'), ...specs], note)).toEqual([]);
  });

  it('names no path of a machine and no registry', () => {
    expect(findInText(told, /(?<![\w.$])\/(work|home|tmp|root|Users)\//)).toEqual([]);
    expect(findInText([...told, ...specs], /https?:\/\/[^\s"'/)]*(registry|artifact|nexus|verdaccio|mirror|npmjs\.org)/)).toEqual([]);
  });
});

describe('specs', () => {
  const tests = specs.filter((file) => file.endsWith('.spec.ts'));

  it('are never skipped, singled out or left for later', () => {
    const pattern = /\b(it|test|describe)(\.\w+)*\.(skip|only|todo|failing)\b|\b(xit|fit|xtest|xdescribe|fdescribe)\(/;
    expect(find(tests, pattern)).toEqual([]);
  });

  it('say what is, not what ought to be', () => {
    const isTitle = (node: ts.Node): boolean => {
      if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return false;
      const { parent } = node;
      return ts.isCallExpression(parent) && parent.arguments[0] === node && /^(it|test|describe)\b/.test(parent.expression.getText());
    };
    expect(findNodes(tests, isTitle).length).toBeGreaterThan(tests.length);
    expect(findNodes(tests, (node) => isTitle(node) && /\bshould\b/i.test(node.getText()))).toEqual([]);
  });

  /** Sources with code but without a spec of their path: the spec that begins to prove them instead. */
  const PROVED_ELSEWHERE: Readonly<Record<string, string>> = {
    // The list of what is public is compared name by name.
    'lib/index.ts': 'spec/guards/surface.spec.ts',
    // A page is proved in a browser.
    'lib/view/inspector/download.ts': 'spec/browser/inspector.spec.ts',
    'lib/view/inspector/gestures.ts': 'spec/browser/inspector.spec.ts',
    'lib/view/inspector/inspector.ts': 'spec/browser/inspector.spec.ts',
    'lib/view/inspector/run-list.ts': 'spec/browser/inspector.spec.ts',
    'lib/view/inspector/stage.ts': 'spec/browser/inspector.spec.ts',
  };

  it('stand at the path of the source that they prove', () => {
    const hasCode = (file: string): boolean => syntaxOf(file).statements.some((one) => !isErased(one));
    const specOf = (file: string): string => PROVED_ELSEWHERE[file] ?? file.replace(/^lib\//, 'spec/').replace(/\.ts$/, '.spec.ts');
    const without = lib.filter((file) => hasCode(file) && !exists(specOf(file)));
    expect(without.map((file) => `${file} has no ${specOf(file)}`)).toEqual([]);
    const needless = Object.keys(PROVED_ELSEWHERE).filter((file) => !exists(file) || exists(file.replace(/^lib\//, 'spec/').replace(/\.ts$/, '.spec.ts')));
    expect(needless).toEqual([]);
  });
});

function isExported(statement: ts.Statement): boolean {
  return ts.canHaveModifiers(statement) && (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = statement as ts.DeclarationStatement;
  return name === undefined ? [] : [name.getText()];
}

/** Leaves no trace in the built file. */
function isErased(statement: ts.Statement): boolean {
  if (ts.isImportDeclaration(statement)) return statement.importClause?.isTypeOnly ?? false;
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly;
  return ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
}

/** A name that stands for a value: not a type, a property name or the name that a declaration gives. */
function isValue(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodDeclaration(parent)) return parent.name !== node;
  if (ts.isTypeReferenceNode(parent) || ts.isTypeQueryNode(parent) || ts.isQualifiedName(parent)) return false;
  return !(ts.isParameter(parent) || ts.isVariableDeclaration(parent) || ts.isBindingElement(parent)) || parent.initializer === node;
}
