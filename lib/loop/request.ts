import type { RequestView } from '../hooks.ts';
import type { Message } from '../message.ts';
import type { ModelRequest } from '../model.ts';
import { isReserved } from './budget.ts';
import { withOutput } from './output.ts';
import { modelOf } from './run-state.ts';
import type { Run, RunState } from './run-state.ts';

const ANSWER_NOW = 'This is the last step: answer now with what you have. No tool can be called any more.';

/** What the next model call is asked. The transcript is copied only when a model reads it. */
export function requestOf(run: Run, state: RunState, demand = run.demand): ModelRequest {
  const { scheduler, ids, output } = run;
  const asked = state.patch ?? unpatched(run, state);
  const { toolChoice, options } = asked;
  const told = output === undefined ? asked : withOutput(asked, output, modelOf(run, state));
  return {
    system: told.system,
    get messages() {
      return asked.messages;
    },
    tools: told.tools,
    toolChoice,
    options,
    ...('output' in told && { output: told.output }),
    demand,
    scheduler,
    ids,
  };
}

/** The next model call as the run's own options have it. */
function unpatched({ system, toolChoice, modelOptions, budget }: Run, { messages, specs, step, calls }: RunState): Omit<RequestView, 'model'> {
  const { length } = messages;
  // The call itself has been counted by now.
  const isLast = isReserved(calls - 1, budget);
  let copy: readonly Message[] | undefined;
  return {
    system: isLast ? (system === undefined ? ANSWER_NOW : `${system}\n\n${ANSWER_NOW}`) : system,
    get messages() {
      return (copy ??= messages.slice(0, length));
    },
    tools: specs,
    toolChoice: isLast ? 'none' : step === 0 || toolChoice === 'none' ? toolChoice : 'auto',
    options: modelOptions,
  };
}
