import { ConfigError } from '../index.ts';
import type { Tool } from '../index.ts';

/**
 * Sets of tools as one set, time and again: a name that comes twice is refused at first. Later, where runs are under way,
 * the tool that has the name keeps it, and each clash is told once.
 *
 * @internal
 */
export class JoinedTools {
  private readonly tell: (line: string) => void;
  private readonly told = new Set<string>();

  constructor(tell: (line: string) => void) {
    this.tell = tell;
  }

  /** @throws ConfigError */
  first(sets: readonly (readonly Tool[])[]): readonly Tool[] {
    const { tools, clashes } = join(sets);
    const [name] = clashes;
    if (name !== undefined) throw new ConfigError(`Two tools are called ${JSON.stringify(name)}: leave one of them out.`);
    return tools;
  }

  later(sets: readonly (readonly Tool[])[]): readonly Tool[] {
    const { tools, clashes } = join(sets);
    for (const name of clashes) {
      if (!this.told.has(name)) this.tell(`A tool that came later is called ${JSON.stringify(name)} too: it is left out.`);
      this.told.add(name);
    }
    return tools;
  }
}

function join(sets: readonly (readonly Tool[])[]): { readonly tools: readonly Tool[]; readonly clashes: readonly string[] } {
  const tools = new Map<string, Tool>();
  const clashes: string[] = [];
  for (const tool of sets.flat()) {
    if (tools.has(tool.name)) clashes.push(tool.name);
    else tools.set(tool.name, tool);
  }
  return { tools: [...tools.values()], clashes };
}
