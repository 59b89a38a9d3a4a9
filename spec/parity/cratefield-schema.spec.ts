import { describe, expect, it } from '@jest/globals';
import { defineTool, toolLoop, userMessage } from '../../lib/index.ts';
import type { JsonSchema, Message, Model, Tool, ToolLoopOptions } from '../../lib/index.ts';
import { jsonSchemaValidator } from '../../lib/invoke/json-schema-validator.ts';
import { call } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const options = { prompt: 'go', preset: 'strict', validator: jsonSchemaValidator() } satisfies Partial<ToolLoopOptions>;
const add = (input: JsonSchema): Tool => defineTool({ name: 'add', description: 'Adds.', input, run: () => 'sum' });
const image = (data = 'AAAA'): Message => ({ role: 'user', content: [{ type: 'image', mediaType: 'image/png', data }] });
const able = ['tools', 'images'] as const;

// prettier-ignore
describe('cratefield: what is refused before any call', () => {
  const refusal = (code: string, message: RegExp, change: Partial<Model>, asked: Partial<ToolLoopOptions>): (() => void) =>
    loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
      const turn1 = turn('t-(z|)');
      const story = '    #     ';
      const all = '      (S#)  ';

      const model: Model = { ...script(turn1), ...change };
      expectEvents(toolLoop({ ...options, model, ...asked })).toBe(story, {}, { code, message }).lane('all').toBe(all, {}, { code, message });
      expectSubscriptions(turn1).toBe([]);
    });

  it.each<[string, Partial<Model>, Message[], RegExp]>([
    ['an image, of a model without them', { capabilities: ['tools'] }, [image()], /cannot take images, but messages\[0\] has one/],
    ['one image too many', { capabilities: able, imageLimits: { count: 2 } }, [image(), image(), userMessage('hi'), image()], /at most 2 images in a request, and messages\[3\] has number 3/],
    ['an image that is too large', { capabilities: able, imageLimits: { bytes: 5 } }, [image(), image('AAAAAAAA')], /at most 5 bytes, and one in messages\[1\] has 6/],
  ])('%s [40]', (_name, change, messages, message) => refusal('unsupported', message, change, { messages })());

  it.each<[string, JsonSchema, RegExp]>([
    ['at the root', { type: 'object', tpye: 1 }, /tool "add" cannot be checked: "tpye" at its root is not a keyword/],
    ['in a property', { properties: { a: { nullable: true } } }, /tool "add" .*"nullable" at properties\.a is not/],
    ['in the items of a branch', { anyOf: [{}, { items: { $dynamicRef: '#a' } }] }, /tool "add" .*"\$dynamicRef" at anyOf\[1\]\.items is not/],
    ['under additional properties', { additionalProperties: { oneOf: [{ not: { 'x-order': 1 } }] } }, /tool "add" .*"x-order" at additionalProperties\.oneOf\[0\]\.not is not/],
  ])('a keyword %s that nothing enforces, named with its tool [42]', (_name, schema, message) => refusal('invalid-tool-schema', message, {}, { tools: [add(schema)] })());

  it.each<[string, JsonSchema, RegExp]>([
    ['a type that is none', { properties: { a: { type: 'strin' } } }, /"type" at properties\.a must be a type/],
    ['a bound that is a text', { properties: { a: { minimum: '3' } } }, /"minimum" at properties\.a must be a number/],
    ['a negative length', { properties: { a: { minLength: -1 } } }, /"minLength" at properties\.a must be a whole number/],
    ['properties as a list', { properties: ['a'] }, /"properties" at its root must be an object of schemas/],
    ['required as one name', { required: 'a' }, /"required" at its root must be a list of names/],
    ['an empty anyOf', { anyOf: [] }, /"anyOf" at its root must be a list of at least one schema/],
    ['an enum that is none', { properties: { a: { enum: 'x' } } }, /"enum" at properties\.a must be a list/],
    ['items that are no schema', { items: 'string' }, /"items" at items is no schema/],
  ])('%s, although its keyword is known [43]', (_name, schema, message) => refusal('invalid-tool-schema', message, {}, { tools: [add(schema)] })());
});

