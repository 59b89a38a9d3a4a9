import jsonPatch from 'fast-json-patch';
import { defer, map } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import { errorText } from '../errors.ts';
import type { JsonPatchOperation } from '../host.ts';
import type { LoopState, PatchFault } from '../loop-state.ts';
import { Refusal, segmentsOf } from './json-patch.ts';
import { PatchError } from './patch-error.ts';
import { WireReader } from './wire-reader.ts';
import type { StateUpdate, WireState } from './wire-state.ts';

/**
 * The states that `toPatches()` was made of, from its snapshot and patches, as they come over a wire. Linear in what
 * comes; parts that no patch touches are the same objects as before.
 *
 * ```marbles
 * updates           -s-p-p-|
 * applyPatches()    -S-P-P-|
 * ```
 *
 * Contract:
 * - starts: each subscription has a document of its own. A snapshot replaces it, at the beginning and at any later time.
 * - leaves: the updates.
 * - fails: as the updates do; with a {@link PatchError} at an operation that is none, that does not fit, or whose path names
 *   a prototype or something inherited. The error has the place and the last good state.
 * - order: one state for each update. The updates themselves are not changed.
 *
 * @public
 */
export function applyPatches(): OperatorFunction<StateUpdate, LoopState> {
  return (updates$) =>
    defer(() => {
      const document = new PatchedDocument();
      return updates$.pipe(map((update) => document.take(update)));
    });
}

/** One document that is changed in place: a copy for each piece of a text would be quadratic. */
class PatchedDocument {
  #document: WireState | undefined;
  #reader = new WireReader();
  #state: LoopState | undefined;
  #update = -1;

  take(update: StateUpdate): LoopState {
    this.#update += 1;
    if (update.type === 'snapshot') {
      this.#document = jsonPatch.deepClone(update.state) as WireState;
      this.#reader = new WireReader();
    } else {
      update.patch.forEach((operation, index) => this.#apply(operation, index));
    }
    return (this.#state = this.#read());
  }

  #apply(operation: JsonPatchOperation, index: number): void {
    if (typeof operation !== 'object' || operation === null) throw this.#error({ index, path: '', message: `${String(operation)} is no operation.` });
    const { op, path } = operation;
    if (this.#document === undefined) throw this.#error({ index, path, message: 'A snapshot comes first.' });
    try {
      if ('from' in operation) this.#touch(operation.from, true);
      this.#touch(path, op === 'replace' || op === 'remove' || op === 'test');
      this.#document = jsonPatch.applyOperation(this.#document, own(operation), true, true, true, index).newDocument;
    } catch (error) {
      throw this.#error({ index, path: error instanceof Refusal ? error.path : path, message: messageOf(error) }, error);
    }
  }

  /**
   * What lies on the way to a place changes, so it is read again. All of it is the document's own: where validation finds
   * something that is inherited, a patch could reach beyond the document.
   */
  #touch(pointer: string, isThere: boolean): void {
    let node: unknown = this.#document;
    const segments = segmentsOf(pointer);
    for (const [at, segment] of segments.entries()) {
      if (typeof node !== 'object' || node === null) return;
      const isLast = at === segments.length - 1;
      this.#reader.forget(node, isLast && segment === '-');
      if ((!isLast || isThere) && !Object.hasOwn(node, segment)) throw new Refusal(pointer, `There is nothing at "${segment}".`);
      node = (node as Record<string, unknown>)[segment];
    }
  }

  #read(): LoopState {
    try {
      if (this.#document === undefined) throw new Refusal('', 'A snapshot comes first.');
      return this.#reader.state(this.#document);
    } catch (error) {
      throw this.#error({ index: 0, path: '', message: `The document is no state any more: ${errorText(error)}.` }, error);
    }
  }

  #error(fault: PatchFault, cause?: unknown): PatchError {
    return new PatchError(this.#update, fault, this.#state, { cause });
  }
}

/** The value becomes a part of the document, so it is the document's own. */
function own<T extends JsonPatchOperation>(operation: T): T {
  return 'value' in operation && typeof operation.value === 'object' ? { ...operation, value: jsonPatch.deepClone(operation.value) as unknown } : operation;
}

/** The first line: the library goes on with the whole document. */
function messageOf(error: unknown): string {
  return errorText(error).split('\n', 1).join('').replace(/\.?$/, '.');
}
