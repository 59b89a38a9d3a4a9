import { defer, map } from 'rxjs';
import type { Observable } from 'rxjs';
import { UnsupportedError } from '../errors.ts';
import { bindSchemas } from '../invoke/bind-schemas.ts';
import type { Model } from '../model.ts';
import type { Tool } from '../tool.ts';
import { mediaFault } from './media-fault.ts';
import type { Run } from './run-state.ts';

/** The tools of a run and its output, each able to check. */
export interface Bound {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly checker: Tool | undefined;
}

/**
 * What has to hold before the first model call: the model does what the run needs of it, and every raw JSON Schema can
 * be checked.
 *
 * Contract:
 * - starts: on subscribing.
 * - leaves: nothing is running, but perhaps the load of the default validator; it is ignored.
 * - fails: with an {@link UnsupportedError} or an {@link InvalidToolSchemaError}, or with what the validator throws.
 *
 * @returns one value, the run's tools and its output, each able to check
 * @internal
 */
export function preflight(run: Run): Observable<Bound> {
  return defer(() => {
    const [model] = run.models as [Model];
    assertServes(model, run);
    const { tools, output, validator } = run;
    if (output === undefined) return bindSchemas(tools, validator).pipe(map((bound) => ({ tools: bound, checker: undefined })));
    return bindSchemas(new Map([...tools, [output.name, output.checker]]), validator).pipe(
      map((bound) => ({ tools: new Map([...bound].filter(([name]) => name !== output.name)), checker: bound.get(output.name) })),
    );
  });
}

/** @throws UnsupportedError where this model cannot serve the run */
export function assertServes(model: Model, needs: Pick<Run, 'tools' | 'messages'>): void {
  const fault = modelFault(model, needs);
  if (fault !== undefined) throw new UnsupportedError(`${model.provider} ${model.id} ${fault}`);
}

/** Why this model cannot serve the run. */
export function modelFault(model: Model, { tools, messages }: Pick<Run, 'tools' | 'messages'>): string | undefined {
  return toolsFault(tools, model.capabilities.includes('tools')) ?? mediaFault(model, messages);
}

function toolsFault(tools: ReadonlyMap<string, Tool>, isAble: boolean): string | undefined {
  if (tools.size === 0 || isAble) return undefined;
  const names = [...tools.keys()].join(', ');
  return `cannot call tools, but the run has some (${names}). Leave them out, or use a model with the capability "tools".`;
}