// prettier-ignore
describe('cratefield: what is taken', () => {
  it('as many and as large images as the model takes [40]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' t-(z|) ');
    const events = '     t-(zL|)';

    const model: Model = { ...script(turn1), capabilities: able, imageLimits: { count: 2, bytes: 3 } };
    expectEvents(toolLoop({ ...options, model, messages: [image(), image()] })).toBe(events);
  }));

  it('annotations, whatever they say [44]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' c-(y|)       ', { c: call('add', { a: 'no address' }, { id: 'c', index: 0 }) });
    const turn2 = turn('   ----t-(z|)');
    const events = '     c-(y1)T-(ZL|)';

    const note = { title: 3, description: 4, default: {}, examples: 'e', $schema: 's', $id: 'i', $comment: 5, format: 'email' };
    const noted = add({ ...note, type: 'object', properties: { a: { ...note, type: 'string' } } });
    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [noted] })).toBe(events).having('1', { isError: false });
  }));
});

// prettier-ignore
describe('cratefield: what the executor never sees', () => {
  /** A call with wrong arguments, then one with right ones. */
  const enforced = (input: JsonSchema, wrong: object, right: object, reason: string): void => {
    const seen: unknown[] = [];
    const tool = defineTool({ name: 'add', description: 'Adds.', input, run: (args) => (seen.push(args), 'sum') });

    loopMarbles(({ turn, script, expectEvents }) => {
      const turn1 = turn(' c-(y|)              ', { c: call('add', wrong, { id: 'c', index: 0 }) });
      const turn2 = turn('   ----c-(y|)        ', { c: call('add', right, { id: 'd', index: 0 }) });
      const turn3 = turn('          ----t-(z|) ');
      const events = '     c-(y1)C-(Y3)x-(zL|)';

      expectEvents(toolLoop({ ...options, model: script(turn1, turn2, turn3), tools: [tool] })).toBe(events, { x: '2 text', z: '2 end stop', L: 'done answer' })
        .having('1', { isError: true, error: { kind: 'invalid-input', message: `Invalid arguments for tool "add": ${reason}` } })
        .having('3', { isError: false, output: 'sum' });
    })();
    expect(seen).toEqual([right]);
  };

  const a = (schema: JsonSchema): JsonSchema => ({ properties: { a: schema } });

  it.each<[string, JsonSchema, object, object, string]>([
    ['a lower bound', a({ minimum: 3 }), { a: 2 }, { a: 3 }, 'a: must be at least 3'],
    ['an upper bound', a({ maximum: 3 }), { a: 4 }, { a: 3 }, 'a: must be at most 3'],
    ['an exclusive lower bound', a({ exclusiveMinimum: 3 }), { a: 3 }, { a: 4 }, 'a: must be more than 3'],
    ['an exclusive upper bound', a({ exclusiveMaximum: 3 }), { a: 3 }, { a: 2 }, 'a: must be less than 3'],
    ['a length in characters', a({ minLength: 2, maxLength: 2 }), { a: '😀' }, { a: '😀😀' }, 'a: must have at least this many characters: 2'],
    ['a count of items', a({ minItems: 1, maxItems: 2 }), { a: [1, 2, 3] }, { a: [1] }, 'a: must have at most this many items: 2'],
    ['required', { required: ['a'] }, {}, { a: null }, 'a: is required'],
    ['additional properties', { ...a({}), additionalProperties: false }, { b: 1 }, { a: 1 }, 'b: is not allowed'],
    ['a schema of additional properties', { additionalProperties: { type: 'number' } }, { b: 'x' }, { b: 1 }, 'b: must be of type number'],
    ['enum', a({ enum: ['x', 1] }), { a: 2 }, { a: 1 }, 'a: must be one of ["x",1]'],
    ['const', a({ const: { b: [1] } }), { a: { b: [2] } }, { a: { b: [1] } }, 'a: must be {"b":[1]}'],
    ['what is inside a list', a({ items: a({ type: 'string' }) }), { a: [{ a: 'x' }, { a: 1 }] }, { a: [] }, 'a[1].a: must be of type string'],
  ])('arguments against %s [60]', (_name, schema, wrong, right, reason) => enforced(schema, wrong, right, reason));

  it.each<[string, JsonSchema, object, object, string]>([
    ['3.5 for an integer, which 3.0 is', a({ type: 'integer' }), { a: 3.5 }, { a: 3.0 }, 'a: must be of type integer'],
    ['two matches of oneOf', a({ oneOf: [{ type: 'integer' }, { minimum: 5 }] }), { a: 6 }, { a: 5.5 }, 'a: must match exactly one of [{"type":"integer"},{"minimum":5}]'],
    ['no match of oneOf', a({ oneOf: [{ type: 'integer' }, { minimum: 5 }] }), { a: 3.5 }, { a: 3 }, 'a: must match exactly one of [{"type":"integer"},{"minimum":5}]'],
  ])('%s [61]', (_name, schema, wrong, right, reason) => enforced(schema, wrong, right, reason));
});
