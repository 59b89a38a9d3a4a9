import type { LoopState } from '../loop-state.ts';
import { WireReader } from './wire-reader.ts';
import type { WireState } from './wire-state.ts';

/**
 * The state that a patched document holds. Its inverse is {@link toWireState}.
 *
 * @public
 */
export function fromWireState(wire: WireState): LoopState {
  return new WireReader().state(wire);
}
