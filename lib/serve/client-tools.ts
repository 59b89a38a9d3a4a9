import { isObservable, map } from 'rxjs';
import { defineTool, isLoopError } from '../index.ts';
import type { Tool } from '../index.ts';
import { Problem } from './problem.ts';
import type { RunSetup } from './loop-runner.ts';

/** A tool that who asks runs: a run that calls it asks for its result. */
export interface ClientTool {
  /** Another one than those of the server have. */
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of an object. Default: one without fields. */
  readonly parameters?: object;
}

/**
 * The tools of a client as a run takes them.
 *
 * @throws Problem 400 for what cannot be a tool
 * @internal
 */
export function clientTools(given: unknown): readonly Tool[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw new Problem(400, 'invalid-body', 'ClientTools must be a list of { name, description, parameters? }.');
  return given.map((value: unknown, at) => {
    const { name, description, parameters = { type: 'object', properties: {} } } = (value ?? {}) as Partial<ClientTool>;
    try {
      return defineTool({ name: name as string, description: description as string, input: parameters as Record<string, unknown>, runsOn: 'client' }) as Tool;
    } catch (error) {
      throw new Problem(400, 'invalid-body', `The tool clientTools[${at}] cannot be one: ${isLoopError(error) ? error.message : 'it needs a name, a description and parameters.'}`);
    }
  });
}

/**
 * A setup with the client's tools behind its own.
 *
 * @throws Problem 400 for a name that the server has
 * @internal
 */
export function withClientTools(setup: RunSetup, given: unknown): RunSetup {
  const more = clientTools(given);
  if (more.length === 0) return setup;
  const { tools = [] } = setup;
  if (isObservable(tools)) return { ...setup, tools: tools.pipe(map((own) => [...own, ...more])) };
  const names = new Set(tools.map(({ name }) => name));
  const twice = more.find(({ name }) => names.size === names.add(name).size);
  if (twice !== undefined) throw new Problem(400, 'invalid-body', `There is a tool ${JSON.stringify(twice.name)} already: give that of the client another name.`);
  return { ...setup, tools: [...tools, ...more] };
}
