import { afterAll, describe, expect, it } from '@jest/globals';
import * as ts from 'typescript';
import { bundle, endBundler } from './support/bundle.ts';
import { placeOf, syntaxOf } from './support/code.ts';
import { entries, filesIn, packageJson } from './support/project.ts';
import { outputOf, runModule } from './support/run-node.ts';

describe('an import that nothing uses', () => {
  afterAll(endBundler);

  it('is declared to have no effect', () => {
    expect(packageJson.sideEffects).toBe(false);
  });

  it.each(entries)('of $name leaves nothing in a bundle', async ({ name }) => {
    expect((await bundle(`import '${name}';`, ['node:*'])).text.trim()).toBe('');
  });

  it('has nothing to leave: a source file only declares', () => {
    const commands = Object.values(packageJson.bin).map((file) => file.replace(/^\.?\/?dist\//, '').replace(/\.js$/, '.ts'));
    const files = [...filesIn('lib', '.ts'), ...filesIn('marbles', '.ts')].filter((file) => !commands.includes(file));
    const acting = files.flatMap((file) =>
      syntaxOf(file).statements.filter((one) => !isDeclaration(one)).map((one) => `${placeOf(file, one.getStart())}  ${one.getText()}`),
    );
    expect(acting).toEqual([]);
  });

  it('changes no global and no prototype', () => {
    const program = `
      const holders = { globalThis, Object: Object.prototype, Array: Array.prototype, Function: Function.prototype, Promise: Promise.prototype };
      const names = () => Object.entries(holders).flatMap(([name, holder]) => Reflect.ownKeys(holder).map((key) => name + '.' + String(key)));
      await import('rxjs'); await import('rxjs/testing'); await import('zod'); await import('zod/mini'); await import('@angular/core/rxjs-interop');
      const before = new Set(names());
      for (const name of ${JSON.stringify(entries.map(({ name }) => name))}) await import(name);
      console.log(JSON.stringify(names().filter((name) => !before.has(name))));
    `;
    expect(JSON.parse(outputOf(runModule(program)))).toEqual([]);
  });

  it('keeps no timer or handle open', () => {
    const imports = entries.map(({ name }) => `await import('${name}');`).join('\n');
    const open = 'process.getActiveResourcesInfo().filter((one) => /Timeout|Immediate|Socket|Server|Worker/.test(one))';
    expect(outputOf(runModule(`${imports}\nconsole.log(JSON.stringify(${open}));`)).trim()).toBe('[]');
  });
});

function isDeclaration(statement: ts.Statement): boolean {
  if (ts.isImportDeclaration(statement)) return statement.importClause !== undefined;
  return (
    ts.isExportDeclaration(statement) ||
    ts.isVariableStatement(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  );
}
