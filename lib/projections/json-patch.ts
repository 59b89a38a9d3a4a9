import type { JsonPatchOperation } from '../host.ts';
import type { PatchFault } from '../loop-state.ts';

/** Segments that no path of a patch may have, wherever they stand. */
const REFUSED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Applies a JSON Patch (RFC 6902) to a document that is never changed: the answer shares with it what the patch does not
 * touch. Walks own properties alone and refuses paths that name a prototype.
 *
 * @returns the new document, or why there is none: a patch is applied as a whole or not at all
 * @internal
 */
export function applyJsonPatch(document: unknown, patch: readonly JsonPatchOperation[]): { readonly document: unknown } | { readonly fault: PatchFault } {
  let index = 0;
  let current = document;
  try {
    for (const operation of patch) {
      current = apply(current, operation);
      index += 1;
    }
    return { document: current };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { fault: { index, path: error.path, message: error.message } };
  }
}

/**
 * A JSON pointer in segments.
 *
 * @throws {@link Refusal} for what is no pointer, and for a segment that names a prototype
 * @internal
 */
export function segmentsOf(pointer: unknown): string[] {
  if (typeof pointer !== 'string') throw new Refusal(String(pointer), 'A path is a string.');
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new Refusal(pointer, 'A path that is not empty begins with "/".');
  const segments = pointer.slice(1).split('/').map((one) => one.replaceAll('~1', '/').replaceAll('~0', '~'));
  const refused = segments.find((one) => REFUSED.has(one));
  if (refused !== undefined) throw new Refusal(pointer, `A path may not name "${refused}".`);
  return segments;
}

/**
 * An operation that is not applied.
 *
 * @internal
 */
export class Refusal extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

function apply(document: unknown, operation: JsonPatchOperation): unknown {
  const path = segmentsOf(operation.path);
  switch (operation.op) {
    case 'add':
      return add(document, path, needed(operation), operation.path);
    case 'replace': {
      const value = needed(operation);
      return path.length === 0 ? value : add(remove(document, path, operation.path), path, value, operation.path);
    }
    case 'test':
      if (!isEqual(find(document, path, operation.path), needed(operation))) throw new Refusal(operation.path, 'The value is not what the patch tests for.');
      return document;
    case 'remove':
      return remove(document, path, operation.path);
    case 'copy':
      return add(document, path, find(document, segmentsOf(operation.from), operation.from), operation.path);
    case 'move': {
      const from = segmentsOf(operation.from);
      if (operation.path.startsWith(`${operation.from}/`)) throw new Refusal(operation.path, 'A value cannot be moved into itself.');
      return add(remove(document, from, operation.from), path, find(document, from, operation.from), operation.path);
    }
    default:
      throw new Refusal(String((operation as { path: unknown }).path), `"${String((operation as { op: unknown }).op)}" is no operation of a JSON Patch.`);
  }
}

function needed(operation: { readonly path: string; readonly value: unknown }): unknown {
  if (operation.value === undefined) throw new Refusal(operation.path, 'The operation has no value.');
  return operation.value;
}

function find(document: unknown, path: readonly string[], pointer: string): unknown {
  return path.reduce((node, segment) => member(node, segment, pointer), document);
}

/** An own member that exists. */
function member(node: unknown, segment: string, pointer: string): unknown {
  if (typeof node !== 'object' || node === null) throw new Refusal(pointer, `There is nothing at "${segment}".`);
  const key = Array.isArray(node) ? indexOf(segment, node.length - 1, pointer) : segment;
  if (!Object.hasOwn(node, key)) throw new Refusal(pointer, `There is nothing at "${segment}".`);
  return (node as Record<string | number, unknown>)[key];
}

function indexOf(segment: string, max: number, pointer: string): number {
  if (!/^(0|[1-9]\d*)$/.test(segment) || Number(segment) > max) throw new Refusal(pointer, `"${segment}" is no index of that array.`);
  return Number(segment);
}

function add(node: unknown, path: readonly string[], value: unknown, pointer: string): unknown {
  return change(node, path, pointer, {
    root: () => value,
    array: (list, segment) => list.toSpliced(segment === '-' ? list.length : indexOf(segment, list.length, pointer), 0, value),
    object: (object, key) => ({ ...object, [key]: value }),
  });
}

function remove(node: unknown, path: readonly string[], pointer: string): unknown {
  return change(node, path, pointer, {
    root: () => null,
    array: (list, segment) => list.toSpliced(indexOf(segment, list.length - 1, pointer), 1),
    object: (object, key) => {
      member(object, key, pointer);
      const { [key]: _gone, ...rest } = object;
      return rest;
    },
  });
}

interface Change {
  root(): unknown;
  array(list: readonly unknown[], segment: string): unknown;
  object(object: Readonly<Record<string, unknown>>, key: string): unknown;
}

/** The document with one container changed, and those above it copied. */
function change(node: unknown, path: readonly string[], pointer: string, act: Change): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) return act.root();
  if (rest.length > 0) {
    const changed = change(member(node, segment, pointer), rest, pointer, act);
    return Array.isArray(node) ? node.with(Number(segment), changed) : { ...(node as object), [segment]: changed };
  }
  if (Array.isArray(node)) return act.array(node, segment);
  if (typeof node !== 'object' || node === null) throw new Refusal(pointer, `There is nothing that could hold "${segment}".`);
  return act.object(node as Readonly<Record<string, unknown>>, segment);
}

/** Equal as JSON: the order of keys does not count. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  const other = b as Record<string, unknown>;
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual((a as Record<string, unknown>)[key], other[key]));
}
