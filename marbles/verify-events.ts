import { defer, tap } from 'rxjs';
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { LoopEvent } from '../lib/index.ts';
import { treeGrammar } from './tree-grammar.ts';
import { VerifyEventsError } from './verify-events-error.ts';
import type { Clash } from './verify-events-error.ts';

/**
 * Passes a run's events on, and errors at the first one that the grammar of events forbids, naming the two events that
 * cannot follow each other. Several runs may be mixed: each `runId` is checked by itself, and nested runs stand between the
 * `tool-start` and the `tool-result` of their call.
 *
 * Contract:
 * - starts: one source subscription for each subscription.
 * - leaves: the source is left in the same tick; a run that was left is not judged.
 * - fails: a {@link VerifyEventsError} (code `verify-events`) in place of the forbidden event or completion. An error of
 *   the source is passed on: it may come anywhere.
 * - order: unchanged. Inside a run, event types that this kit does not know are passed on unjudged.
 *
 * @returns the source's events, unchanged
 */
export function verifyEvents(): MonoTypeOperatorFunction<LoopEvent> {
  return (events$) =>
    defer(() => {
      const tree = treeGrammar();
      return events$.pipe(
        tap({
          next: (event) => refuse(tree.next(event)),
          complete: () => refuse(tree.complete()),
        }),
      );
    });
}

function refuse(clash: Clash | undefined): void {
  if (clash !== undefined) throw new VerifyEventsError(clash);
}
