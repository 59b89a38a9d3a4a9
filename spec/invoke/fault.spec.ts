import { describe, expect, it } from '@jest/globals';
import { ModelError, ToolError } from '../../lib/errors.ts';
import { fault, faultOf } from '../../lib/invoke/fault.ts';

describe('faultOf', () => {
  it.each([
    ['a ToolError with its own kind', new ToolError('not-found', 'No such file.'), { kind: 'not-found', message: 'No such file.', retryable: false }],
    ['a ToolError of a kind that may pass', new ToolError('network', 'Gone.'), { kind: 'network', message: 'Gone.', retryable: true }],
    ['a ToolError that says otherwise', new ToolError('network', 'Gone.', { retryable: false }), { kind: 'network', message: 'Gone.', retryable: false }],
    ['an Error', new Error('boom'), { kind: 'other', message: 'boom', retryable: false }],
    ['an Error without text', new TypeError(), { kind: 'other', message: 'TypeError', retryable: false }],
    ['an error of this library that is no ToolError', new ModelError('model-http', 'x', { retryable: true }), { kind: 'other', message: 'x', retryable: false }],
    ['a string', 'boom', { kind: 'other', message: 'boom', retryable: false }],
    ['undefined', undefined, { kind: 'other', message: 'undefined', retryable: false }],
    ['what has no text', Object.create(null), { kind: 'other', message: 'something that has no text', retryable: false }],
  ])('reads %s', (_name, error, expected) => {
    expect(faultOf(error)).toEqual(expected);
  });

  it('makes one that will not pass', () => {
    expect(fault('cancelled', 'Stopped.')).toEqual({ kind: 'cancelled', message: 'Stopped.', retryable: false });
  });
});
