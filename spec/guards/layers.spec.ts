import { describe, expect, it } from '@jest/globals';
import { posix } from 'node:path';
import * as ts from 'typescript';
import { findInCode, importsOf, nodesIn, placeOf, syntaxOf } from './support/code.ts';
import type { Import } from './support/code.ts';
import { filesIn } from './support/project.ts';

const files = [...filesIn('lib', '.ts'), ...filesIn('marbles', '.ts')];
const imports = files.flatMap(importsOf);

/** The zod schemas; the port `lib/schema-validator.ts` is a noun like any other. */
const SCHEMA = /^lib\/schema(-(?!validator\b)[a-z-]+)?\.ts$/;

/** Where a file stands: its folder, or what it is among the files of `lib` itself. */
function layerOf(file: string): string {
  if (file === 'lib/index.ts') return 'index';
  if (SCHEMA.test(file)) return 'schema';
  const folder = posix.dirname(file);
  return folder === 'lib' ? 'vocabulary' : folder.replace(/^lib\//, '');
}

/** Read as "may import". What is not listed is forbidden, so that a new folder fails until its row is written. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  vocabulary: ['vocabulary'],
  schema: ['vocabulary', 'schema'],
  bytes: ['vocabulary', 'bytes'],
  deltas: ['vocabulary', 'bytes'],
  fold: ['vocabulary', 'fold'],
  invoke: ['vocabulary', 'invoke'],
  loop: ['vocabulary', 'fold', 'invoke', 'loop'],
  projections: ['vocabulary', 'fold', 'projections'],
  serve: ['index', 'projections', 'deltas', 'serve'],
  view: ['index', 'projections', 'view'],
  'view/inspector': ['index', 'view', 'view/inspector', 'marbles'],
  index: ['vocabulary', 'fold', 'invoke', 'loop', 'projections'],
  marbles: ['index', 'marbles'],
};

/** Single imports past the table, each with its reason. */
const EXCEPTIONS: readonly { readonly from: RegExp; readonly to: string; readonly because: string }[] = [
  { from: /^lib\/invoke\//, to: 'lib/fold/in-order.ts', because: 'it is an order operator, used like one of RxJS' },
  { from: /^lib\/loop\/complete-tool-loop\.ts$/, to: 'lib/projections/outcome.ts', because: 'it is toolLoop through toOutcome' },
  { from: /^lib\/serve\/mcp-tools\.ts$/, to: 'lib/invoke/from-mcp.ts', because: 'it is the door ./mcp' },
  { from: /^lib\/projections\/ag-ui-input\.ts$/, to: 'lib/invoke/define-tool.ts', because: "a client's tools are made as a program's are" },
  { from: /^lib\/serve\//, to: 'marbles/index.ts', because: 'the command draws runs through the door of the kit' },
  { from: /^lib\/serve\//, to: 'lib/relay.ts', because: 'a log is read on behalf of its reader' },
  { from: /^lib\/serve\//, to: 'lib/answer.ts', because: 'what a host answers is read as everywhere' },
  { from: /^lib\/serve\//, to: 'lib/errors.ts', because: 'an error is masked in one way' },
  { from: /^lib\/serve\/run-request\.ts$/, to: 'lib/schema.ts', because: 'messages that come from outside are checked' },
  { from: /^lib\/(serve|view)\//, to: 'lib/alarm.ts', because: 'what timers hold is known in one place' },
  { from: /^lib\/(serve|view)\//, to: 'lib/ids.ts', because: 'ids of runs are made in one place' },
  { from: /^lib\/view\/remote/, to: 'lib/bytes/open.ts', because: 'it asks over the network' },
  { from: /^lib\/view\/remote/, to: 'lib/bytes/sse.ts', because: 'a run behind a door is a stream of frames' },
  { from: /^lib\/view\/store/, to: 'lib/errors.ts', because: 'an error is masked in one place' },
];

/** Files of `projections` read what `fold` computes; they do not take part in it. */
const NOT_PURE = /\b(Observable|OperatorFunction|Subscriber)\b/;

function targetOf({ file, specifier }: Import): string {
  return posix.join(posix.dirname(file), specifier);
}

/** `openai-chat` for `openai-chat.ts` and `openai-chat-request.ts`: the longest name that is a file itself. */
function familyOf(file: string): string {
  const name = file.replace(/\.ts$/, '');
  const heads = files.map((one) => one.replace(/\.ts$/, '')).filter((one) => name === one || name.startsWith(`${one}-`));
  return heads.sort((a, b) => a.length - b.length)[0] ?? name;
}

function isAllowed(one: Import): boolean {
  const to = targetOf(one);
  const [fromLayer, toLayer] = [layerOf(one.file), layerOf(to)];
  if (EXCEPTIONS.some((exception) => exception.from.test(one.file) && exception.to === to)) return true;
  if (fromLayer === 'deltas' && toLayer === 'deltas') return familyOf(one.file) === familyOf(to);
  if (fromLayer === 'projections' && toLayer === 'fold' && findInCode(to, NOT_PURE).length > 0) return false;
  return MAY_IMPORT[fromLayer]?.includes(toLayer) ?? false;
}

const relative = imports.filter(({ specifier }) => specifier.startsWith('.'));
const external = imports.filter(({ specifier }) => !specifier.startsWith('.'));
const told = ({ place, specifier }: Import): string => `${place} imports ${specifier}`;

describe('layers', () => {
  it('reads the sources', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(relative.length).toBeGreaterThan(100);
  });

  it('are imported as the table says', () => {
    expect(relative.filter((one) => !isAllowed(one)).map(told)).toEqual([]);
  });

  it('name files that exist, with their ending', () => {
    expect(relative.filter((one) => !files.includes(targetOf(one))).map(told)).toEqual([]);
  });

  it('have no exception that nobody uses', () => {
    const unused = EXCEPTIONS.filter(({ from, to }) => !relative.some((one) => from.test(one.file) && targetOf(one) === to));
    expect(unused.map(({ to }) => to)).toEqual([]);
  });

  it('have one barrel each for the library and the kit, and none below', () => {
    const barrels = files.filter((file) => {
      const { statements } = syntaxOf(file);
      const passes = (one: ts.Statement): boolean => ts.isExportDeclaration(one) || ts.isImportDeclaration(one);
      return statements.every(passes) && statements.some(ts.isExportDeclaration);
    });
    expect(barrels).toEqual(['lib/index.ts', 'marbles/index.ts']);
  });

  it('are re-exported by name, never with a star', () => {
    const stars = files.filter((file) =>
      syntaxOf(file).statements.some((one) => ts.isExportDeclaration(one) && (!one.exportClause || ts.isNamespaceExport(one.exportClause))),
    );
    expect(stars).toEqual([]);
  });
});

describe('packages', () => {
  const isVocabulary = (file: string): boolean => layerOf(file) === 'vocabulary';
  const isServe = (file: string): boolean => file.startsWith('lib/serve/');

  /** Which files may name a package; a package without a row is in no file. */
  const rows: readonly { readonly packages: RegExp; readonly may: (one: Import) => boolean }[] = [
    {
      packages: /^rxjs$/,
      may: ({ file, isTypeOnly }) => isTypeOnly || !isVocabulary(file) || ['lib/relay.ts', 'lib/alarm.ts', 'lib/answer.ts', 'lib/demand.ts', 'lib/latch.ts'].includes(file),
    },
    { packages: /^rxjs\/testing$/, may: ({ file }) => file === 'marbles/loop-marbles.ts' },
    { packages: /^zod(\/.*)?$/, may: ({ file }) => layerOf(file) === 'schema' || isServe(file) },
    { packages: /^@cfworker\/json-schema$/, may: ({ file }) => file === 'lib/invoke/json-schema-validator.ts' },
    { packages: /^fast-json-patch$/, may: ({ file }) => file === 'lib/projections/apply-patches.ts' },
    { packages: /^@angular\/(core|common\/http)$/, may: ({ file }) => file.startsWith('lib/view/angular') },
    { packages: /^node:/, may: ({ file }) => isServe(file) },
  ];

  it('stay in the files that may name them', () => {
    const wrong = external.filter((one) => !rows.some(({ packages, may }) => packages.test(one.specifier) && may(one)));
    expect(wrong.map(told)).toEqual([]);
  });

  it('leave the network and its abort to the byte source, the tool body and the doors', () => {
    const may = (file: string): boolean => ['lib/bytes/open.ts', 'lib/bytes/record-fetch.ts', 'lib/invoke/run-body.ts'].includes(file) || isServe(file);
    const isNetwork = (node: ts.Node): boolean => {
      if (ts.isCallExpression(node) || ts.isNewExpression(node)) return NETWORK.has(node.expression.getText());
      return ts.isPropertyAccessExpression(node) && node.getText() === 'globalThis.fetch';
    };
    const places = files
      .filter((file) => !may(file))
      .flatMap((file) => [...nodesIn(syntaxOf(file))].filter(isNetwork).map((node) => placeOf(file, node.getStart())));
    expect(places).toEqual([]);
  });
});

const NETWORK: ReadonlySet<string> = new Set(['fetch', 'AbortController', 'XMLHttpRequest', 'WebSocket', 'EventSource']);

describe('cycles', () => {
  /** What a step, a fault and an event are is said in terms of each other; at run time none needs another. */
  const TOLD_TOGETHER: ReadonlySet<string> = new Set([
    'lib/approval.ts', 'lib/checkpoint.ts', 'lib/delta.ts', 'lib/errors.ts', 'lib/event.ts', 'lib/outcome.ts', 'lib/tool.ts',
  ]);

  it('do not exist between files that need each other at run time', () => {
    expect(cyclesIn(relative.filter(({ isTypeOnly }) => !isTypeOnly))).toEqual([]);
  });

  it('do not exist between types either, but for the nouns that are told together', () => {
    const cycles = cyclesIn(relative).filter((cycle) => !cycle.every((file) => TOLD_TOGETHER.has(file)));
    expect(cycles).toEqual([]);
  });
});

/** The groups of files of which each reaches every other. */
function cyclesIn(edges: readonly Import[]): string[][] {
  const next = new Map<string, Set<string>>();
  for (const edge of edges) {
    const targets = next.get(edge.file) ?? new Set();
    next.set(edge.file, targets.add(targetOf(edge)));
  }
  const reach = (from: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const open = [...(next.get(from) ?? [])];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (!seen.has(file)) open.push(...(next.get(file) ?? []));
      seen.add(file);
    }
    return seen;
  };
  const reached = new Map(files.map((file) => [file, reach(file)]));
  const inCycle = files.filter((file) => reached.get(file)?.has(file));
  const groups = inCycle.map((file) => inCycle.filter((other) => reached.get(file)?.has(other) && reached.get(other)?.has(file)));
  return groups.filter((group, at) => group[0] === inCycle[at]);
}
