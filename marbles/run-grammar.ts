import { attemptGrammar } from './attempt-grammar.ts';
import type { AttemptGrammar, Taken } from './attempt-grammar.ts';
import { batchGrammar } from './batch-grammar.ts';
import type { BatchGrammar } from './batch-grammar.ts';
import { endingFault, finality } from './ending-grammar.ts';
import type { LastStep } from './ending-grammar.ts';
import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import { lateGrammar } from './late-grammar.ts';
import type { Clash } from './verify-events-error.ts';
import type { EventOf, LoopEvent, Outcome, StepEnd } from '../lib/index.ts';

/** The order of one run's events. */
export interface RunGrammar {
  /** The clash that an event makes; undefined if it may come now. */
  next(event: LoopEvent): Clash | undefined;
  /** The clash that a completion makes. */
  complete(): Clash | undefined;
}

/**
 * An automaton over the events of one run: between steps, in an attempt, between two attempts, in a batch, or ended.
 *
 * @internal
 */
export function runGrammar(runId: string): RunGrammar {
  const taken: Taken = { callIds: new Set(), blocks: new Map() };
  const late = lateGrammar();
  const committed: StepEnd[] = [];
  /** The last event, by name. */
  let last: string | undefined;
  let attempt: AttemptGrammar | undefined;
  let retracted: EventOf<'step-retract'> | undefined;
  let batch: BatchGrammar | undefined;
  let ignored = false;
  let followed: LastStep['followed'];
  /** Corrections of a broken stream in a row. */
  let corrections = 0;
  let ended = false;
  let text = '';

  const because = (rule: string, before = last ?? 'nothing'): Fault => ({ rule, before });

  const lastStep = (): LastStep | undefined => {
    const end = committed.at(-1);
    return end && { end, ignored, ran: batch?.ran() !== undefined, followed };
  };

  /** What is still open where something comes that stands between steps. */
  const inside = (what: string): Fault | undefined => {
    if (attempt !== undefined) return because(`${what} stands between steps`, attempt.opened);
    const open = batch?.unanswered();
    return open === undefined ? undefined : because(`every call has its tool-result before ${what}`, open);
  };

  const startStep = (event: EventOf<'step-start'>): Fault | undefined => {
    if (attempt !== undefined) return because('a step ends with its step-end before the next begins', attempt.opened);
    const open = batch?.unanswered();
    if (open !== undefined) return because('every call has its tool-result before the next step', open);
    if (event.step !== committed.length) return because(`steps count 0, 1, 2 and this one is ${committed.length}`);
    const next = retracted === undefined ? 1 : retracted.attempt + 1;
    if (event.attempt !== next) return because(next === 1 ? 'the first attempt of a step is 1' : `attempts count 1, 2, 3 and this one is ${next}`);
    const step = lastStep();
    const final = step && finality(step);
    if (final !== undefined) return because(final);
    const isAnswer = step?.end.finish === 'stop' || step?.end.finish === 'other';
    if (isAnswer && step.end.toolCalls === 0 && followed === undefined) return because('a step that answered ends the run, unless somebody says more');
    retracted = undefined;
    attempt = attemptGrammar(event, taken);
    return undefined;
  };

  const endStep = (event: EventOf<'step-end'>): Fault | undefined => {
    if (attempt === undefined) return because('a step-end needs the step-start of its step');
    const fault = attempt.end(event);
    if (fault !== undefined) return fault;
    committed.push(event);
    text = attempt.text();
    const calls = attempt.calls();
    ignored = event.toolCalls < calls.length;
    followed = undefined;
    if (event.finish !== 'error') corrections = 0;
    batch = batchGrammar(event, ignored ? [] : calls);
    attempt = undefined;
    return undefined;
  };

  const retract = (event: EventOf<'step-retract'>): Fault | undefined => {
    if (attempt === undefined) return because('a step-retract needs the step-start of its attempt');
    const fault = attempt.retract(event);
    if (fault !== undefined) return fault;
    attempt = undefined;
    retracted = event;
    followed = 'retract';
    return undefined;
  };

  const correct = (event: EventOf<'correction'>): Fault | undefined => {
    const fault = inside('a correction');
    if (fault !== undefined) return fault;
    const end = committed.at(-1);
    if (end === undefined) return because('a correction follows the step that it corrects');
    if (event.step !== end.step) return because(`the step before it is ${end.step}`);
    if (followed !== undefined) return because('a correction follows its step at once, and once');
    if (end.finish === 'aborted' || ignored) return because('nothing follows the last step but the ending');
    if (event.cause === 'stream') {
      if (end.finish !== 'error') return because(`a step that ended with ${JSON.stringify(end.finish)} did not break`);
      corrections += 1;
      if (event.count !== corrections) return because(`corrections in a row count 1, 2, 3 and this one is ${corrections}`);
    }
    if (event.count > event.max) return because(`correction ${event.count} is over its own max of ${event.max}`);
    followed = 'correction';
    return undefined;
  };

  const steer = (): Fault | undefined => {
    const fault = inside('steering');
    if (fault !== undefined) return fault;
    if (retracted !== undefined) return because('steering stands between steps, not between attempts');
    const step = lastStep();
    const final = step && finality(step);
    if (final !== undefined) return because(final);
    followed = 'steering';
    return undefined;
  };

  const done = (outcome: Outcome): Fault | undefined => {
    // `errorAsDone()` puts its `done` where the error was, and that may be anywhere.
    if (outcome.reason === 'error') return undefined;
    if (attempt !== undefined) return because('a run ends between steps', attempt.opened);
    const open = batch?.unanswered();
    if (open !== undefined) return because('every call has its tool-result before the ending', open);
    const reason = endingFault(outcome, lastStep());
    if (reason !== undefined) return because(reason);
    if (outcome.steps.length !== committed.length) {
      return because(`its outcome has ${outcome.steps.length} steps and the run had ${committed.length}`);
    }
    for (const [index, { step, attempts, finish, toolCalls }] of outcome.steps.entries()) {
      const end = committed[index] as StepEnd;
      if (step !== index) return because(`outcome.steps[${index}] is of step ${step}`);
      if (attempts === end.attempt && finish === end.finish && toolCalls === end.toolCalls) continue;
      return because(`outcome.steps[${index}] is not what its step-end said`, eventName(end));
    }
    const said = outcome.completion.text;
    if (said !== text) return because(`its completion says ${JSON.stringify(said)} and the step's deltas said ${JSON.stringify(text)}`);
    return undefined;
  };

  const tool = (event: EventOf<'tool-call' | 'tool-start' | 'tool-progress' | 'tool-commit' | 'tool-result'>): Fault | undefined => {
    if (attempt !== undefined) return because('a step ends before its tools begin');
    if (batch === undefined) return because('tools belong to a step that has ended');
    if (event.type === 'tool-start' || event.type === 'tool-result') late.saw(event);
    return batch.next(event);
  };

  const judge = (event: LoopEvent): Fault | undefined => {
    if (ended) return because('nothing follows the ending');
    if (last === undefined) return event.type === 'run-start' ? undefined : because('a run begins with run-start');
    switch (event.type) {
      case 'run-start':
        return because('a run starts once');
      case 'step-start':
        return startStep(event);
      case 'delta':
      case 'retry':
      case 'fallback':
        if (attempt === undefined) return because('it belongs into an attempt, between step-start and step-end');
        return attempt.next(event);
      case 'step-end':
        return endStep(event);
      case 'step-retract':
        return retract(event);
      case 'correction':
        return correct(event);
      case 'steering':
        return steer();
      case 'tool-call':
      case 'tool-start':
      case 'tool-progress':
      case 'tool-commit':
      case 'tool-result':
        return tool(event);
      case 'tool-dropped':
        return late.next(event, last);
      case 'done':
        return done(event.outcome);
      default:
        return undefined;
    }
  };

  return {
    next(event) {
      const fault = judge(event);
      if (fault !== undefined) return { runId, before: fault.before, after: eventName(event), rule: fault.rule };
      last = eventName(event);
      if (event.type === 'done') ended = true;
      return undefined;
    },
    complete() {
      if (ended) return undefined;
      return { runId, before: last ?? 'nothing', after: 'complete', rule: 'a run that succeeds says done before it completes' };
    },
  };
}
