import { isRecord } from '../is-record.ts';
/**
 * How a keyword's value is read:
 * - `annotation`: not at all, it checks nothing
 * - `schema`: a schema; `schemas`: a list of some; `named`: an object of some, by name
 * - a pair: what the value must be, and how to say so
 */
export type Reading = 'annotation' | 'schema' | 'schemas' | 'named' | Value;
type Value = readonly [isRight: (value: unknown) => boolean, said: string];


const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

const isText = (value: unknown): boolean => typeof value === 'string';
const isTypes = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 && value.every((one) => TYPES.has(one)) : TYPES.has(value);

const number: Value = [Number.isFinite, 'a number'];
const count: Value = [(value) => Number.isInteger(value) && (value as number) >= 0, 'a whole number of 0 or more'];
const pattern: Value = [isPattern, 'a regular expression, as JavaScript reads it with the flag u'];

/** Every keyword that is honoured or checks nothing: those of draft 2020-12, and `definitions`, the older name of `$defs`. */
export const schemaKeywords: Readonly<Record<string, Reading>> = {
  $schema: 'annotation',
  $id: 'annotation',
  $comment: 'annotation',
  title: 'annotation',
  description: 'annotation',
  default: 'annotation',
  examples: 'annotation',
  format: 'annotation',
  deprecated: 'annotation',
  readOnly: 'annotation',
  writeOnly: 'annotation',
  contentMediaType: 'annotation',
  contentEncoding: 'annotation',

  $ref: [isText, 'a text'],
  $anchor: [(value) => isText(value) && /^[A-Za-z_][\w.-]*$/.test(value as string), 'a name of letters, digits, "_", "-" and "."'],
  $defs: 'named',
  definitions: 'named',

  type: [isTypes, `a type or a list of some: ${[...TYPES].join(', ')}`],
  enum: [(value) => Array.isArray(value) && value.length > 0, 'a list of at least one value'],
  const: [() => true, 'a value'],

  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: [(value) => Number.isFinite(value) && (value as number) > 0, 'a number above 0'],

  minLength: count,
  maxLength: count,
  pattern,

  properties: 'named',
  patternProperties: 'named',
  additionalProperties: 'schema',
  unevaluatedProperties: 'schema',
  propertyNames: 'schema',
  required: [isNames, 'a list of names'],
  minProperties: count,
  maxProperties: count,
  dependentRequired: [(value) => isRecord(value) && Object.values(value).every(isNames), 'an object of lists of names'],
  dependentSchemas: 'named',

  prefixItems: 'schemas',
  items: 'schema',
  unevaluatedItems: 'schema',
  contains: 'schema',
  minContains: count,
  maxContains: count,
  minItems: count,
  maxItems: count,
  uniqueItems: [(value) => typeof value === 'boolean', 'true or false'],

  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  if: 'schema',
  then: 'schema',
  else: 'schema',
};

export function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

/** Whether a text is a regular expression; `patternProperties` has them as names. */
export function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
