import type { Correction } from '../event.ts';
import type { StepAnswer } from '../hooks.ts';
import { fault } from '../invoke/fault.ts';
import { userMessage } from '../message.ts';
import type { OutputVerdict } from './output.ts';
import type { Run, RunState } from './run-state.ts';
import type { CallVerdict } from './screen.ts';
import { failureLimit } from './settle.ts';

/** A correction without its place in the run. */
export type Corrected = Omit<Correction, 'type' | 'runId' | 'step'>;

/** The model's response broke off. */
export function ofStream({ policy }: Run, { failures }: RunState, reason: string): Corrected {
  const message = userMessage(`Your last response failed and was not completed: ${reason} Please respond again.`);
  return { cause: 'stream', count: failures + 1, max: failureLimit(policy, 'feedback'), reason, message };
}

/** A hook wants it otherwise. Bounded by the model calls that the run may make. */
export function ofHook({ budget }: Run, { corrections }: RunState, { message, reason = 'A hook asks for something else.' }: Extract<StepAnswer, { type: 'correct' }>): Corrected {
  const count = corrections + 1;
  const max = Number.isFinite(budget.maxSteps) ? Math.max(budget.maxSteps, count) : count;
  return { cause: 'hook', count, max, reason, message: typeof message === 'string' ? userMessage(message) : message };
}

/** The answer is not the output that was asked for. Says where and why, never the output itself. */
export function ofOutput({ output }: Run, { repairs }: RunState, { path, reason }: Extract<OutputVerdict, { ok: false }>): Corrected {
  const said = path === '' || reason.startsWith(path) ? reason : `${path}: ${reason}`;
  const message = userMessage(`Your answer is not the output that was asked for: ${said} Give the whole output again.`);
  return { cause: 'output', count: repairs + 1, max: output?.repairs ?? 0, reason: said, message };
}

/** The result of a call of the output tool whose arguments are wrong. */
export function refusal({ reason }: Extract<OutputVerdict, { ok: false }>): CallVerdict {
  return { content: [{ type: 'text', text: reason }], isError: true, error: fault('invalid-input', reason) };
}

/** Why calls of a step do not run. */
export const NOT_RUN = {
  spent: 'Not executed: the run has used up its budget.',
  length: 'Not executed: the response was cut by its length limit.',
  'content-filter': 'Not executed: the response was stopped by a content filter.',
  refusal: 'Not executed: the model refused.',
  failed: 'Not executed: the response broke off.',
  stopped: 'Not executed: the run was stopped.',
  corrected: 'Not executed: the response was sent back.',
  spoiled: 'Not executed: another call of the response was invalid.',
  unmet: 'Not executed: the response is not the output that was asked for.',
} as const;
