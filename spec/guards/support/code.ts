import * as ts from 'typescript';
import { read } from './project.ts';

const parsed = new Map<string, ts.SourceFile>();

/** The syntax of a file of the project. */
export function syntaxOf(file: string): ts.SourceFile {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2022, true);
  parsed.set(file, source);
  return source;
}

/** Every node below one, depth first, in the order of the text. */
export function* nodesIn(node: ts.Node): Generator<ts.Node> {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) {
    yield child;
    yield* nodesIn(child);
  }
}

const TEXTS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.TemplateHead,
  ts.SyntaxKind.TemplateMiddle,
  ts.SyntaxKind.TemplateTail,
  ts.SyntaxKind.RegularExpressionLiteral,
]);

/** The text of a file with everything in comments, strings and regular expressions blanked; lines stay where they are. */
export function codeOf(file: string): string {
  const source = syntaxOf(file);
  const { text } = source;
  let code = '';
  const skipTo = (position: number): void => {
    code += text.slice(code.length, position).replace(/[^\n]/g, ' ');
  };
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source);
    if (children.length > 0) {
      for (const child of children) if (!isDocComment(child)) visit(child);
      return;
    }
    if (TEXTS.has(node.kind)) return;
    skipTo(node.getStart(source));
    code += text.slice(code.length, node.end);
  };
  visit(source);
  skipTo(text.length);
  return code;
}

function isDocComment({ kind }: ts.Node): boolean {
  return kind >= ts.SyntaxKind.FirstJSDocNode && kind <= ts.SyntaxKind.LastJSDocNode;
}

/** `file:line`, as an editor opens it. */
export function placeOf(file: string, position: number): string {
  return `${file}:${syntaxOf(file).getLineAndCharacterOfPosition(position).line + 1}`;
}

/** Where a pattern stands in the code of a file: `file:line  the line`. */
export function findInCode(file: string, pattern: RegExp): string[] {
  const lines = read(file).split('\n');
  return codeOf(file)
    .split('\n')
    .flatMap((code, at) => (pattern.test(code) ? [`${file}:${at + 1}  ${(lines[at] ?? '').trim()}`] : []));
}

export interface Import {
  readonly file: string;
  readonly place: string;
  readonly specifier: string;
  /** Leaves no trace in the built file. */
  readonly isTypeOnly: boolean;
}

/** Every module that a file names: imports, re-exports, `import()` of a literal, and `import('…')` types. */
export function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node, specifier: ts.Node | undefined, isTypeOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    found.push({ file, place: placeOf(file, node.getStart()), specifier: specifier.text, isTypeOnly });
  };
  for (const node of nodesIn(syntaxOf(file))) {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier, isTypeImport(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node, node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node, node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node, node.arguments[0], false);
  }
  return found;
}

// Under `verbatimModuleSyntax` only `import type` is erased; `import { type X }` keeps the import.
function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  return clause?.isTypeOnly ?? false;
}
