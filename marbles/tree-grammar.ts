import { eventName } from './event-name.ts';
import type { Fault } from './event-name.ts';
import { runGrammar } from './run-grammar.ts';
import type { RunGrammar } from './run-grammar.ts';
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

  const runOf = (event: LoopEvent): Run => {
    const known = runs.get(event.runId);
    if (known !== undefined) return known;
    const requests = runs.get(event.parent?.runId ?? '')?.requests ?? new Set<string>();
    const isResumed = event.type === 'run-start' && event.resumed === true;
    const run = { grammar: runGrammar(event.runId, isResumed, requests), parent: event.parent, requests };
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
      if (run === undefined) return { rule: `a nested run begins inside its parent, and no run ${JSON.stringify(above.runId)} has`, before: 'nothing' };
      const fault = run.grammar.running(above.callId);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

  return {
    next(event) {
      const run = runOf(event);
      const fault = placeFault(event, run);
      if (fault !== undefined) return { runId: event.runId, before: fault.before, after: eventName(event), rule: fault.rule };
      const clash = run.grammar.next(event);
      if (clash === undefined && run.parent !== undefined) runs.get(run.parent.runId)?.grammar.nested(event);
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
