import { defer, distinctUntilChanged, map } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import type { LoopEvent } from '../event.ts';
import type { LoopState } from '../loop-state.ts';
import type { Message } from '../message.ts';
import { foldState } from './fold-state.ts';
import { initialState } from './initial-state.ts';

export interface StateOptions {
  /** What the run is given, its prompt included: no event tells of it. Default: nothing. Ignored with `initial`. */
  readonly messages?: readonly Message[];
  /** Where to begin, such as the last state of a run that is now resumed. Default: `initialState(messages)`. */
  readonly initial?: LoopState;
}

/**
 * A run as a screen shows it: the whole state after each event that changed it, structurally shared.
 *
 * ```marbles
 * events       -t-c-y-1-T-(ZL|)
 * toState()    -t-c-y-1-T-(ZL|)
 * ```
 *
 * Contract:
 * - starts: each subscription folds for itself, from `initial`. Nothing is emitted before the first event.
 * - leaves: the run.
 * - fails: as the run does, after the state of its last event; `errorAsDone()` above it makes the failure a state.
 * - order: one state for each event that changed something; what an event did not concern is the same object as before.
 *
 * @param options - what the events do not tell
 * @see {@link foldState} - the same as a pure function, for stores
 * @public
 */
export function toState(options: StateOptions = {}): OperatorFunction<LoopEvent<any>, LoopState> {
  return (events$) =>
    defer(() => {
      let state = options.initial ?? initialState(options.messages);
      return events$.pipe(
        map((event) => (state = foldState(state, event))),
        distinctUntilChanged(),
      );
    });
}
