import type { StepEnd } from '../event.ts';
import type { Step } from '../fold/step.ts';
import type { FinishReason } from '../message.ts';
import type { Completion } from '../outcome.ts';
import { addUsage, totalTokens } from '../usage.ts';
import type { Usage } from '../usage.ts';
import { NOTHING_SPENT } from './retry.ts';
import { modelOf } from './run-state.ts';
import type { Run, RunState } from './run-state.ts';
import { saidText } from './said-text.ts';

/**
 * The end of a step that stands: its event, its record, and the state after it.
 *
 * @param own - usage of the exchange that ended it
 * @param output - what it is as the output that was asked for
 */
export function ended(
  run: Run, before: RunState, step: Step, finish: FinishReason, own: Usage | undefined, output: { readonly json: unknown } | undefined,
): { end: StepEnd; state: RunState } {
  const { runId } = run;
  const { rawFinish, ids } = step.finish ?? {};
  const model = modelOf(run, before);
  const usage = own === undefined ? (before.abandoned ?? {}) : addUsage(before.abandoned, own);
  const { step: number, attempt } = before;
  const told = { finish, toolCalls: step.calls.length, ...(ids !== undefined && { ids }) };
  before.steps.push({
    step: number, attempts: attempt, usage: before.retracted === undefined ? usage : addUsage(before.retracted, usage), ...told, model: step.finish?.model ?? model.id,
  });
  const window = model.contextWindow;
  const used = own && totalTokens(own);
  const context = used === undefined || window === undefined ? undefined : { used, window };
  const costUsd = before.usage?.costUsd;
  return {
    end: {
      type: 'step-end', runId, step: number, attempt, usage, ...told,
      ...(rawFinish !== undefined && { rawFinish }),
      ...(context !== undefined && { context }),
      ...(costUsd !== undefined && { costUsd }),
    },
    state: {
      ...before,
      completion: output === undefined ? completionOf(step, finish) : { ...completionOf(step, finish), json: output.json },
      context: context === undefined ? before.context : context.used / context.window,
      abandoned: undefined,
      retracted: undefined,
      spent: NOTHING_SPENT,
      failures: finish === 'error' ? before.failures : 0,
    },
  };
}

function completionOf({ parts, calls, finish: said }: Step, finish: FinishReason): Completion {
  const [reasoning, refusal] = [saidText(parts, 'reasoning'), saidText(parts, 'refusal')];
  return {
    text: saidText(parts),
    ...(reasoning !== '' && { reasoning }),
    ...(refusal !== '' && { refusal }),
    toolCalls: calls,
    finish,
    ...(said?.rawFinish !== undefined && { rawFinish: said.rawFinish }),
    ...(said?.model !== undefined && { model: said.model }),
  };
}
