import { afterAll, describe, expect, it } from '@jest/globals';
import { bundle, endBundler } from './support/bundle.ts';
import type { Bundle } from './support/bundle.ts';
import { entries, packageJson } from './support/project.ts';

/** 1 KB is 1,024 bytes; sizes are minified and gzipped, with the parts of RxJS that are used. */
const KB = 1024;

/** What an application with a tool loop imports. */
const LOOP = ['toolLoop', 'defineTool', 'toText', 'toOutcome', 'ofType', 'errorAsDone', 'historyOf'];

interface Limit {
  /** About a tenth above what it measured when it was set; raise it knowingly. */
  readonly kb: number;
  /** What must not be inside, as paths. */
  readonly without: RegExp;
  /** Modules that are there anyhow: those of Node, or the framework that the entry is for. */
  readonly external?: readonly string[];
}

const LIMITS: Readonly<Record<string, Limit>> = {
  '.': { kb: 41, without: /node_modules\/(?!rxjs|tslib)|rxjs\/.*\/testing\/|lib\/(deltas|bytes|serve|schema)|lib\/invoke\/(json-schema|read-schema|schema-(issues|keywords))|marbles\// },
  './openai-chat': { kb: 14.4, without: /zod|lib\/(loop|invoke|fold|projections|serve|schema|index)|marbles\// },
  './anthropic': { kb: 15.4, without: /zod|lib\/(loop|invoke|fold|projections|serve|schema|index)|marbles\// },
  './embedded': { kb: 14.7, without: /zod|lib\/(bytes|loop|invoke|fold|projections|serve|schema|index)|marbles\// },
  './scripted': { kb: 9, without: /zod|lib\/(bytes|loop|invoke|fold|projections|serve|schema|index)|marbles\// },
  './schema': { kb: 10, without: /rxjs|zod\/v4\/classic|locales|lib\/(?!schema|is-record)|marbles\// },
  './json-schema': { kb: 10.4, without: /rxjs|zod|lib\/(?!errors|is-record|invoke\/(json-schema-validator|read-schema|resolve-references|schema-))|marbles\// },
  './mcp': { kb: 11.6, without: /zod|modelcontextprotocol|lib\/(bytes|deltas|fold|loop|projections|serve|schema|index)|marbles\// },
  './patches': { kb: 18.7, without: /zod|node_modules\/(?!rxjs|tslib|fast-json-patch)|lib\/(bytes|deltas|loop|invoke|serve|schema|index)|marbles\// },
  './http': { kb: 65, without: /lib\/(bytes|deltas|view)|serve\/(cli\.|run-command|file-|node-)|marbles\// },
  './node-listener': { kb: 2.2, without: /zod|lib\/(bytes|deltas|loop|invoke|fold|view|schema)|marbles\//, external: ['node:*'] },
  './file-run-log': { kb: 9.6, without: /zod|lib\/(bytes|deltas|loop|invoke|fold|view|schema)|marbles\//, external: ['node:*'] },
  './remote': { kb: 12.4, without: /zod|lib\/(deltas|loop|invoke|fold|projections|serve|schema)|marbles\// },
  './store': { kb: 17, without: /zod|lib\/(bytes|deltas|loop|invoke|serve|schema|index|view\/remote)|marbles\// },
  './angular': { kb: 58, without: /zod|lib\/(deltas|serve|schema)|marbles\//, external: ['@angular/*'] },
  './angular-http': { kb: 2.4, without: /zod|^lib\/(?!view\/angular-http)|marbles\//, external: ['@angular/*'] },
  './record': { kb: 2.8, without: /rxjs|zod|lib\/(?!bytes\/(record-fetch|redaction))|marbles\// },
  './ag-ui': { kb: 20, without: /zod|lib\/(bytes|deltas|fold|loop|serve|schema|index)|marbles\// },
  './loopback': { kb: 9, without: /zod|lib\/(bytes|deltas|loop|invoke|fold|serve|schema|index)|marbles\// },
  './ui-messages': { kb: 15.4, without: /zod|lib\/(bytes|deltas|fold|loop|invoke|serve|schema|index)|marbles\// },
  './marbles': { kb: 36, without: /zod|lib\/(deltas|bytes|serve|schema)/ },
};

function programOf(subpath: string, name: string): string {
  if (subpath !== '.') return `export * from '${name}';`;
  return `import { ${LOOP.join(', ')} } from '${name}';\nconsole.log(${LOOP.join(', ')});`;
}

/** The sizes, biggest part first, for whoever has to find the weight. */
function told({ gzipBytes, text, parts }: Bundle): string {
  const biggest = parts.slice(0, 25).map(({ file, length }) => `  ${String(length).padStart(7)}  ${file}`);
  return [`${gzipBytes} bytes gzip, ${text.length} bytes minified:`, ...biggest].join('\n');
}

describe('the bundle', () => {
  afterAll(endBundler);

  it('has a limit for every entry', () => {
    expect(Object.keys(LIMITS)).toEqual(entries.map(({ subpath }) => subpath));
  });

  it.each(entries)('of $name stays under its limit', async ({ subpath, name }) => {
    const limit = (LIMITS[subpath]?.kb ?? 0) * KB;
    const made = await bundle(programOf(subpath, name), LIMITS[subpath]?.external);
    if (made.gzipBytes > limit) throw new Error(`${name} is over ${limit} bytes (LIMITS['${subpath}']). ${told(made)}`);
    // A limit far above the size would not be noticed when something heavy comes in.
    if (made.gzipBytes < limit * 0.8) throw new Error(`${name} is far under ${limit} bytes: lower LIMITS['${subpath}']. ${told(made)}`);
  });

  it.each(entries)('of $name holds nothing that it does not need', async ({ subpath, name }) => {
    const made = await bundle(programOf(subpath, name), LIMITS[subpath]?.external);
    expect(made.parts.length).toBeGreaterThan(1);
    expect(made.parts.map(({ file }) => file).filter((file) => LIMITS[subpath]?.without.test(file))).toEqual([]);
  });

  it('of an Angular application holds what runs in the page, or what watches runs elsewhere, and not both', async () => {
    const appOf = async (names: string): Promise<string[]> => {
      const made = await bundle(`import { ${names} } from '${packageJson.name}/angular';\nconsole.log(${names});`, ['@angular/*']);
      return made.parts.map(({ file }) => file);
    };
    const inPage = await appOf('provideToolLoop, injectToolLoop');
    expect(inPage).toContain('lib/loop/tool-loop.ts');
    expect(inPage.filter((file) => /^lib\/(bytes|view\/(angular-)?remote)/.test(file))).toEqual([]);
    const elsewhere = await appOf('provideRemoteLoop, injectToolLoop');
    expect(elsewhere).toContain('lib/view/remote.ts');
    expect(elsewhere.filter((file) => /^lib\/(loop|invoke|deltas)/.test(file))).toEqual([]);
  });

  it('is smaller when less is used', async () => {
    const whole = await bundle(programOf('.', packageJson.name));
    const part = await bundle(`import { toText } from '${packageJson.name}';\nconsole.log(toText);`);
    expect(part.gzipBytes).toBeLessThan(whole.gzipBytes / 3);
    expect(part.parts.map(({ file }) => file).filter((file) => /^lib\/(?!projections\/text)/.test(file))).toEqual([]);
  });
});
