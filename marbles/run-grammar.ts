import { attemptGrammar } from './attempt-grammar.ts';
import type { AttemptGrammar, Taken } from './attempt-grammar.ts';
import { batchGrammar } from './batch-grammar.ts';
import type { BatchEvent, BatchGrammar } from './batch-grammar.ts';
import { correctionGrammar } from './correction-grammar.ts';
import { dropGrammar } from './drop-grammar.ts';
import { endingFault } from './ending-grammar.ts';
import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import { finality } from './last-step.ts';
import type { LastStep } from './last-step.ts';
import { nestedGrammar } from './nested-grammar.ts';
import type { NestedGrammar } from './nested-grammar.ts';
import type { Clash } from './verify-events-error.ts';
import type { EventOf, LoopEvent, Outcome, StepEnd } from '../lib/index.ts';

export type Beginning = 'start' | 'resumed' | 'earlier';

/** The order of one run's events. */
export interface RunGrammar {
  /** The clash that an event makes; undefined if it may come now. */
  next(event: LoopEvent): Clash | undefined;
  /** The clash that a completion makes. */
  complete(): Clash | undefined;
  /** Why a nested run cannot speak below this call now; undefined if it can. */
  running(callId: string): Fault | undefined;
  /** Whether the call had started before the run was resumed: then a nested run below it had begun too. */
  isEarlier(callId: string): boolean;
  /** An event of a nested run below one of its calls, which its own grammar has let pass. */
  readonly nested: Pick<NestedGrammar, 'saw'>;
}

/**
 * An automaton over the events of one run: between steps, in an attempt, between two attempts, in a batch, or ended. Of
 * a resumed run it does not know what came before, and learns it from what comes.
 *
 * @param beginning - `resumed`: its run-start says so; `earlier`: it was said by an earlier run, run-start and all
 * @param requests - the ids of all requests of the run, its nested runs and those above it
 * @internal
 */
