import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { defineTool } from '../../lib/index.ts';
import { loadTools } from '../../lib/serve/load-tools.ts';

const add = defineTool({ name: 'add', description: 'Adds.', input: z.object({}), run: () => 1 });
const mul = defineTool({ name: 'mul', description: 'Multiplies.', input: z.object({}), run: () => 2 });

/** This file exists; what it "exports" is up to the spec. */
const here = join(__dirname, 'load-tools.spec.ts');
const load = (names: readonly string[], exported: Record<string, unknown> = {}): Promise<readonly { name: string }[]> =>
  loadTools(names, __dirname, () => Promise.resolve(exported));

describe('loadTools', () => {
  it.each<[string, readonly string[], Record<string, unknown>, readonly string[]]>([
    ['none', [], {}, []],
    ['what is built in', ['clock', 'calculator'], {}, ['clock', 'calculator']],
    ['a name that comes twice, once', ['clock', 'clock'], {}, ['clock']],
    ['every tool that a module exports', [here], { add, mul }, ['add', 'mul']],
    ['a relative path', ['./load-tools.spec.ts'], { add }, ['add']],
    ['a default export', [here], { default: add }, ['add']],
    ['a list', [here], { tools: [add, mul], default: add }, ['add', 'mul']],
    ['a mix', ['calculator', here], { add }, ['calculator', 'add']],
    ['nothing else that a module exports', [here], { add, helper: () => 1, limit: 3, nothing: null, options: { a: 1 } }, ['add']],
  ])('loads %s', async (_name, names, exported, loaded) => {
    expect((await load(names, exported)).map((tool) => tool.name)).toEqual(loaded);
  });

  it('imports a module by its address', async () => {
    const urls: string[] = [];
    await loadTools(['./load-tools.spec.ts'], __dirname, (url) => {
      urls.push(url);
      return Promise.resolve({ add });
    });
    expect(urls).toEqual([pathToFileURL(here).href]);
  });

  it.each<[string, readonly string[], Record<string, unknown>, string]>([
    ['an unknown name', ['clocks'], {}, 'There is no tool "clocks". Built in are calculator and clock; else give the path of an ES module'],
    ['a name of every object', ['constructor'], {}, 'There is no tool "constructor".'],
    ['a missing module', ['./no.mjs'], {}, `There is no module ./no.mjs in ${__dirname}.`],
    ['a module without tools', [here], { limit: 3 }, 'exports no tool. Export what defineTool() returns.'],
    ['an empty module', [here], {}, 'exports no tool.'],
    ['a tool without a name', [here], { add: { run: () => 1 } }, 'exports as add is not a tool: it lacks a name and a description.'],
    ['a tool without a schema', [here], { add: { name: 'add', description: '', run: () => 1, input: {} } }, 'lacks a schema as input. Make it with defineTool().'],
    ['a list with half a tool', [here], { all: [add, { name: 'x', run: () => 1 }] }, 'exports as all is not a tool'],
  ])('refuses %s', async (_name, names, exported, reason) => {
    await expect(load(names, exported)).rejects.toThrow(reason);
    await expect(load(names, exported)).rejects.toMatchObject({ code: 'config' });
  });

  it('says why a module cannot be loaded, in one line', async () => {
    const broken = loadTools([here], __dirname, () => Promise.reject(new SyntaxError('Unexpected token\n    at x')));
    await expect(broken).rejects.toThrow(`The module ${here} cannot be loaded: SyntaxError: Unexpected token`);
    await expect(broken).rejects.not.toThrow(/\n/);
  });
});
