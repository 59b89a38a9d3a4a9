import { isRecord } from '../is-record.ts';
import type { ValidationIssue } from '../tool.ts';
import { schemaKeywords } from './schema-keywords.ts';

/** One thing that the validator reports: which keyword (`#/properties/a/minimum`) refused which value (`#/a`). */
export interface Report {
  readonly keyword: string;
  readonly keywordLocation: string;
  readonly instanceLocation: string;
}

type Path = readonly (string | number)[];

/** They only say that a part was refused; the reports of the part say why. */
const CARRIERS: ReadonlySet<string> = new Set([
  '$ref', 'allOf', 'if', 'properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'dependentSchemas',
  'prefixItems', 'items', 'unevaluatedItems',
]);

/** What stands inside these was only tried: it may refuse although the value is right. */
const TRIED: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'not', 'contains', 'propertyNames']);

/**
 * The reports in words for the model, each with the path of its value. The words are made from the schema alone, so no
 * value is repeated.
 *
 * @internal
 */
export function schemaIssues(schema: unknown, value: unknown, reports: readonly Report[]): ValidationIssue[] {
  const issues = new Map<string, { readonly message: string; readonly path: Path }>();
  const say = (message: string, path: Path): void => void issues.set(JSON.stringify([message, path]), { message, path });
  let before: Report | undefined;
  let isTried = false;
  for (const report of reports) {
    const { keyword, keywordLocation, instanceLocation } = report;
    const path = pathOf(value, instanceLocation);
    if (keyword === 'false') {
      // Its location is not the keyword's: what came before it is what holds it. A refused property counts as unevaluated too.
      const isKnown = before?.keyword.startsWith('unevaluated') === true && [...issues.values()].some((one) => path.every((key, at) => one.path[at] === key));
      if (!isTried && !isKnown) say('is not allowed', path);
    } else {
      const { holder, isInTried } = holderOf(schema, keywordLocation);
      const said = isRecord(holder) ? holder[keyword] : undefined;
      isTried = isInTried || TRIED.has(keyword);
      if (keyword === 'required' && !isInTried) for (const name of missing(at(value, path), said)) say('is required', [...path, name]);
      else if (!isInTried && !CARRIERS.has(keyword)) say(messageOf(keyword, said), path);
    }
    before = report;
  }
  return issues.size > 0 ? [...issues.values()] : [{ message: 'is not as the schema says' }];
}

const MESSAGES: Readonly<Record<string, string>> = {
  type: 'must be of type',
  enum: 'must be one of',
  const: 'must be',
  minimum: 'must be at least',
  maximum: 'must be at most',
  exclusiveMinimum: 'must be more than',
  exclusiveMaximum: 'must be less than',
  multipleOf: 'must be a multiple of',
  minLength: 'must have at least this many characters:',
  maxLength: 'must have at most this many characters:',
  minItems: 'must have at least this many items:',
  maxItems: 'must have at most this many items:',
  minProperties: 'must have at least this many properties:',
  maxProperties: 'must have at most this many properties:',
  pattern: 'must match the regular expression',
  anyOf: 'must match at least one of',
  oneOf: 'must match exactly one of',
  not: 'must not match',
  contains: 'must have an item that matches',
  propertyNames: 'must have property names that match',
};

/** So much of what a keyword says is told. */
const MAX_TOLD = 200;

function messageOf(keyword: string, said: unknown): string {
  if (keyword === 'uniqueItems') return 'must not have two equal items';
  const words = Object.hasOwn(MESSAGES, keyword) ? MESSAGES[keyword] : `is not as ${keyword} says:`;
  const text = keyword === 'type' ? [said].flat().join(' or ') : (JSON.stringify(said) ?? '');
  return `${words} ${text.length > MAX_TOLD ? `${text.slice(0, MAX_TOLD)}…` : text}`;
}

function missing(value: unknown, names: unknown): string[] {
  if (!isRecord(value) || !Array.isArray(names)) return [];
  return names.filter((name: string) => !Object.hasOwn(value, name));
}

/** The schema that has the keyword at a location, and whether that is inside one that was only tried. */
function holderOf(root: unknown, location: string): { holder: unknown; isInTried: boolean } {
  const segments = segmentsOf(location).slice(0, -1);
  let holder = root;
  let isInTried = false;
  while (segments.length > 0 && isRecord(holder)) {
    const keyword = segments.shift() ?? '';
    isInTried ||= TRIED.has(keyword);
    const said = holder[keyword];
    if (keyword === '$ref') holder = holderOf(root, `${String(said)}/`).holder;
    else holder = schemaKeywords[keyword] === 'schema' ? said : at(said, [segments.shift() ?? '']);
  }
  return { holder, isInTried };
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((holder, key) => (typeof holder === 'object' ? (holder as Record<string | number, unknown> | null)?.[key] : undefined), value);
}

/** The path of a value, the places of list items as numbers. */
function pathOf(value: unknown, location: string): Path {
  const path: (string | number)[] = [];
  let holder = value;
  for (const segment of segmentsOf(location)) {
    const key = Array.isArray(holder) ? Number(segment) : segment;
    path.push(key);
    holder = at(holder, [key]);
  }
  return path;
}

/** Of a JSON Pointer in the form of a URI fragment. */
function segmentsOf(location: string): string[] {
  return location.split('/').slice(1).map((segment) => decodeURIComponent(segment).replace(/~1/g, '/').replace(/~0/g, '~'));
}
