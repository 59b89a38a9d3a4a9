import type { Observable } from 'rxjs';
import { defineTool } from '../lib/index.ts';
import type { Tool, ToolContext, ToolInput, ToolKind } from '../lib/index.ts';

export interface FakeToolOptions {
  /** Default `add`. */
  readonly name?: string;
  readonly description?: string;
  /** Default: any object. */
  readonly input?: ToolInput;
  /** May run while other such tools run. Default: false. */
  readonly parallelSafe?: boolean;
  /** Frames in virtual time, else milliseconds. Default: without limit. */
  readonly timeoutMs?: number;
  /** Its calls wait for an approval. Default: false. */
  readonly needsApproval?: boolean | ((args: never) => boolean);
  /** `client`: the body never runs; the run asks for the result. */
  readonly runsOn?: 'client';
  /** May start while the model still speaks. Default: false. */
  readonly eager?: boolean;
  readonly kind?: ToolKind;
  /** What a screen calls a call. */
  readonly title?: (args: never) => string;
}

/** A tool that keeps what it was given. */
export interface FakeTool extends Tool<string, unknown, unknown> {
  /** The arguments of each call, in the order in which the bodies started. */
  readonly calls: unknown[];
  /** The context of each call, in the same order. */
  readonly contexts: ToolContext[];
}

/** Any object: the smallest schema that a tool can have. */
const anyObject: ToolInput = {
  '~standard': {
    version: 1,
    vendor: 'marbles',
    validate: (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? { value }
        : { issues: [{ message: 'Expected an object.' }] },
    jsonSchema: { input: () => ({ type: 'object' }) },
  },
};

/**
 * A tool whose every call answers with `answer$`: its last value is the output, those before it are progress, and an
 * error notification is what the tool throws.
 */
export function fakeTool(answer$: Observable<unknown>, options: FakeToolOptions = {}): FakeTool {
  const calls: unknown[] = [];
  const contexts: ToolContext[] = [];
  const { name = 'add', description = `A fake ${name}.`, input = anyObject, parallelSafe, timeoutMs, ...traits } = options;
  const tool = defineTool({
    name,
    description,
    input,
    ...(parallelSafe !== undefined && { parallelSafe }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    run(args: unknown, context) {
      calls.push(args);
      contexts.push(context);
      return answer$;
    },
  });
  return { ...tool, ...traits, calls, contexts };
}
