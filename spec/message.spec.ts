import { describe, expect, it } from '@jest/globals';
import { toolCall, userMessage } from '../lib/message.ts';

describe('userMessage', () => {
  it('is a user message of one text', () => {
    expect(userMessage('hi')).toEqual({ role: 'user', content: [{ type: 'text', text: 'hi' }] });
    expect(userMessage('')).toEqual({ role: 'user', content: [{ type: 'text', text: '' }] });
  });
});

describe('toolCall', () => {
  it('reads the arguments and keeps their text', () => {
    const raw = ' { "a": 1.0, "b": [true] }';
    expect(toolCall('c1', 'add', raw)).toEqual({ id: 'c1', name: 'add', arguments: { a: 1, b: [true] }, rawArguments: raw });
  });

  it.each(['', ' ', '\n\t'])('takes %j for no arguments', (raw) => {
    expect(toolCall('c1', 'now', raw)).toEqual({ id: 'c1', name: 'now', arguments: {}, rawArguments: raw });
  });

  it.each(['{"a":', 'a=1', "{'a':1}", '{"a":1}}', 'undefined', 'NaN'])('keeps %j, which is not JSON, as the text that it is', (raw) => {
    expect(toolCall('c1', 'add', raw)).toEqual({ id: 'c1', name: 'add', arguments: raw, rawArguments: raw });
  });

  it.each([
    ['null', null],
    ['[1]', [1]],
    ['"text"', 'text'],
    ['3', 3],
    ['false', false],
  ])('keeps %s, which is JSON but no object, for the schema to judge', (raw, value) => {
    expect(toolCall('c1', 'add', raw).arguments).toEqual(value);
  });

  it('keeps a key named __proto__ as a key', () => {
    const { arguments: args } = toolCall('c1', 'add', '{"__proto__":{"a":1}}');
    expect(Object.keys(args as object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  });

  it('has meta only where it is given', () => {
    expect('meta' in toolCall('c1', 'add', '{}')).toBe(false);
    expect(toolCall('c1', 'add', '{}', { signature: 's' }).meta).toEqual({ signature: 's' });
    expect(toolCall('c1', 'add', '{}', {}).meta).toEqual({});
  });

  it('keeps an empty id and an empty name: the run replaces the one and refuses the other', () => {
    expect(toolCall('', '', '{}')).toMatchObject({ id: '', name: '' });
  });
});
