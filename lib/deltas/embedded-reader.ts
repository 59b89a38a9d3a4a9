import { isRecord } from '../is-record.ts';
import type { ToolSpec } from '../model.ts';
import { readClause } from './embedded-clause.ts';
import type { Clause, Token } from './embedded-clause.ts';
import { readValue } from './embedded-value.ts';
import type { Kind, Property, Value } from './embedded-value.ts';

/** A tool, ready to be held against clauses. */
export interface Reader {
  readonly name: string;
  offer(clause: Clause): Offer;
}

/** What a clause has for one tool. */
export interface Offer {
  readonly reader: Reader;
  /** How well they fit: about 1 for a word of the description, 3 for one of the name or for a formula. */
  readonly score: number;
  readonly filled: Filled;
}

/** What a clause gives one tool. */
export interface Filled {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Required properties that the clause has no value for. */
  readonly missing: readonly string[];
  /** How much the values themselves speak for this tool: 0 for free text, most for a formula. */
  readonly evidence: number;
  /** The tokens that became values. */
  readonly used: ReadonlySet<Token>;
  /** Free text was taken, so that more of the same sentence may belong to it. */
  readonly isOpen: boolean;
}

/** A word of the name is enough to call a tool, one of the description is not. */
const NAME_WEIGHT = 3;

/**
 * Prepares tools: each reader says how well a clause fits its name, description and JSON Schema, and fills the arguments
 * from it. A word of several names (`read_file`, `write_file`) is shared between them.
 *
 * @internal
 */
export function readersOf(tools: readonly ToolSpec[]): Reader[] {
  const names = tools.map(({ name }) => new Set([...keysOf(name), name.toLowerCase()]));
  const owners = new Map<string, number>();
  for (const key of names.flatMap((keys) => [...keys])) owners.set(key, (owners.get(key) ?? 0) + 1);
  return tools.map((spec, n) => {
    const [own, properties] = [names[n] as Set<string>, keysOfProperties(spec)];
    const named = new Map([...own].map((key) => [key, NAME_WEIGHT / (owners.get(key) ?? 1)]));
    const described = new Set([...keysOf(spec.description), ...properties]);
    const fill = argumentReader(spec, ({ key }) => own.has(key) || properties.has(key));
    const reader: Reader = {
      name: spec.name,
      offer: (clause) => {
        const filled = fill(clause);
        return { reader, filled, score: scoreOf(clause, filled, named, described) };
      },
    };
    return reader;
  });
}

function keysOfProperties({ parameters }: ToolSpec): Set<string> {
  return keysOf(propertiesOf(parameters).map(({ name }) => name).join(' '));
}

/** The words that say something; `getUserName` and `get_user_names` have the same. */
function keysOf(text: string): Set<string> {
  const { tokens } = readClause(text.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' '));
  return new Set(tokens.filter(({ isStop }) => !isStop).map(({ key }) => key));
}

function scoreOf({ tokens }: Clause, filled: Filled, named: ReadonlyMap<string, number>, described: ReadonlySet<string>): number {
  const byName = new Map<string, number>();
  const byDescription = new Set<string>();
  let [content, unclaimed] = [0, 0];
  for (const [n, token] of tokens.entries()) {
    // `look up` is the word `lookup` too.
    const name = [token.key, token.key + (tokens[n + 1]?.key ?? '')].find((key) => named.has(key));
    if (name !== undefined) byName.set(name, named.get(name) ?? 0);
    else if (token.isStop) continue;
    else if (described.has(token.key)) byDescription.add(token.key);
    else if (filled.isOpen || !filled.used.has(token)) unclaimed++;
    content++;
  }
  const nameScore = [...byName.values()].reduce((sum, weight) => sum + weight, 0);
  // Any long clause shares some words with a description: they count in full where they are a third of the clause.
  const descriptionScore = byDescription.size * Math.min(1, (3 * byDescription.size) / Math.max(1, content));
  const isCovered = unclaimed === 0 && byName.size + byDescription.size > 0;
  return nameScore + descriptionScore + filled.evidence + (isCovered ? 1 : 0);
}

