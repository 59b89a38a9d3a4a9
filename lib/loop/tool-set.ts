import type { ToolSpec } from '../model.ts';
import type { Tool } from '../tool.ts';
import { wrong } from './override.ts';

/**
 * Tools by their names.
 *
 * @throws ConfigError for what is no tool, and for two of one name
 */
export function checkedTools(tools: readonly Tool[]): Map<string, Tool> {
  if (!Array.isArray(tools)) throw wrong('tools', 'is no array', 'give tools made by defineTool()');
  const byName = new Map<string, Tool>();
  for (const [at, tool] of tools.entries()) {
    const { name, run, parameters } = (tool ?? {}) as Partial<Tool>;
    if (typeof name !== 'string' || typeof run !== 'function' || parameters === undefined) {
      throw wrong(`tools[${at}]`, 'is no tool', 'make it with defineTool()');
    }
    if (byName.has(name)) throw wrong(`tools[${at}]`, `has the name "${name}", which another tool has`, 'rename one');
    byName.set(name, tool);
  }
  return byName;
}

/** The tools as a model is told of them. */
export function specsOf(tools: ReadonlyMap<string, Tool>): readonly ToolSpec[] {
  return [...tools.values()].map(({ name, description, parameters }) => ({ name, description, parameters }));
}
