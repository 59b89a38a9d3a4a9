import { defer, map, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { ConfigError } from '../errors.ts';
import { inOrder } from '../fold/in-order.ts';
import { bindSchemas } from '../invoke/bind-schemas.ts';
import { assertServes } from './preflight.ts';
import { modelOf } from './run-state.ts';
import type { Run, RunState } from './run-state.ts';
import { checkedTools, specsOf } from './tool-set.ts';

/**
 * The latest set of tools, for one step. The first step waits for the first set.
 *
 * Contract:
 * - leaves: the first set that is awaited, and the load of a validator.
 * - fails: with a {@link ConfigError} for a set that is none, or takes the name of the output; as the preflight does.
 *
 * @internal
 */
export function takeTools(run: Run, state: RunState): Observable<RunState> {
  const { toolSet, output, validator } = run;
  return defer(() => (toolSet.first.isSet ? of(undefined) : toolSet.first.value$)).pipe(
    inOrder((): RunState | Observable<RunState> => {
      const { latest = [] } = toolSet;
      if (latest === state.toolSet) return state;
      const tools = checkedTools(latest);
      if (output !== undefined && tools.has(output.name)) {
        throw new ConfigError(`toolLoop: a tool that came later has the name "${output.name}", which the output of the run has; give output.name another.`);
      }
      assertServes(modelOf(run, state), { tools, messages: [] });
      return bindSchemas(tools, validator).pipe(map((bound) => ({ ...state, tools: bound, specs: specsOf(bound), toolSet: latest })));
    }),
  );
}
