import { describe, expect, it } from '@jest/globals';
import { json } from '../../lib/bytes/json.ts';

describe('json', () => {
  it.each([
    ['{"a":[1]}', { a: [1] }],
    [' "x" ', 'x'],
    ['0', 0],
    ['null', null],
    ['false', false],
  ])('reads %s', (text, value) => {
    expect(json(text)).toEqual(value);
  });

  it.each(['', ' ', '{', '{"a":', '[DONE]', '[DONE', '<html>', 'undefined', "{'a':1}"])('is undefined for %j', (text) => {
    expect(json(text)).toBeUndefined();
  });
});
