import { concat, defer, EMPTY, from, ignoreElements, map, of, tap, throwError, timer } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Delta } from '../delta.ts';
import { BudgetError, errorText } from '../errors.ts';
import type { LoopEvent, Retry, RunStart, StepStart } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import { Step, step } from '../fold/step.ts';
import { batch } from '../invoke/batch.ts';
import type { ToolResult } from '../message.ts';
import type { Tool } from '../tool.ts';
import { advance } from './advance.ts';
import { mayCall } from './budget.ts';
import { closed } from './close.ts';
import { done, failure } from './ending.ts';
import { readOptions } from './options.ts';
import type { ToolLoopOptions } from './options.ts';
import { preflight } from './preflight.ts';
import { append, newRun, requestOf, startState } from './run-state.ts';
import type { Phase, Run, RunState } from './run-state.ts';
import { timeLimits } from './timeouts.ts';
import { Next, unfold } from './unfold.ts';

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
    );
  }) as Observable<LoopEvent<Tools[number]>>;
}

type PhaseEvents = Observable<LoopEvent | Next<RunState>>;
type PhaseOf<Type extends Phase['type']> = Extract<Phase, { type: Type }>;

const phases: { [Type in Phase['type']]: (run: Run, state: RunState, phase: PhaseOf<Type>) => PhaseEvents } = {
  start: (run, state) => {
    const { runId, threadId } = run;
    const start: RunStart = { type: 'run-start', runId, ...(threadId !== undefined && { threadId }) };
    const ready$ = preflight(run).pipe(map((tools) => go({ ...state, tools }, { type: 'call', fresh: true })));
    return concat(of(start), ready$);
  },

  call: (run, state, { fresh }) => {
    const { runId, model, budget } = run;
    if (fresh && !mayCall(state.step, budget)) return outOfSteps(run, state);
    const name = `${model.provider} ${model.id}`;
    const start: StepStart = { type: 'step-start', runId, step: state.step, attempt: 1, model: model.id };
    const exchange$ = defer(() => model.stream(requestOf(run, state))).pipe(
      timeLimits(run.timeouts, run.scheduler, name),
      step(run.claims, name),
      inOrder((said): LoopEvent | PhaseEvents => {
        if (!(said instanceof Step)) return eventOf(said, runId, state.step);
        const { events, state: next } = advance(run, state, said);
        return from([...events, new Next(next)]);
      }),
    );
    const asked$ = (run.demand?.ready() ?? EMPTY).pipe(ignoreElements());
    return fresh ? concat(asked$, of(start), exchange$) : exchange$;
  },

  wait: (run, state, { wait, error }) => {
    const { runId, retry, scheduler } = run;
    const { delayMs, retryAfter } = wait;
    const spent = { count: state.spent.count + 1, waitedMs: state.spent.waitedMs + delayMs };
    const event: Retry = {
      type: 'retry',
      runId,
      step: state.step,
      attempt: 1,
      count: spent.count,
      max: retry.count,
      reason: errorText(error),
      delayMs,
      ...(retryAfter && { retryAfter }),
      by: 'loop',
    };
    const again = go({ ...state, spent }, { type: 'call', fresh: false });
    return concat(of(event), timer(delayMs, scheduler).pipe(ignoreElements()), of(again));
  },

  batch: (run, state, { turn, calls, notRun, reason }) => {
    const results: ToolResult[] = [];
    const context = { runId: run.runId, step: state.step, tools: state.tools, scheduler: run.scheduler, policy: run.policy };
    const collected$ = batch(calls, context, notRun).pipe(
      tap((event) => {
        if (event.type === 'tool-result') results.push(event.result);
      }),
    );
    const after$ = defer(() => {
      const after = append(run, state, closed(turn, results));
      return of(reason === undefined ? go({ ...after, step: state.step + 1 }, { type: 'call', fresh: true }) : go(after, { type: 'done', reason }));
    });
    return concat(collected$, after$);
  },

  done: (run, state, { reason }) => of(done(run, state, reason)),

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

function outOfSteps({ policy, budget: { maxSteps } }: Run, state: RunState): PhaseEvents {
  const spent: Phase =
    policy.budgetEnd === 'stop'
      ? { type: 'done', reason: 'max-steps' }
      : { type: 'failed', error: new BudgetError('max-steps', maxSteps, state.step) };
  return of(go(state, spent));
}