export function runGrammar(runId: string, beginning: Beginning, requests: Set<string>): RunGrammar {
  const isResumed = beginning !== 'start';
  const taken: Taken = { callIds: new Set(), requests, blocks: new Map() };
  const corrections = correctionGrammar(isResumed);
  const nested = nestedGrammar();
  const committed: StepEnd[] = [];
  /** The number of the first of `committed`. */
  let first = isResumed ? undefined : 0;
  /** The last event, by name. */
  let last = beginning === 'earlier' ? 'what an earlier run has said' : undefined;
  let attempt: AttemptGrammar | undefined;
  let retracted: EventOf<'step-retract'> | undefined;
  let batch: BatchGrammar | undefined;
  let ignored = false;
  let followed: LastStep['followed'];
  let ended = false;
  let text = '';

  /** Nothing has been said yet that an earlier run could not have begun. */
  const isUnseen = (): boolean => isResumed && committed.length === 0 && attempt === undefined && retracted === undefined;
  const drops = dropGrammar(() => isResumed && committed.length === 0);

  const because = (rule: string, before = last ?? 'nothing'): Fault => ({ rule, before });
  const lastStep = (): LastStep | undefined => {
    const end = committed.at(-1);
    return end && { end, ignored, ran: batch?.ran() !== undefined, followed };
  };

  /** What is still open, or final, where something comes that stands between steps. */
  const between = (what: string): Fault | undefined => {
    if (attempt !== undefined) return because(`${what} stands between steps`, attempt.opened);
    const open = batch?.unanswered();
    if (open !== undefined) return because(`every call has its tool-result before ${what}`, open);
    const cut = batch?.cut();
    return cut === undefined ? undefined : because('nothing follows a batch that was cut short but the ending', cut);
  };

  const goesOn = (isSpeech: boolean): Fault | undefined => {
    const step = lastStep();
    const rule = step && finality(step, isSpeech);
    return rule === undefined ? undefined : because(rule);
  };

  const startStep = (event: EventOf<'step-start'>): Fault | undefined => {
    if (attempt !== undefined) return because('a step ends with its step-end before the next begins', attempt.opened);
    const open = between('the next step') ?? drops.owing();
    if (open !== undefined) return open;
    const next = retracted === undefined ? 1 : retracted.attempt + 1;
    const isCounted = first !== undefined;
    first ??= event.step;
    const number = first + committed.length;
    if (event.step !== number) return because(`steps count 0, 1, 2 and this one is ${number}`);
    if (isCounted && event.attempt !== next) return because(next === 1 ? 'the first attempt of a step is 1' : `attempts count 1, 2, 3 and this one is ${next}`);
    const fault = goesOn(false);
    if (fault !== undefined) return fault;
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
    corrections.ended(event);
    batch = batchGrammar({ end: event, shown: ignored ? [] : calls, started: attempt.started }, taken);
    attempt = undefined;
    return undefined;
  };

  const retract = (event: EventOf<'step-retract'>): Fault | undefined => {
    if (attempt === undefined && !(isUnseen() && batch === undefined)) return because('a step-retract needs the step-start of its attempt');
    const fault = attempt?.retract(event);
    if (fault !== undefined) return fault;
    drops.withdraw(attempt?.started.keys() ?? [], eventName(event));
    first ??= event.step;
    attempt = undefined;
    retracted = event;
    followed = 'retract';
    return undefined;
  };

  const correct = (event: EventOf<'correction'>): Fault | undefined => {
    const fault = between('a correction');
    if (fault !== undefined) return fault;
    const end = committed.at(-1);
    if (end === undefined && !isUnseen()) return because('a correction follows the step that it corrects');
    first ??= event.step + 1;
    const step = first + committed.length - 1;
    if (event.step !== step) return because(`the step before it is ${step}`);
    if (followed !== undefined) return because('a correction follows its step at once, and once');
    if (end?.finish === 'aborted' || (ignored && event.cause !== 'hook')) return because('nothing follows the last step but the ending');
    const ran = event.cause === 'stream' ? undefined : batch?.ran();
    if (ran !== undefined) return because('the calls of a step that is corrected do not run', ran);
    const rule = corrections.next(event, end);
    if (rule !== undefined) return because(rule);
    followed = 'correction';
    return undefined;
  };

  const steer = (what: 'steering' | 'compaction'): Fault | undefined => {
    const fault = between(what);
    if (fault !== undefined) return fault;
    if (retracted !== undefined) return because(`${what} stands between steps, not between attempts`);
    const final = goesOn(what === 'steering');
    if (final === undefined && what === 'steering') followed = 'steering';
    return final;
  };

  const done = (outcome: Outcome): Fault | undefined => {
    // `errorAsDone()` puts its `done` where the error was, and that may be anywhere.
    if (outcome.reason === 'error') return undefined;
    if (attempt !== undefined) return because('a run ends between steps', attempt.opened);
    const standing = { isResumed, isWithdrawn: retracted !== undefined, batch, nested, owing: drops.owing(), step: lastStep(), committed, first, text };
    const fault = endingFault(outcome, standing);
    return fault && because(fault.rule, fault.before);
  };

  /** A resumed run may begin in a batch, whose calls are learned as they come. */
  const learnBatch = (): void => {
    if (isUnseen()) batch ??= batchGrammar({ shown: [], started: new Map() }, taken);
  };

  const tool = (event: BatchEvent): Fault | undefined => {
    if (event.type === 'tool-start' || event.type === 'tool-result') drops.saw(event);
    if (attempt !== undefined) {
      if (event.type === 'tool-start' || event.type === 'tool-progress') return attempt.next(event);
      return because('a step ends before its tools begin');
    }
    learnBatch();
    if (isUnseen()) first ??= event.step + 1;
    if (batch === undefined || retracted !== undefined) return because('tools belong to a step that has ended');
    return batch.next(event) ?? (event.type === 'tool-result' ? nested.answered(event) : undefined);
  };

  const drop = (event: EventOf<'tool-dropped'>): Fault | undefined => {
    const inAttempt = attempt?.started.has(event.callId) ?? false;
    const fault = drops.next(event, last ?? '', inAttempt);
    if (fault !== undefined || event.reason === 'late') return fault;
    nested.dropped(event.callId);
    return void (inAttempt ? attempt?.drop(event) : batch?.restart(event.callId));
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
        return attempt === undefined ? because('it belongs into an attempt, between step-start and step-end') : attempt.next(event);
      case 'step-end':
        return endStep(event);
      case 'step-retract':
        return retract(event);
      case 'correction':
        return correct(event);
      case 'steering':
      case 'compaction':
        return steer(event.type);
      case 'tool-call':
      case 'approval-request':
      case 'approval-answer':
      case 'tool-start':
      case 'tool-progress':
      case 'tool-commit':
      case 'tool-result':
        return tool(event);
      case 'tool-dropped':
        return drop(event);
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
    running(callId) {
      if (ended) return because('nothing follows the ending');
      if (attempt !== undefined) return attempt.running(callId);
      learnBatch();
      return retracted !== undefined || batch === undefined ? because('a nested run speaks while its call runs') : batch.running(callId);
    },
    isEarlier: (callId) => batch?.isEarlier(callId) ?? false,
    nested,
  };
}
