import { isRecord } from '../is-record.ts';

/** A JSON Schema as providers want it that hold a model to it. */
export interface ClosedSchema {
  readonly schema: Readonly<Record<string, unknown>>;
  /** Every property of every object is required: what OpenAI takes as `strict`. */
  readonly isStrict: boolean;
}

/**
 * A schema whose objects say that they have no other properties: constrained decoding (OpenAI's `json_schema`, Anthropic's
 * `output_config.format`) is refused otherwise. An object that says it has others keeps that.
 */
export function closedSchema(schema: Readonly<Record<string, unknown>>): ClosedSchema {
  let isStrict = true;
  const close = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(close);
    if (!isRecord(part)) return part;
    const closed = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closedPart(key, value)]));
    if (!isRecord(part['properties']) && part['type'] !== 'object') return closed;
    const names = Object.keys(isRecord(part['properties']) ? part['properties'] : {});
    const required = Array.isArray(part['required']) ? (part['required'] as readonly unknown[]) : [];
    const isOpen = 'additionalProperties' in part && part['additionalProperties'] !== false;
    if (isOpen || !names.every((name) => required.includes(name))) isStrict = false;
    return 'additionalProperties' in part ? closed : { ...closed, additionalProperties: false };
  };
  const closedPart = (key: string, value: unknown): unknown => {
    if (MAPS.has(key) && isRecord(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, close(part)]));
    return PARTS.has(key) ? close(value) : value;
  };
  return { schema: close(schema) as ClosedSchema['schema'], isStrict };
}

/** Keywords whose value is schemas by name. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Keywords whose value is a schema, or a list of them. */
const PARTS: ReadonlySet<string> = new Set(['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'additionalProperties']);
