import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkpointSchema, eventSchema, messageSchema, outcomeSchema } from '../lib/schema.ts';
import { answers, checkpoint, deltas, events, hostile, messages, outcome } from './support/examples.ts';
import { changed, isFree, isNode, isOptional, keepsTheLaws, sent, sorted } from './support/schema-laws.ts';

const eventDeltas = Object.values(deltas).map((delta) => ({ ...events.delta, delta }));
const eventAnswers = answers.map((answer) => ({ ...events['approval-answer'], answer }));

// A checkpoint has laws of its own, and is by far the largest thing that an event carries.
const { checkpoint: _, ...small } = outcome;
const smallEvents = { ...events, done: { ...events.done, outcome: small } };
for (const event of Object.values(smallEvents)) keepsTheLaws(`the event ${event.type}`, 'event', eventSchema, event);

describe('the entry', () => {
  it('has a schema for whatever of a run is stored or sent', () => {
    expect(messages.map((message) => messageSchema.parse(sent(message)))).toEqual(messages);
    expect(outcomeSchema.parse(sent(outcome))).toEqual(outcome);
    expect(checkpointSchema.parse(sent(checkpoint))).toEqual(checkpoint);
  });
});

describe('eventSchema', () => {
  it('lets an event of an unknown type pass unchanged, whatever its fields', () => {
    const event = { type: 'tomorrow', runId: 'r1', step: 'not a number', messages: hostile };
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
    [{ type: 'tomorrow' }, 'runId'],
    [{ type: 'tomorrow', runId: null }, 'runId'],
    [{ type: 'tomorrow', runId: 'r1', parent: { runId: 'r0' } }, 'parent.callId'],
    [{ ...events.delta, delta: { text: 'x' } }, 'delta.type'],
    [{ ...events['approval-answer'], answer: { type: 'suspend' } }, 'answer.type'],
    [{ ...events.state, patch: [{ op: 'add', path: '/a' }] }, 'patch.0.value'],
    [{ ...events.state, patch: [{ op: 'rename', path: '/a' }] }, 'patch.0.op'],
    [{ ...events.correction, cause: 'weather' }, 'cause'],
    [{ ...events['tool-dropped'], reason: 'lost' }, 'reason'],
    [{ ...events['tool-start'], speculative: false }, 'speculative'],
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

describe('any event', () => {
  /** A part of an example: with or without each optional field, lists of any length, free-form JSON of any kind. */
  function varied(value: unknown, place: string): fc.Arbitrary<unknown> {
    const name = place.slice(place.lastIndexOf('.') + 1);
    if (name === 'meta' || name === 'schema') return fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue());
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
    if (typeof value === 'number' && name !== 'version') return fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }));
    if (['text', 'chunk', 'id', 'callId', 'runId', 'message', 'model', 'path'].includes(name)) return fc.string({ unit: 'binary' });
    return fc.constant(value);
  }

  it('parses to itself after a trip through JSON', () => {
    const all = [...Object.values(smallEvents), ...eventDeltas, ...eventAnswers];
    fc.assert(
      fc.property(fc.oneof(...all.map((event) => varied(event, 'event'))), (event) => {
        const wire = sent(event);
        expect(sorted(eventSchema.parse(wire))).toEqual(sorted(wire));
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
