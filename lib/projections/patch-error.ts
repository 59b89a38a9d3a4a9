import { LoopError } from '../errors.ts';
import type { LoopState, PatchFault } from '../loop-state.ts';

/** A patch of a state could not be applied: it is not one, it does not fit the state, or its path is refused. */
export class PatchError extends LoopError {
  readonly code = 'patch';
  /** Which update of the stream, from 0. */
  readonly update: number;
  /** Which operation of its patch, from 0. */
  readonly index: number;
  readonly path: string;
  /** The last state before it: all that came until then. Absent where there was none yet. */
  readonly state: LoopState | undefined;

  constructor(update: number, { index, path, message }: PatchFault, state: LoopState | undefined, options?: ErrorOptions) {
    const advice = 'Ask for a new snapshot, and go on from the last good state, which is in this error.';
    super('PatchError', `Update ${update}, operation ${index} at "${path}" cannot be applied: ${message} ${advice}`, options);
    this.update = update;
    this.index = index;
    this.path = path;
    this.state = state;
  }
}
