import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../index.ts';
import type { Tool } from '../index.ts';
import { calculator } from './calculator.ts';
import { clock } from './clock.ts';

/** Imports an ES module by its `file:` URL. */
export type ImportModule = (url: string) => Promise<Readonly<Record<string, unknown>>>;

/**
 * The tools of `--tools`: built in by name, else every tool that a module exports (one by one, or in an array); its
 * other exports are left alone. A tool that comes twice counts once.
 *
 * @param cwd - where a relative path begins
 * @throws ConfigError when a name, a module or an export is none of these.
 * @internal
 */
export async function loadTools(names: readonly string[], cwd: string, importModule: ImportModule): Promise<readonly Tool[]> {
  const tools = new Set<Tool>();
  for (const name of names) {
    const builtIn = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
    if (builtIn !== undefined) tools.add(builtIn);
    else for (const tool of await moduleTools(name, cwd, importModule)) tools.add(tool);
  }
  return [...tools];
}

const BUILT_IN: Readonly<Record<string, Tool>> = { calculator, clock: clock() };

async function moduleTools(name: string, cwd: string, importModule: ImportModule): Promise<readonly Tool[]> {
  const path = resolve(cwd, name);
  if (!existsSync(path)) {
    const what = /[./\\]/.test(name) ? `There is no module ${name} in ${cwd}.` : `There is no tool ${JSON.stringify(name)}.`;
    throw new ConfigError(`${what} Built in are ${Object.keys(BUILT_IN).join(' and ')}; else give the path of an ES module whose exports are tools.`);
  }
  const exported = await importModule(pathToFileURL(path).href).catch((error: unknown) => {
    const [reason] = String(error).split('\n');
    throw new ConfigError(`The module ${name} cannot be loaded: ${reason}`, { cause: error });
  });
  const found = Object.entries(exported).flatMap(([key, value]) => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.filter((candidate) => isTool(candidate, `${name} exports as ${key}`));
  });
  if (found.length === 0) throw new ConfigError(`The module ${name} exports no tool. Export what defineTool() returns.`);
  return found as Tool[];
}

/** A thing with `run` is meant as a tool, so what it lacks is said; everything else is a helper of the module. */
function isTool(value: unknown, where: string): boolean {
  const tool = value as Partial<Tool> | null;
  if (typeof tool !== 'object' || typeof tool?.run !== 'function') return false;
  const lacks =
    typeof tool.name !== 'string' || typeof tool.description !== 'string' ? 'a name and a description'
    : tool.input?.['~standard'] === undefined || tool.parameters === undefined ? 'a schema as input'
    : undefined;
  if (lacks !== undefined) throw new ConfigError(`What ${where} is not a tool: it lacks ${lacks}. Make it with defineTool().`);
  return true;
}
