import { concat, defer, map, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { LoopEvent, RunStart } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import { orStopped } from '../invoke/or-stopped.ts';
import type { Surroundings } from '../nesting.ts';
import type { Tool } from '../tool.ts';
import { boundary, prepare } from './boundary.ts';
import { mayCall } from './budget.ts';
import { callModel } from './call-model.ts';
import { restored } from './checkpoint.ts';
import { closed } from './close.ts';
import { done, failure } from './ending.ts';
import { listen } from './listen.ts';
import type { Settings, ToolLoopOptions } from './options.ts';
import { preflight } from './preflight.ts';
import { readOptions } from './read-options.ts';
import type { Resumption } from './resumption.ts';
import { runBatch } from './run-batch.ts';
import { append, go, newRun, startState } from './run-state.ts';
import type { Phase, Run, RunState } from './run-state.ts';
import { takeTools } from './take-tools.ts';
import { titled } from './title.ts';
import { unfold } from './unfold.ts';
import type { Next } from './unfold.ts';
import { wait } from './wait.ts';

/**
 * A run of a language model with tools, as one cold Observable of its events.
 *
 * ```marbles
 * turn1        -t-c-(y|)
 * add               --(1|)
 * turn2               --t-(z|)
 * toolLoop()   -t-c-y-1-T-(ZL|)
 * ```
 *
 * Each step streams the model, then runs the calls that it asked for, then asks again, until the model answers, a budget
 * is spent or something fails. Everything else is an option of the loop or an operator on its events.
 *
 * Contract:
 * - starts: calling does nothing; each subscription is a run of its own.
 * - leaves: aborts the request, the running tool and every wait in the same tick; nothing starts after it.
 * - fails: misuse throws a {@link ConfigError} at the call. A failed run is an error notification, always a
 *   {@link RunError}, after everything already said. A failing tool is a `tool-result` event; the run goes on.
 * - order: as the grammar of {@link LoopEvent} says. `done` is last, exactly once, on success alone.
 *
 * @returns cold; `run-start` first, then many events
 *
 * @example One tool
 * ```ts
 * import { defineTool, toolLoop } from 'rx-tool-loop';
 * import { embedded } from 'rx-tool-loop/embedded';
 * import * as z from 'zod';
 *
 * const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers.',
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   run: ({ a, b }) => a + b,
 * });
 * toolLoop({ model: embedded(), tools: [add], prompt: 'Add 2 and 3.' }).subscribe(console.log);
 * ```
 * @public
 */
export function toolLoop<const Tools extends readonly Tool[] = readonly [], Output = unknown>(
  options: ToolLoopOptions<Tools[number], Output> & { readonly tools?: Tools | Observable<Tools> },
): Observable<LoopEvent<Tools[number], Output>> {
  return runOf(readOptions(options)) as Observable<LoopEvent<Tools[number], Output>>;
}

/**
 * A run from settings that are decided.
 *
 * @param resumed - what it goes on from. Default: it begins
 * @param around - the run that it stands in. Default: none
 * @internal
 */
export function runOf(settings: Settings, resumed?: Resumption, around?: Surroundings): Observable<LoopEvent> {
  return defer(() => {
    const run = newRun(settings, resumed, around);
    return unfold<RunState, LoopEvent>(
      () => startState(run),
      (state) => phases[state.phase.type](run, state, state.phase as never),
      (error, state) => failure(run, state, error),
      listen(run),
    );
  });
}

type PhaseEvents = Observable<LoopEvent | Next<RunState>>;
type PhaseOf<Type extends Phase['type']> = Extract<Phase, { type: Type }>;

const phases: { [Type in Phase['type']]: (run: Run, state: RunState, phase: PhaseOf<Type>) => PhaseEvents } = {
  start: (run, state) => {
    const { runId, threadId, resumed } = run;
    const start: RunStart = { type: 'run-start', runId, ...(threadId !== undefined && { threadId }), ...(resumed !== undefined && { resumed: true }) };
    const from = resumed === undefined ? { state, phase: { type: 'boundary', afterAnswer: false } as const } : restored(run, resumed);
    const ready$ = preflight(run).pipe(map(({ tools, checker }): RunState => ({ ...from.state, tools, checker })));
    // A boundary takes the tools that come, if it is one that the run goes on from.
    const isIn = run.tools$ !== undefined && from.phase.type !== 'boundary';
    const taken$ = isIn ? ready$.pipe(inOrder((ready) => orStopped(takeTools(run, ready), run.stops?.stop$).pipe(map((said) => ('type' in said ? ready : said))))) : ready$;
    return concat(of(start), taken$.pipe(map((ready) => go(ready, from.phase))));
  },

  boundary: (run, state, { afterAnswer, isSaved }) => boundary(run, state, afterAnswer, isSaved),

  prepare: (run, state, { then, isSaved }) => prepare(run, state, then, isSaved),

  call: (run, state, { fresh }) => callModel(run, state, fresh),

  wait: (run, state, phase) => wait(run, state, phase),

  batch: (run, state, phase) => runBatch(run, state, phase),

  done: (run, state, { reason }) => {
    // Asked only now, so that what is said while `step-end` is being read counts too.
    const goesOn = reason === 'answer' && !run.inbox.isEmpty && mayCall(state.calls, run.budget);
    if (!goesOn) {
      const last = done(run, state, reason);
      return run.title === undefined ? of(last) : concat(titled(run, state, last.outcome), of(last));
    }
    const answered = append(run, { ...state, answer: undefined }, closed(state.answer, []));
    return of(go({ ...answered, step: state.step + 1, attempt: 1, patch: undefined }, { type: 'boundary', afterAnswer: true }));
  },

  failed: (_run, _state, { error }) => throwError(() => error),
};
