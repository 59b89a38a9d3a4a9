import jsonPatch from 'fast-json-patch';
import type { JsonPatchOperation } from '../host.ts';

/** Names that must not be written through: they reach the prototype of every object. */
const PROTOTYPE = /(^|\/)(__proto__|prototype|constructor)(\/|$)/;

/**
 * The state that patches lead to, as an AG-UI client comes to it: a patch that does not fit changes nothing. The given
 * state stays as it is.
 *
 * @internal
 */
export function patchedState(state: unknown, patches: readonly (readonly JsonPatchOperation[])[]): unknown {
  const { applyPatch } = jsonPatch;
  return patches.reduce<unknown>((before, patch) => {
    const isBad = patch.some((one) => PROTOTYPE.test(one.path) || ('from' in one && PROTOTYPE.test(one.from)));
    if (isBad) return before;
    try {
      return applyPatch(before, patch as Parameters<typeof applyPatch>[1], true, false).newDocument;
    } catch {
      return before;
    }
  }, state);
}
