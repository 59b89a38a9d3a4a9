import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import { runGrammar } from './run-grammar.ts';
import type { Beginning, RunGrammar } from './run-grammar.ts';
import type { Clash } from './verify-events-error.ts';
import type { LoopEvent, Parent } from '../lib/index.ts';

/** The order of all runs of a stream: each by itself, and nested ones inside the calls that they belong to. */
export interface TreeGrammar {
  next(event: LoopEvent): Clash | undefined;
  complete(): Clash | undefined;
}

interface Run {
  readonly grammar: RunGrammar;
  readonly parent: Parent | undefined;
  /** The ids of all requests of its tree. */
  readonly requests: Set<string>;
}

/** @internal */
export function treeGrammar(): TreeGrammar {
  const runs = new Map<string, Run>();
  /** The outermost run goes on: runs that have not spoken yet may have begun before. */
  let isResumed = false;

  /** A nested run goes on without a run-start where its parent was resumed inside its call. */
  const beginningOf = (event: LoopEvent): Beginning => {
    if (event.type === 'run-start') return event.resumed ? 'resumed' : 'start';
    const above = runs.get(event.parent?.runId ?? '')?.grammar;
    if (above === undefined) return isResumed && event.parent !== undefined ? 'earlier' : 'start';
    const callId = event.parent?.callId ?? '';
    return above.running(callId) === undefined && above.isEarlier(callId) ? 'earlier' : 'start';
  };

  const runOf = (event: LoopEvent): Run => {
    const known = runs.get(event.runId);
    if (known !== undefined) return known;
    const requests = runs.get(event.parent?.runId ?? '')?.requests ?? new Set<string>();
    const run = { grammar: runGrammar(event.runId, beginningOf(event), requests), parent: event.parent, requests };
    runs.set(event.runId, run);
    return run;
  };

  /** Every call above it has to run: a call that is over has closed whatever was below it. */
  const placeFault = (event: LoopEvent, { parent }: Run): Fault | undefined => {
    if (event.parent?.runId !== parent?.runId || event.parent?.callId !== parent?.callId) {
      return { rule: 'all events of a run name the same call above it', before: parent === undefined ? 'run-start' : `run-start below ${parent.callId}` };
    }
    for (let above = parent; above !== undefined; above = runs.get(above.runId)?.parent) {
      const run = runs.get(above.runId);
      if (run === undefined && isResumed) return undefined;
      if (run === undefined) return { rule: `a nested run begins inside its parent, and no run ${JSON.stringify(above.runId)} has`, before: 'nothing' };
      const fault = run.grammar.running(above.callId);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

  const tell = (event: LoopEvent, { parent }: Run): void => {
    for (let above = parent; above !== undefined; above = runs.get(above.runId)?.parent) {
      runs.get(above.runId)?.grammar.nested.saw(event, above.callId, above === parent);
    }
  };

  return {
    next(event) {
      if (event.type === 'run-start' && event.parent === undefined) isResumed ||= event.resumed === true;
      const run = runOf(event);
      const fault = placeFault(event, run);
      if (fault !== undefined) return { runId: event.runId, before: fault.before, after: eventName(event), rule: fault.rule };
      const clash = run.grammar.next(event);
      if (clash === undefined) tell(event, run);
      return clash;
    },
    complete() {
      if (runs.size === 0) return { runId: '?', before: 'nothing', after: 'complete', rule: 'a run begins with run-start' };
      // What the ending of a run means for those below it, its own grammar has judged.
      const clashes = [...runs.values()].filter(({ parent }) => parent === undefined).map(({ grammar }) => grammar.complete());
      return clashes.find((clash) => clash !== undefined);
    },
  };
}
