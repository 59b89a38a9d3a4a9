import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { closedSchema } from '../../lib/bytes/closed-schema.ts';

const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

describe('closedSchema', () => {
  it('closes every object, wherever it stands', () => {
    const schema = {
      type: 'object',
      properties: { one: place, list: { type: 'array', items: place }, either: { anyOf: [place, { type: 'null' }] } },
      required: ['one', 'list', 'either'],
      $defs: { place },
    };
    const closed = { ...place, additionalProperties: false };
    expect(closedSchema(schema)).toEqual({
      isStrict: true,
      schema: {
        ...schema,
        properties: { one: closed, list: { type: 'array', items: closed }, either: { anyOf: [closed, { type: 'null' }] } },
        $defs: { place: closed },
        additionalProperties: false,
      },
    });
  });

  it('is strict where every property is required, and only there', () => {
    expect(closedSchema(place).isStrict).toBe(true);
    expect(closedSchema({ ...place, required: [] }).isStrict).toBe(false);
    expect(closedSchema({ type: 'object', properties: { inner: { ...place, required: [] } }, required: ['inner'] }).isStrict).toBe(false);
  });

  it('leaves an object open that says so', () => {
    const open = { type: 'object', additionalProperties: { type: 'number' } };
    expect(closedSchema(open)).toEqual({ schema: open, isStrict: false });
  });

  it('does not touch what only looks like a schema', () => {
    const schema = { type: 'object', properties: { properties: { type: 'string', enum: ['object'] } }, required: ['properties'], default: { type: 'object' } };
    expect(closedSchema(schema).schema).toEqual({ ...schema, additionalProperties: false });
  });

  it('changes nothing in what it was given', () => {
    const schema = Object.freeze(z.toJSONSchema(z.object({ city: z.object({ name: z.string() }) }), { io: 'input' }));
    const before = JSON.stringify(schema);
    expect(closedSchema(schema).isStrict).toBe(true);
    expect(JSON.stringify(schema)).toBe(before);
  });
});
