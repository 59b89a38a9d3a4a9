import { catchError, concat, defer, EMPTY, from, map, of, takeUntil, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Checkpoint } from '../checkpoint.ts';
import type { LoopEvent } from '../event.ts';
import { batch } from '../invoke/batch.ts';
import { CallRecord } from '../invoke/call-record.ts';
import { graceOver } from '../invoke/grace-over.ts';
import { SUSPENDED } from '../invoke/suspended.ts';
import type { ToolResult } from '../message.ts';
import { usageAt } from '../nesting.ts';
import { addUsage } from '../usage.ts';
import { batchContext } from './batch-context.ts';
import { checkpointOf, saved } from './checkpoint.ts';
import { closed, unreported } from './close.ts';
import { conclude } from './conclude.ts';
import { done } from './ending.ts';
import { append } from './run-state.ts';
import type { BatchPhase, Run, RunState } from './run-state.ts';
import { Next } from './unfold.ts';

type Said = LoopEvent | Next<RunState>;

/**
 * The calls of a step that stands, and what follows them: the next step, the run's end, or, where nothing can move
 * without an answer, the run's suspension.
 *
 * Contract:
 * - leaves: the calls that run.
 * - fails: where a hook or an answer fails; the turn is closed with the results that have been shown.
 *
 * @internal
 */
export function runBatch(run: Run, state: RunState, phase: BatchPhase): Observable<Said> {
  const { turn, calls, notRun, after } = phase;
  const records = phase.records ?? calls.map((one, at) => new CallRecord(one, at));
  const results: ToolResult[] = records.flatMap(({ released, settled }) => (released && settled !== undefined ? [settled.result] : []));
  let announced = phase.announced ?? false;
  let isOver = false;
  const standing = (): Checkpoint => checkpointOf(run, state, { batch: { phase, records, announced } });
  // What never runs needs no checkpoint: the one before the step says enough.
  const isKept = run.onCheckpoint !== undefined && notRun === undefined;
  const context = { ...batchContext(run, state), ...(isKept && { settled: () => saved(run, standing) }), announced, records };
  const begun$ = isKept && !announced ? saved(run, standing).pipe(takeUntil(graceOver(context))) : EMPTY;
  const batch$ = batch(calls, context, notRun).pipe(
    map((event): Said => {
      if (event.type !== SUSPENDED.type) return event;
      isOver = true;
      const checkpoint = standing();
      // Counted in the outcome; in the checkpoint it stands with the run inside, which goes on counting.
      for (const { nested } of records) {
        const used = nested && usageAt(nested);
        if (used !== undefined) run.nested = addUsage(run.nested, used);
      }
      return done(run, state, 'suspended', checkpoint);
    }),
    tap((event) => {
      announced = true;
      if (!(event instanceof Next) && event.type === 'tool-result' && event.parent === undefined) results.push(event.result);
    }),
    catchError((error: unknown) => {
      isOver = true;
      const missing = unreported({ calls: calls.slice(results.length) }, 'Not executed: the run failed.');
      return of(new Next<RunState>({ ...append(run, state, closed(turn, [...results, ...missing])), phase: { type: 'failed', error } }));
    }),
  );
  const after$ = defer(() => {
    if (isOver) return EMPTY;
    const { events, state: next } = conclude(run, state, after, turn, results);
    return from([...events, new Next(next)]);
  });
  return isKept ? concat(begun$, batch$, after$) : concat(batch$, after$);
}