/** `isKnown` says whether a word is the tool's own: free text does not begin with it. */
function argumentReader(spec: ToolSpec, isKnown: (token: Token) => boolean): (clause: Clause) => Filled {
  const properties = propertiesOf(spec.parameters);
  const inOrder = [...properties].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));

  return (clause) => {
    const values = new Map<Property, Value>();
    const used = new Set<Token>();
    for (const property of inOrder) {
      if (!property.isRequired && OPTIONAL[property.kind]?.(property, clause) !== true) continue;
      const value = readValue(property, { clause, used, isKnown });
      if (value === undefined) continue;
      values.set(property, value);
      for (const token of value.used) used.add(token);
    }
    const filled = properties.flatMap((property) => {
      const value = values.get(property);
      return value === undefined ? [] : [[property, value] as const];
    });
    const missing = properties.filter((property) => property.isRequired && !values.has(property));
    const kinds = new Set(filled.map(([{ kind }]) => kind));
    const hint = missing.some(({ kind }) => kind === 'formula') && FORMULA_VERB.test(clause.text) ? 2 : 0;
    return {
      // Not by assignment: a property may be called `__proto__`.
      arguments: Object.fromEntries(filled.map(([{ name }, { value }]) => [name, value])),
      missing: missing.map(({ name }) => name),
      evidence: [...kinds].reduce((sum, kind) => sum + (EVIDENCE[kind] ?? 0), hint),
      used,
      isOpen: filled.some(([, value]) => value.isOpen === true),
    };
  };
}

type Schema = Property['schema'];

/** The surest kinds choose first; free text takes what they leave. */
const ORDER: readonly Kind[] = ['const', 'enum', 'zone', 'formula', 'path', 'number', 'numbers', 'boolean', 'place', 'text', 'string', 'other'];
const EVIDENCE: Partial<Record<Kind, number>> = { formula: 3, enum: 1, zone: 1, path: 1, number: 1, numbers: 1 };
const FORMULA_VERB = /\b(?:calculate|compute|add|sum|multiply|product|divide|quotient|subtract|difference)\b/i;

/** Whether an optional property is worth reading at all: only where the clause speaks of it for certain. */
const OPTIONAL: Partial<Record<Kind, (property: Property, clause: Clause) => boolean>> = {
  enum: () => true,
  zone: () => true,
  formula: () => true,
  number: ({ name }, { tokens }) => tokens.some(({ key }) => key === name.toLowerCase()),
};

function propertiesOf(parameters: Schema): Property[] {
  const required = new Set(Array.isArray(parameters['required']) ? parameters['required'].map(String) : []);
  const known = Object.entries(isRecord(parameters['properties']) ? parameters['properties'] : {});
  const names = new Set(known.map(([name]) => name));
  const undescribed = [...required].filter((name) => !names.has(name)).map((name) => [name, {}] as const);
  return [...known, ...undescribed].map(([name, given]) => {
    const schema = plain(given);
    return { name, schema, kind: kindOf(name, schema), isRequired: required.has(name) };
  });
}

/** Of alternatives the first that is not null stands for all; alternatives of constants are an enum. */
function plain(schema: unknown): Schema {
  if (!isRecord(schema)) return {};
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (!Array.isArray(branches)) return schema;
  const real = branches.filter(isRecord).filter(({ type }) => type !== 'null');
  if (real.length > 0 && real.every((branch) => 'const' in branch)) return { ...schema, enum: real.map((branch) => branch['const']) };
  return { ...schema, ...real[0] };
}

function kindOf(name: string, schema: Schema): Kind {
  if ('const' in schema) return 'const';
  if (Array.isArray(schema['enum'])) return 'enum';
  const type = Array.isArray(schema['type']) ? schema['type'].find((one) => one !== 'null') : schema['type'];
  const items = plain(schema['items']);
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'array') return items['type'] === 'number' || items['type'] === 'integer' ? 'numbers' : 'other';
  if (type !== 'string') return 'other';
  const about = typeof schema['description'] === 'string' ? schema['description'] : '';
  if (/time_?zone|^(?:tz|zone)$/i.test(name) || /time ?zone|\bIANA\b/i.test(about)) return 'zone';
  if (/expr|formula|equation|arithmetic|calculation/i.test(name) || /\b(?:arithmetic|formula)\b/i.test(about)) return 'formula';
  if (/path|file|folder|directory|ur[il]$/i.test(name)) return 'path';
  if (/(?:^|_)city|location|place|country|town|region|address/i.test(name) || /City/.test(name)) return 'place';
  return /text|message|content|body|input|prompt|phrase|sentence/i.test(name) ? 'text' : 'string';
}

