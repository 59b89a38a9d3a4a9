import { defer } from 'rxjs';
import type { Observable } from 'rxjs';
import { UnsupportedError } from '../errors.ts';
import { bindSchemas } from '../invoke/bind-schemas.ts';
import type { Tool } from '../tool.ts';
import { mediaFault } from './media-fault.ts';
import type { Run } from './run-state.ts';

/**
 * What has to hold before the first model call: the model does what the run needs of it, and every raw JSON Schema can
 * be checked.
 *
 * Contract:
 * - starts: on subscribing.
 * - leaves: nothing is running, but perhaps the load of the default validator; it is ignored.
 * - fails: with an {@link UnsupportedError} or an {@link InvalidToolSchemaError}, or with what the validator throws.
 *
 * @returns one value, the run's tools, each able to check its arguments
 * @internal
 */
export function preflight({ model, messages, tools, validator }: Run): Observable<ReadonlyMap<string, Tool>> {
  return defer(() => {
    const fault = toolsFault(tools, model.capabilities.includes('tools')) ?? mediaFault(model, messages);
    if (fault !== undefined) throw new UnsupportedError(`${model.provider} ${model.id} ${fault}`);
    return bindSchemas(tools, validator);
  });
}

function toolsFault(tools: ReadonlyMap<string, Tool>, isAble: boolean): string | undefined {
  if (tools.size === 0 || isAble) return undefined;
  const names = [...tools.keys()].join(', ');
  return `cannot call tools, but the run has some (${names}). Leave them out, or use a model with the capability "tools".`;
}
