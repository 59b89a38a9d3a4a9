import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventSchema, messageSchema, outcomeSchema } from '../lib/schema.ts';
import { deltas, events, hostile, messages, outcome } from './support/examples.ts';

type Node = Record<string, unknown>;
type Path = readonly string[];

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const schemas = { event: eventSchema, message: messageSchema, outcome: outcomeSchema };

/** The same fields in any order, `__proto__` included, which `toEqual` does not see. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isNode(value)) return value;
  return Object.keys(value).sort().map((key) => [key, sorted(Object.getOwnPropertyDescriptor(value, key)?.value)]);
}

const eventDeltas = Object.values(deltas).map((delta) => ({ ...events.delta, delta }));

const examples: readonly [string, keyof typeof schemas, unknown][] = [
  ...Object.values(events).map((event) => [`the event ${event.type}`, 'event', event] as [string, 'event', unknown]),
  ...eventDeltas.map((event) => [`the delta ${event.delta.type}`, 'event', event] as [string, 'event', unknown]),
  ...messages.map((message) => [`the message of ${message.role}`, 'message', message] as [string, 'message', unknown]),
  ['the outcome', 'outcome', outcome],
];

/** What is passed on without a look. The `data` of a file is a text; other `data` is free. */
const FREE_NAMES = new Set(['arguments', 'output', 'progress', 'raw', 'meta']);
const isFree = (name: string | undefined, value: unknown): boolean =>
  name !== undefined && (FREE_NAMES.has(name) || (name === 'data' && typeof value !== 'string'));
const at = (value: unknown, path: Path): unknown => path.reduce<unknown>((node, key) => (isNode(node) ? node[key] : undefined), value);

/** Every field that has a type, by its path; not what is inside free-form JSON. */
function fieldsOf(value: unknown, path: Path = []): Path[] {
  if (!isNode(value) || isFree(path.at(-1), value)) return [path];
  return [path, ...Object.keys(value).flatMap((key) => fieldsOf(value[key], [...path, key]))];
}

