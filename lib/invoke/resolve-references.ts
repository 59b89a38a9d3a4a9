/** A schema as it is read: a copy without annotations. */
export type Node = Record<string, unknown> | boolean;

/** Where a schema stands in the whole: as a path for people, and as a JSON Pointer. */
export interface Place {
  readonly path: string;
  readonly pointer: string;
}

/** What one pass over a schema found. */
export interface Found {
  /** By JSON Pointer. */
  readonly nodes: Map<string, Node>;
  /** JSON Pointers by name. */
  readonly anchors: Map<string, string>;
  readonly references: { readonly node: Record<string, unknown>; readonly place: Place }[];
  readonly innerIds: Place[];
  /** The schemas that judge the same value as the one that holds them. */
  readonly beside: Map<Node, Node[]>;
}

/** Throws the refusal of a keyword. */
export type Refuse = (place: Place, keyword: string, why: string) => never;

/** A few references may stand for millions of schemas, all asked of one value. */
const MAX_SIZE = 10_000;

const LOST = 'leads nowhere: only "#/…" (a place in this schema) and "#name" (an $anchor in it) can be followed';

/**
 * Makes each `$ref` name its target by one spelling of its JSON Pointer, and refuses a reference that has no target in
 * the schema, or that would never come to an end.
 *
 * @internal
 */
export function resolveReferences({ nodes, anchors, references, innerIds, beside }: Found, refuse: Refuse): void {
  const [innerId] = innerIds;
  if (innerId !== undefined && references.length > 0) return refuse(innerId, '$id', 'would change what a $ref means: take it out');
  for (const { node, place } of references) {
    const pointer = pointerOf(String(node['$ref']), anchors);
    const target = pointer === undefined ? undefined : nodes.get(pointer);
    if (pointer === undefined || target === undefined) return refuse(place, '$ref', LOST);
    node['$ref'] = `#${pointer.split('/').map(encoded).join('/')}`;
    beside.get(node)?.push(target);
  }
  const sizes = new Map<Node, number>();
  for (const { node, place } of references) {
    const size = sizeOf(node, beside, sizes);
    if (size === Infinity) return refuse(place, '$ref', 'leads back to itself without going into the value');
    if (size > MAX_SIZE) return refuse(place, '$ref', `stands for more than ${MAX_SIZE} schemas`);
  }
}

function pointerOf(reference: string, anchors: ReadonlyMap<string, string>): string | undefined {
  if (!reference.startsWith('#')) return undefined;
  try {
    const fragment = decodeURIComponent(reference.slice(1));
    return fragment === '' || fragment.startsWith('/') ? fragment : anchors.get(fragment);
  } catch {
    return undefined;
  }
}

/** As the validator spells it. */
function encoded(segment: string): string {
  return encodeURI(segment).replace(/#/g, '%23');
}

/** How many schemas one value is asked of, references followed, without recursion; infinite if that never ends. */
function sizeOf(start: Node, beside: ReadonlyMap<Node, readonly Node[]>, sizes: Map<Node, number>): number {
  const open = [start];
  for (let node = open.at(-1); node !== undefined; node = open.at(-1)) {
    const inner = beside.get(node) ?? [];
    if (sizes.has(node)) {
      sizes.set(node, inner.reduce((sum, one) => sum + (sizes.get(one) ?? 1), 1));
      open.pop();
    } else {
      // Whoever meets it while it is open has gone round.
      sizes.set(node, Infinity);
      open.push(...inner.filter((one) => typeof one === 'object' && !sizes.has(one)));
    }
  }
  return sizes.get(start) ?? 1;
}
