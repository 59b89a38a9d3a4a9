import { concat, defer, from, map, of, tap, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Delta } from '../delta.ts';
import type { LoopEvent, RunStart } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import { Step, step } from '../fold/step.ts';
import { batch } from '../invoke/batch.ts';
import type { ToolResult } from '../message.ts';
import type { Tool } from '../tool.ts';
import { advance } from './advance.ts';
import { boundary, stopped } from './boundary.ts';
import { mayCall } from './budget.ts';
import { closed } from './close.ts';
import { conclude } from './commit.ts';
import { done, failure } from './ending.ts';
import { listen } from './listen.ts';
import { readOptions } from './options.ts';
import type { ToolLoopOptions } from './options.ts';
import { preflight } from './preflight.ts';
import { ReaderClock } from './reader-clock.ts';
import { append, modelOf, newRun, requestOf, startState } from './run-state.ts';
import type { Phase, Run, RunState } from './run-state.ts';
import { timeLimits } from './timeouts.ts';
import { Next, unfold } from './unfold.ts';
import { startOf, wait } from './wait.ts';

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
export function toolLoop<const Tools extends readonly Tool[] = readonly []>(
  options: ToolLoopOptions<Tools[number]> & { readonly tools?: Tools },
): Observable<LoopEvent<Tools[number]>> {
  const settings = readOptions(options);
  return defer(() => {
    const run = newRun(settings);
    return unfold<RunState, LoopEvent>(
      () => startState(run),
      (state) => phases[state.phase.type](run, state, state.phase as never),
      (error, state) => failure(run, state, error),
      listen(run),
    );
  }) as Observable<LoopEvent<Tools[number]>>;
}

type PhaseEvents = Observable<LoopEvent | Next<RunState>>;
type PhaseOf<Type extends Phase['type']> = Extract<Phase, { type: Type }>;

const phases: { [Type in Phase['type']]: (run: Run, state: RunState, phase: PhaseOf<Type>) => PhaseEvents } = {
  start: (run, state) => {
    const { runId, threadId } = run;
    const start: RunStart = { type: 'run-start', runId, ...(threadId !== undefined && { threadId }) };
    const ready$ = preflight(run).pipe(map((tools) => go({ ...state, tools }, { type: 'boundary', afterAnswer: false })));
    return concat(of(start), ready$);
  },

  boundary: (run, state, { afterAnswer }) => boundary(run, state, afterAnswer),

  call: (run, before, { fresh }) => {
    // Whoever heard what the boundary said may have stopped the run.
    if (fresh && run.stops?.stopped !== undefined) return of(go(before, stopped(run)));
    const state = fresh ? { ...before, calls: before.calls + 1 } : before;
    const model = modelOf(run, state);
    const name = `${model.provider} ${model.id}`;
    const reader = run.demand && new ReaderClock(run.demand, run.scheduler);
    const exchange$ = defer(() => model.stream(requestOf(run, state, reader))).pipe(
      timeLimits(run.timeouts, run.scheduler, name, reader),
      step(run.claims, name, run.stops?.stop$),
      inOrder((said): LoopEvent | PhaseEvents => {
        if (!(said instanceof Step)) return eventOf(said, run.runId, state.step);
        const { events, state: next } = advance(run, state, said);
        return from([...events, new Next(next)]);
      }),
    );
    return fresh ? concat(of(startOf(run, state)), exchange$) : exchange$;
  },

  wait: (run, before, phase) => wait(run, before, phase),

  batch: (run, state, { turn, calls, notRun, after }) => {
    const { runId, scheduler, policy, schedule, stops, timeouts, budget, aside } = run;
    const results: ToolResult[] = [];
    const context = {
      runId, step: state.step, scratch: run.scratch, tools: state.tools, scheduler, policy, schedule, graceMs: timeouts.graceMs,
      stop$: stops?.stop$,
      isStopped: () => stops?.stopped !== undefined,
      mayNotStart: () => {
        run.started += 1;
        return run.started > budget.maxToolCalls ? `Not executed: the run may call ${budget.maxToolCalls} tools, and has.` : undefined;
      },
      later: (_callId: string, dropped$: Observable<LoopEvent>) => aside.add(dropped$),
    };
    const collected$ = batch(calls, context, notRun).pipe(
      tap((event) => {
        if (event.type === 'tool-result') results.push(event.result);
      }),
    );
    const after$ = defer(() => {
      const { events, state: next } = conclude(run, state, after, turn, results);
      return from([...events, new Next(next)]);
    });
    return concat(collected$, after$);
  },

  done: (run, state, { reason }) => {
    // Asked only now, so that what is said while `step-end` is being read counts too.
    const goesOn = reason === 'answer' && !run.inbox.isEmpty && mayCall(state.calls, run.budget);
    if (!goesOn) return of(done(run, state, reason));
    const answered = append(run, { ...state, answer: undefined }, closed(state.answer, []));
    return of(go({ ...answered, step: state.step + 1, attempt: 1 }, { type: 'boundary', afterAnswer: true }));
  },

  failed: (_run, _state, { error }) => throwError(() => error),
};

function eventOf(delta: Delta, runId: string, step: number): LoopEvent {
  if (delta.type !== 'warning') return { type: 'delta', runId, step, delta };
  const { text, data } = delta;
  return { type: 'status', runId, text, ...(data !== undefined && { data }) };
}

function go(state: RunState, phase: Phase): Next<RunState> {
  return new Next({ ...state, phase });
}