/** A copy with the field at `path` put to `change`'s result; `undefined` leaves it out. */
function changed(value: unknown, [key, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (!isNode(value)) throw new Error('no such path');
  const inside = changed(value[key], rest, change);
  if (Array.isArray(value)) return value.map((one: unknown, index) => (String(index) === key ? inside : one));
  const kept = Object.entries(value).filter(([name]) => name !== key || inside !== undefined);
  return Object.fromEntries(kept.map(([name, one]) => [name, name === key ? inside : one]));
}

const wrong = (value: unknown): unknown => (typeof value === 'object' ? 'not an object' : { not: 'that' });

/** The places of the fields that the vocabulary marks with `?`. */
const OPTIONAL: readonly RegExp[] = [
  /\.(meta|rawArguments|rawFinish|ids|threadId|retryAfter|answer|output|status|reported|data|url|title)$/,
  /\.usage\.(\w+Tokens|costUsd|partial)$/,
  /^event\.(context|costUsd)$/,
  /outcome\.unread$/,
  /\.ids\.(response|request)$/,
  /\.content\.\d+\.block$/,
  /\.(result|results\.\d+|outcome)\.error$/,
  /\.completion\.(reasoning|refusal|finish|model)$/,
  /(\.answer|\.messages\.\d+|^message)\.(finish|usage|model)$/,
  /\.delta\.model$/,
  /^outcome\.error$/,
];

/** What depends on its owner's type, then what a place alone tells. */
function isOptional(place: string, owner: unknown): boolean {
  const type = isNode(owner) ? owner['type'] : undefined;
  if (type === 'opaque' && place.endsWith('.data')) return false;
  if (type === 'source' && place.endsWith('.block')) return true;
  if (type === 'file' && place.endsWith('.name')) return true;
  if (type === 'image' && place.endsWith('.mediaType')) return true;
  return OPTIONAL.some((optional) => optional.test(place));
}

describe.each(examples)('%s', (_, kind, example) => {
  const schema = schemas[kind];

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
      if (isFree(name, at(example, path)) && name !== 'meta') continue;
      // A type that nobody knows is not wrong for an event or a delta.
      const isOpen = name === 'type' && (path.length === 1 || path[0] === 'delta');
      if (isOpen) continue;
      const { success, error } = schema.safeParse(changed(example, path, wrong));
      expect({ path, success }).toEqual({ path, success: false });
      const named = error?.issues.map((issue) => issue.path.join('.'));
      // The figures that a wire reported are judged as one field.
      const field = path[1] === 'reported' ? path.slice(0, 2) : path;
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

describe('eventSchema', () => {
  it('lets an event of an unknown type pass unchanged, whatever its fields', () => {
    const event = { type: 'compaction', runId: 'r1', step: 'not a number', messages: hostile };
    expect(sorted(eventSchema.parse(sent(event)))).toEqual(sorted(event));
  });

  it.each(['constructor', '__proto__', 'toString'])('knows no event type %s', (type) => {
    expect(eventSchema.parse({ type, runId: 'r1' })).toEqual({ type, runId: 'r1' });
  });

  it('lets a delta of an unknown type pass unchanged', () => {
    const event = { ...events.delta, delta: { type: 'tomorrow', block: 7, data: hostile } };
    expect(sorted(eventSchema.parse(sent(event)))).toEqual(sorted(event));
  });

  it.each([
    [{ runId: 'r1' }, 'type'],
    [{ type: 1, runId: 'r1' }, 'type'],
    [{ type: 'compaction' }, 'runId'],
    [{ type: 'compaction', runId: null }, 'runId'],
    [{ ...events.delta, delta: { text: 'x' } }, 'delta.type'],
    [null, ''],
    ['done', ''],
    [[], ''],
    [undefined, ''],
  ])('refuses %j at "%s"', (event, path) => {
    const { error } = eventSchema.safeParse(event);
    expect(error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
  });

  it('names the deepest field that is wrong', () => {
    const event = changed(events.done, ['outcome', 'messages', '1', 'content', '3', 'call', 'name'], () => 7);
    const issues = eventSchema.safeParse(event).error?.issues;
    expect(issues).toMatchObject([
      { code: 'invalid_type', expected: 'string', path: ['outcome', 'messages', 1, 'content', 3, 'call', 'name'] },
    ]);
    expect(() => eventSchema.parse(event)).toThrow(/"outcome",\s+"messages",\s+1,\s+"content",\s+3,\s+"call",\s+"name"/);
  });

  it('reports every wrong field', () => {
    const { error } = eventSchema.safeParse({ type: 'retry', runId: 'r1', step: 0, attempt: '1', count: 1, max: 3, delayMs: null, reason: '', by: 'me' });
    expect(error?.issues.map((issue) => issue.path.join('.')).sort()).toEqual(['attempt', 'by', 'delayMs']);
  });
});

describe('messageSchema', () => {
  it('refuses an unknown role and a part of an unknown type', () => {
    expect(messageSchema.safeParse({ role: 'system', content: [] }).error?.issues[0]?.path).toEqual(['role']);
    const message = { role: 'user', content: [{ type: 'text', text: '' }, { type: 'video', url: '' }] };
    expect(messageSchema.safeParse(message).error?.issues[0]?.path).toEqual(['content', 1, 'type']);
  });
});

describe('any event', () => {
  /** A part of an example: with or without each optional field, lists of any length, free-form JSON of any kind. */
  function varied(value: unknown, place: string): fc.Arbitrary<unknown> {
    const name = place.slice(place.lastIndexOf('.') + 1);
    if (name === 'meta') return fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue());
    if (isFree(name, value)) return fc.oneof(fc.jsonValue(), fc.constant(hostile));
    if (Array.isArray(value)) {
      const items = value.map((item: unknown, index) => varied(item, `${place}.${index}`));
      return items.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...items), { maxLength: 4 });
    }
    if (isNode(value) && name !== 'reported') {
      const fields = Object.entries(value).map(([key, one]) => [key, varied(one, `${place}.${key}`)] as const);
      const requiredKeys = fields.map(([key]) => key).filter((key) => !isOptional(`${place}.${key}`, value));
      return fc.record(Object.fromEntries(fields), { requiredKeys });
    }
    if (typeof value === 'number') return fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }));
    if (['text', 'chunk', 'id', 'callId', 'runId', 'message', 'model'].includes(name)) return fc.string({ unit: 'binary' });
    return fc.constant(value);
  }

  it('parses to itself after a trip through JSON', () => {
    const all = [...Object.values(events), ...eventDeltas];
    fc.assert(
      fc.property(fc.oneof(...all.map((event) => varied(event, 'event'))), (event) => {
        const wire = sent(event);
        expect(sorted(eventSchema.parse(wire))).toEqual(sorted(wire));
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
