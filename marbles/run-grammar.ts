import { attemptGrammar } from './attempt-grammar.ts';
import type { AttemptGrammar } from './attempt-grammar.ts';
import { batchGrammar } from './batch-grammar.ts';
import type { BatchGrammar } from './batch-grammar.ts';
import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import type { Clash } from './verify-events-error.ts';
import type { EventOf, LoopEvent, Outcome } from '../lib/index.ts';

/** The order of one run's events. */
export interface RunGrammar {
  /** The clash that an event makes; undefined if it may come now. */
  next(event: LoopEvent): Clash | undefined;
  /** The clash that a completion makes. */
  complete(): Clash | undefined;
}

/**
 * An automaton over the events of one run: between steps, in an attempt, in a batch, or ended.
 *
 * @internal
 */
export function runGrammar(runId: string): RunGrammar {
  /** The last event, by name. */
  let last: string | undefined;
  let attempt: AttemptGrammar | undefined;
  let batch: BatchGrammar | undefined;
  let ended = false;
  let steps = 0;
  let text = '';
  const callIds = new Set<string>();
  const blocks = new Map<string, number>();

  const because = (rule: string, before = last ?? 'nothing'): Fault => ({ rule, before });

  const startStep = (event: EventOf<'step-start'>): Fault | undefined => {
    if (attempt !== undefined) return because('a step ends with its step-end before the next begins', attempt.opened);
    const open = batch?.unanswered();
    if (open !== undefined) return because('every call has its tool-result before the next step', open);
    if (event.step !== steps) return because(`steps count 0, 1, 2 and this one is ${steps}`);
    if (event.attempt !== 1) return because('the first attempt of a step is 1');
    batch = undefined;
    attempt = attemptGrammar(event, { callIds, blocks });
    return undefined;
  };

  const endStep = (event: EventOf<'step-end'>): Fault | undefined => {
    if (attempt === undefined) return because('a step-end needs the step-start of its step');
    const fault = attempt.end(event);
    if (fault !== undefined) return fault;
    steps += 1;
    text = attempt.text();
    batch = batchGrammar(event, attempt.calls());
    attempt = undefined;
    return undefined;
  };

  const done = (outcome: Outcome): Fault | undefined => {
    // `errorAsDone()` puts its `done` where the error was, and that may be anywhere.
    if (outcome.reason === 'error') return undefined;
    if (attempt !== undefined) return because('a run ends between steps', attempt.opened);
    const open = batch?.unanswered();
    if (open !== undefined) return because('every call has its tool-result before the ending', open);
    if (outcome.steps.length !== steps) {
      return because(`its outcome has ${outcome.steps.length} steps and the run had ${steps}`);
    }
    const wrong = outcome.steps.findIndex((record, index) => record.step !== index);
    if (wrong !== -1) return because(`outcome.steps[${wrong}] is of step ${outcome.steps[wrong]?.step}`);
    const said = outcome.completion.text;
    if (said !== text) return because(`its completion says ${JSON.stringify(said)} and the step's deltas said ${JSON.stringify(text)}`);
    return undefined;
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
        if (attempt === undefined) return because('it belongs into an attempt, between step-start and step-end');
        return attempt.next(event);
      case 'step-end':
        return endStep(event);
      case 'tool-call':
      case 'tool-start':
      case 'tool-progress':
      case 'tool-commit':
      case 'tool-result':
        if (attempt !== undefined) return because('a step ends before its tools begin');
        return batch === undefined ? because('tools belong to a step that has ended') : batch.next(event);
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
