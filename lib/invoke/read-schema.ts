import { InvalidToolSchemaError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import type { JsonSchema } from '../tool.ts';
import { resolveReferences } from './resolve-references.ts';
import type { Found, Node, Place, Refuse } from './resolve-references.ts';
import { isPattern, schemaKeywords } from './schema-keywords.ts';
import type { Reading } from './schema-keywords.ts';

/** A schema that is still to be read. */
interface Open {
  readonly schema: unknown;
  readonly place: Place;
  readonly depth: number;
  /** The schema and the keyword that hold it. */
  readonly parent: Node;
  readonly keyword: string;
  readonly put: (node: Node) => void;
}

/** Deeper or more than any real tool has; a schema that holds itself has both. */
const MAX_DEPTH = 100;
const MAX_SCHEMAS = 10_000;

const BESIDE: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/**
 * Reads a JSON Schema whole, without recursion, and refuses what would not be honoured. What it gives is a copy without
 * annotations, its references resolved, that nobody else holds.
 *
 * @throws InvalidToolSchemaError for a keyword that is unknown, has a wrong value, or refers to what is not there
 * @internal
 */
export function readSchema(schema: JsonSchema, toolName: string): Node {
  const refuse: Refuse = ({ path }, keyword, why) => {
    const where = path === '' ? 'at its root' : `at ${path}`;
    throw new InvalidToolSchemaError(toolName, `"${keyword}" ${where} ${why}.`, { path, keyword });
  };
  let root: Node = true;
  const found: Found = { nodes: new Map(), anchors: new Map(), references: [], innerIds: [], beside: new Map() };
  const open: Open[] = [{ schema, place: { path: '', pointer: '' }, depth: 0, parent: true, keyword: '', put: (node) => (root = node) }];
  // It grows while it is read, level by level.
  for (const next of open) {
    const node = readOne(next, found, open, refuse);
    next.put(node);
    found.nodes.set(next.place.pointer, node);
    if (BESIDE.has(next.keyword)) found.beside.get(next.parent)?.push(node);
    if (open.length > MAX_SCHEMAS) return refuse(next.place, next.keyword, `is more than can be read: at most ${MAX_SCHEMAS} schemas`);
  }
  resolveReferences(found, refuse);
  return root;
}

/** Reads one schema and opens those inside it. */
function readOne({ schema, place, depth, keyword: from }: Open, found: Found, open: Open[], refuse: Refuse): Node {
  if (typeof schema === 'boolean') return schema;
  if (!isRecord(schema)) return refuse(place, from, 'is no schema: give an object, true or false');
  if (depth > MAX_DEPTH) return refuse(place, from, `is deeper than ${MAX_DEPTH} schemas`);
  const node: Record<string, unknown> = {};
  found.beside.set(node, []);
  const openIn = (holder: object, name: string, at: Place, keyword: string, inner: unknown): void => {
    define(holder, name, undefined); // keeps its place in the order
    open.push({ schema: inner, place: at, depth: depth + 1, parent: node, keyword, put: (read) => define(holder, name, read) });
  };
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(schemaKeywords, keyword)) {
      return refuse(place, keyword, 'is not a keyword that can be checked: take it out, or give a validator that honours it');
    }
    const reading = schemaKeywords[keyword] as Reading;
    const why = faultOf(reading, value);
    if (why !== undefined) return refuse(place, keyword, why);
    const at = step(place, keyword);
    if (keyword === '$id' && depth > 0) found.innerIds.push(place);
    if (keyword === '$ref') found.references.push({ node, place });
    if (keyword === '$anchor') {
      if (found.anchors.has(value as string)) return refuse(place, keyword, 'is also the name of another schema');
      found.anchors.set(value as string, place.pointer);
      continue; // who refers to it is led to its place
    }
    if (reading === 'schema') openIn(node, keyword, at, keyword, value);
    else if (reading !== 'annotation' && typeof reading === 'string') {
      const isList = reading === 'schemas';
      const holder = isList ? [] : {};
      node[keyword] = holder;
      for (const [name, inner] of Object.entries(value as object)) {
        if (keyword === 'patternProperties' && !isPattern(name)) return refuse(step(at, name), keyword, 'is under a name that is no regular expression');
        if (/\p{Surrogate}/u.test(name)) return refuse(at, keyword, 'has a name that is half a character');
        openIn(holder, name, step(at, name, isList), keyword, inner);
      }
    } else if (typeof reading === 'object') node[keyword] = value;
  }
  return node;
}

function faultOf(reading: Reading, value: unknown): string | undefined {
  if (reading === 'annotation') return undefined;
  if (reading === 'schema') return Array.isArray(value) ? 'must be one schema; a list of schemas, one for each place, is prefixItems' : undefined;
  if (reading === 'schemas') return Array.isArray(value) && value.length > 0 ? undefined : 'must be a list of at least one schema';
  if (typeof reading === 'string') return isRecord(value) ? undefined : 'must be an object of schemas, by name';
  const [isRight, said] = reading;
  return isRight(value) ? undefined : `must be ${said}`;
}

function step({ path, pointer }: Place, name: string, isIndex = false): Place {
  const plain = path === '' ? name : `.${name}`;
  const shown = isIndex ? `[${name}]` : /^[\w$-]+$/.test(name) ? plain : `[${JSON.stringify(name)}]`;
  return { path: path + shown, pointer: `${pointer}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}` };
}

/** Not by assignment, which would take `__proto__` for the prototype. */
function define(holder: object, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}
