import type { BatchGrammar } from './batch-grammar.ts';
import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import type { LastStep } from './last-step.ts';
import type { NestedGrammar } from './nested-grammar.ts';
import type { Outcome, StepEnd } from '../lib/index.ts';

/** Where a run stands when it says `done`. */
export interface Standing {
  /** An earlier run has said the beginning. */
  readonly isResumed: boolean;
  /** An attempt was withdrawn, and no other has begun. */
  readonly isWithdrawn: boolean;
  readonly batch: BatchGrammar | undefined;
  readonly nested: NestedGrammar;
  /** A body of a withdrawn attempt that nobody has dropped. */
  readonly owing: Fault | undefined;
  /** Undefined where none was committed. */
  readonly step: LastStep | undefined;
  readonly committed: readonly StepEnd[];
  /** The number of the first of `committed`; undefined where an earlier run has counted. */
  readonly first: number | undefined;
  /** What the deltas of the last step said. */
  readonly text: string;
}

/** A fault; without `before` it clashes with the last event. */
export type EndingFault = Pick<Fault, 'rule'> & Partial<Fault>;

const TOLD_TO_STOP: ReadonlySet<string> = new Set(['aborted', 'max-duration', 'stopped']);

/**
 * Why a run cannot end with this outcome where it stands; undefined if it can. Reasons to come are not judged.
 *
 * @internal
 */
export function endingFault(outcome: Outcome, at: Standing): EndingFault | undefined {
  const isSuspended = outcome.reason === 'suspended';
  const fault = isSuspended ? suspensionFault(at) : closingFault(outcome, at);
  if (fault !== undefined) return fault;
  if (isSuspended !== (outcome.checkpoint !== undefined)) return { rule: 'an outcome has a checkpoint if its run is suspended, and only then' };
  return outcomeFault(outcome, at);
}

function suspensionFault({ batch, nested, isResumed, isWithdrawn }: Standing): EndingFault | undefined {
  // The batch, with every request that is open in it, may be an earlier run's.
  if (batch === undefined && isResumed && !isWithdrawn) return undefined;
  if (batch === undefined || isWithdrawn) return { rule: 'a run is suspended inside a batch' };
  return batch.suspend(nested.isSuspended(batch.isWaiting));
}

function closingFault(outcome: Outcome, { batch, owing, step, isResumed, isWithdrawn }: Standing): EndingFault | undefined {
  const open = batch?.unanswered();
  if (open !== undefined) return { rule: 'every call has its tool-result before the ending', before: open };
  const cut = batch?.cut();
  if (cut !== undefined && !TOLD_TO_STOP.has(outcome.reason)) return { rule: 'a run ends for the reason for which its batch was cut short', before: cut };
  if (owing !== undefined) return owing;
  const rule = step === undefined && isResumed ? undefined : reasonFault(outcome, step, isWithdrawn);
  return rule === undefined ? undefined : { rule };
}

function reasonFault({ reason }: Outcome, step: LastStep | undefined, isWithdrawn: boolean): string | undefined {
  const finish = step?.end.finish;
  switch (reason) {
    case 'answer':
    case 'output': {
      const what = `an ${reason}`;
      if (step === undefined) return `there is no ${reason} without a step`;
      if (step.followed !== undefined) return `${what} is the last word of the run`;
      // An output that a tool takes is a call too; one that is accepted as it is makes an answer of calls that were closed.
      const isOutput = finish === 'tool-use' && (reason === 'output' || !step.ran);
      const isWord = finish === 'stop' || finish === 'other' || isOutput;
      return isWord ? undefined : `a step that ended with ${JSON.stringify(finish)} is no ${reason}`;
    }
    case 'length':
    case 'content-filter':
    case 'refusal':
      return finish === reason && step?.followed === undefined ? undefined : `the last step did not end with ${JSON.stringify(reason)}`;
    case 'max-tokens':
    case 'max-cost':
      if (isWithdrawn) return undefined;
      if (step?.ran === true) return 'the calls of a step over the budget do not run';
      return finish === 'tool-use' && step?.followed === undefined ? undefined : 'tokens and cost are checked where a step asks for tools';
    default:
      if (finish === 'aborted' && !TOLD_TO_STOP.has(reason)) return 'a run ends for the reason for which its step was aborted';
      return finish === 'error' && step?.followed === undefined ? 'a step that broke is followed by its correction' : undefined;
  }
}

/** What an outcome says of the steps otherwise than they did; of a resumed run, its tail. */
function outcomeFault({ reason, steps, completion }: Outcome, { committed, first, text }: Standing): EndingFault | undefined {
  if (first === undefined) return undefined;
  const count = first + committed.length;
  if (steps.length !== count) return { rule: `its outcome has ${steps.length} steps and the run had ${count}` };
  for (const [index, { step, attempts, finish, toolCalls }] of steps.entries()) {
    if (step !== index) return { rule: `outcome.steps[${index}] is of step ${step}` };
    const end = committed[index - first];
    if (end === undefined || (attempts === end.attempt && finish === end.finish && toolCalls === end.toolCalls)) continue;
    return { rule: `outcome.steps[${index}] is not what its step-end said`, before: eventName(end) };
  }
  const isSaid = completion.text === text || ((reason === 'output' || reason === 'answer') && isWithArguments(completion.text, text));
  if (isSaid || (committed.length === 0 && first > 0)) return undefined;
  return { rule: `its completion says ${JSON.stringify(completion.text)} and the step's deltas said ${JSON.stringify(text)}` };
}

/** The arguments of a call of the output tool stand for it in the answer, after what was said. */
function isWithArguments(answer: string, text: string): boolean {
  if (!answer.startsWith(text)) return false;
  try {
    JSON.parse(answer.slice(text.length));
    return true;
  } catch {
    return false;
  }
}
