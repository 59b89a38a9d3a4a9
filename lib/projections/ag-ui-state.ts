import type { JsonPatchOperation } from '../host.ts';
import { applyJsonPatch } from './json-patch.ts';

/**
 * The state that patches lead to, as an AG-UI client comes to it: a patch that does not fit changes nothing. The given
 * state stays as it is.
 *
 * @internal
 */
export function patchedState(state: unknown, patches: readonly (readonly JsonPatchOperation[])[]): unknown {
  return patches.reduce<unknown>((before, patch) => {
    const after = applyJsonPatch(before, patch);
    return 'document' in after ? after.document : before;
  }, state);
}
