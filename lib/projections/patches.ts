import { defer, filter, map } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import type { LoopEvent } from '../event.ts';
import type { LoopState } from '../loop-state.ts';
import { foldState } from './fold-state.ts';
import { initialState } from './initial-state.ts';
import type { StateOptions } from './state.ts';
import { statePatch } from './state-patch.ts';
import { toWireState } from './to-wire-state.ts';
import type { StateUpdate } from './wire-state.ts';

export { applyPatches } from './apply-patches.ts';
export { fromWireState } from './from-wire-state.ts';
export { PatchError } from './patch-error.ts';
export { toWireState } from './to-wire-state.ts';
export type { StateOptions } from './state.ts';
export type { StateUpdate, WireBlock, WireCall, WireMessage, WireState } from './wire-state.ts';

/**
 * A run as a snapshot and JSON Patches (RFC 6902) of its state, for a screen at the other end of a wire. A piece of text
 * costs its own characters and about 60 more, however long the conversation is.
 *
 * ```marbles
 * events         -t-c-y-1-T-(ZL|)
 * toPatches()    -s-p-p-p-p-(pp|)
 * ```
 *
 * Contract:
 * - starts: each subscription begins with a snapshot, at the first event.
 * - leaves: the run.
 * - fails: as the run does; `errorAsDone()` above it makes the failure a patch.
 * - order: one update for each state of `toState()`: `applyPatches()` gives just these states.
 *
 * @param options - as of `toState()`
 * @public
 */
export function toPatches(options: StateOptions = {}): OperatorFunction<LoopEvent<any>, StateUpdate> {
  return (events$) =>
    defer(() => {
      let state = options.initial ?? initialState(options.messages);
      let isFirst = true;
      const update = (event: LoopEvent): StateUpdate | undefined => {
        const before: LoopState = state;
        state = foldState(before, event);
        if (isFirst) {
          isFirst = false;
          return { type: 'snapshot', state: toWireState(state) };
        }
        return state === before ? undefined : { type: 'patch', patch: statePatch(before, state, event) };
      };
      return events$.pipe(
        map(update),
        filter((one) => one !== undefined),
      );
    });
}
