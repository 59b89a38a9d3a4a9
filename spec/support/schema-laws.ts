import { describe, expect, it } from '@jest/globals';
import type * as z from 'zod/mini';
import { hostile } from './examples.ts';

// What every schema of the vocabulary keeps, shown on an example that has every field.

type Node = Record<string, unknown>;
type Path = readonly string[];

export const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
export const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The same fields in any order, `__proto__` included, which `toEqual` does not see. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isNode(value)) return value;
  return Object.keys(value).sort().map((key) => [key, sorted(Object.getOwnPropertyDescriptor(value, key)?.value)]);
}

/** What is passed on without a look. `raw` has texts too; the `data` of a file and a custom event's may be one. */
const FREE_NAMES = new Set(['arguments', 'output', 'progress', 'raw', 'meta', 'value', 'json', 'schema']);
export const isFree = (name: string | undefined, value: unknown): boolean =>
  name !== undefined && (FREE_NAMES.has(name) || (name === 'data' && typeof value !== 'string'));
/** Free, but an object. */
const FREE_OBJECTS = new Set(['meta', 'schema']);
const at = (value: unknown, path: Path): unknown => path.reduce<unknown>((node, key) => (isNode(node) ? node[key] : undefined), value);

/** Every field that has a type, by its path; not what is inside free-form JSON. */
function fieldsOf(value: unknown, path: Path = []): Path[] {
  if (!isNode(value) || isFree(path.at(-1), value)) return [path];
  return [path, ...Object.keys(value).flatMap((key) => fieldsOf(value[key], [...path, key]))];
}

/** A copy with the field at `path` put to `change`'s result; `undefined` leaves it out. */
export function changed(value: unknown, [key, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (!isNode(value)) throw new Error('no such path');
  const inside = changed(value[key], rest, change);
  if (Array.isArray(value)) return value.map((one: unknown, index) => (String(index) === key ? inside : one));
  const kept = Object.entries(value).filter(([name]) => name !== key || inside !== undefined);
  return Object.fromEntries(kept.map(([name, one]) => [name, name === key ? inside : one]));
}

const wrong = (value: unknown): unknown => (typeof value === 'object' ? 'not an object' : { not: 'that' });

/** The places of the fields that the vocabulary marks with `?`, whatever the type of their owner. */
const OPTIONAL: readonly RegExp[] = [
  /\.(meta|rawArguments|rawFinish|threadId|retryAfter|resumed|speculative|parent|output|reported|data|url|unread)$/,
  /\.(nestedUsage|retracted|batch|display|schema|effective|cleared|nested|settled|released|stopped|checkpoint|approved|answered|unseen|verdict|wait)$/,
  /\.wait\.(delayMs|from)$|\.verdict\.error$/,
  /\.usage\.(\w+Tokens|costUsd|partial)$|\.(nestedUsage|retracted)\.(\w+Tokens|costUsd|partial)$/,
  /^event\.(context|costUsd|ids)$|steps\.\d+\.ids$|\.ids\.(response|request)$|\.delta\.ids$|^delta\.ids$/,
  /\.content\.\d+\.block$/,
  /\.(result|results\.\d+|outcome)\.error$|^outcome\.error$|\.error\.status$/,
  /\.completion\.(json|reasoning|refusal|finish|model)$/,
  /(\.answer|\.turn|\.messages\.\d+|\.summary\.\d+|^message)\.(finish|usage|model)$/,
  /(^|\.)delta\.model$/,
  /\.counters\.context$|\.stopped\.callId$|\.request\.reason$|\.calls\.\d+\.(request|answer|startedAt)$/,
  /(^checkpoint|\.checkpoint|\.nested)\.usage$|(^outcome|\.outcome)\.answer$/,
  /\.display\.(text|diff|locations|terminalId|filterStats|keptLines|raw)$|\.diff\.oldText$|\.locations\.\d+\.line$/,
  /\.entries\.\d+\.priority$|\.answer\.(arguments|reason|isError)$/,
];

/** What events and parts of one type may lack, and those of another may not. */
const OPTIONAL_OF: Readonly<Record<string, readonly string[]>> = {
  'approval-request': ['reason'],
  'tool-start': ['title', 'kind'],
  'tool-dropped': ['isError'],
  'step-retract': ['finish'],
  source: ['block', 'title'],
  file: ['name'],
  image: ['mediaType'],
};
const REQUIRED_OF: Readonly<Record<string, readonly string[]>> = { opaque: ['data'], custom: ['data'], input: ['value'] };

/** What depends on its owner's type, then what a place alone tells. */
export function isOptional(place: string, owner: unknown): boolean {
  const type = isNode(owner) ? String(owner['type']) : '';
  const name = place.slice(place.lastIndexOf('.') + 1);
  if (REQUIRED_OF[type]?.includes(name)) return false;
  return OPTIONAL_OF[type]?.includes(name) || OPTIONAL.some((optional) => optional.test(place));
}

/** A type that nobody knows is not wrong for an event or a delta. */
const isOpen = (kind: string, path: Path): boolean =>
  path.at(-1) === 'type' && ((kind === 'event' && (path.length === 1 || path[0] === 'delta')) || kind === 'delta');

/**
 * Says in specs that the schema changes nothing, keeps what it does not know, and refuses every wrong field by its name.
 *
 * @param kind - what the example is: `event`, `message`, ...
 */
export function keepsTheLaws(title: string, kind: string, schema: z.ZodMiniType, example: unknown): void {
  describe(title, () => {
    it('parses to itself after a trip through JSON, keys named __proto__ included', () => {
      const parsed = schema.parse(sent(example));
      expect(parsed).toEqual(example);
      expect(sorted(parsed)).toEqual(sorted(example));
      expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    });

    it('keeps unknown fields, everywhere', () => {
      for (const path of fieldsOf(example)) {
        if (isFree(path.at(-1), at(example, path))) continue;
        const more = changed(example, path, (value) => (isNode(value) && !Array.isArray(value) ? { ...value, new: hostile } : value));
        if (path.at(-1) !== 'reported') expect(sorted(schema.parse(sent(more)))).toEqual(sorted(more));
      }
    });

    it('is refused with a wrong value in any one of its fields, which the refusal names', () => {
      for (const path of fieldsOf(example)) {
        const name = path.at(-1);
        if (isFree(name, at(example, path)) && !FREE_OBJECTS.has(name ?? '')) continue;
        if (isOpen(kind, path)) continue;
        const { success, error } = schema.safeParse(changed(example, path, wrong));
        expect({ path, success }).toEqual({ path, success: false });
        const named = error?.issues.map((issue) => issue.path.join('.'));
        // The figures that a wire reported are judged as one field.
        const reported = path.indexOf('reported');
        const field = reported < 0 ? path : path.slice(0, reported + 1);
        expect(named).toContain(field.join('.'));
        expect(error?.message).toContain(field.map((key) => (/^\d+$/.test(key) ? key : `"${key}"`)).at(-1) ?? '');
      }
    });

    it('may lack what is optional, which then stays absent, and nothing else', () => {
      for (const path of fieldsOf(example)) {
        if (path.length === 0 || /^\d+$/.test(path.at(-1) ?? '') || path.includes('reported')) continue;
        const less = changed(example, path, () => undefined);
        const { success, data } = schema.safeParse(less);
        if (success) expect(sorted(data)).toEqual(sorted(less));
        const place = [kind, ...path].join('.');
        expect([place, success]).toEqual([place, isOptional(place, at(example, path.slice(0, -1)))]);
      }
    });
  });
}
