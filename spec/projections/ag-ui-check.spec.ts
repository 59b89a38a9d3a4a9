import { describe, expect, it } from '@jest/globals';
import { isLoopError } from '../../lib/index.ts';
import { agUiCheck } from '../../lib/projections/ag-ui-check.ts';

const { record, list, text } = agUiCheck;

describe('agUiCheck', () => {
  it('gives what is right', () => {
    expect(record({ a: 1 }, 'x')).toEqual({ a: 1 });
    expect(list([1], 'x')).toEqual([1]);
    expect(list(undefined, 'x')).toEqual([]);
    expect(text('', 'x')).toBe('');
  });

  it.each([
    [() => record([], ''), 'fromAgUi: input is a list; it must be an object.'],
    [() => record(null, 'state'), 'fromAgUi: input.state is null; it must be an object.'],
    [() => list('hi', 'tools'), 'fromAgUi: input.tools is of type string; it must be a list.'],
    [() => list(undefined, 'messages', true), 'fromAgUi: input.messages is missing; it must be a list.'],
    [() => text({ key: 'sk-1' }, 'tools[0].name'), 'fromAgUi: input.tools[0].name is of type object; it must be a text.'],
  ])('says where and what, never the value: %#', (check, message) => {
    expect(check).toThrow(message);
  });

  it('fails with an error of the library', () => {
    const error = agUiCheck.wrong('runId', 'is wrong');
    expect(isLoopError(error)).toBe(true);
    expect(error.code).toBe('config');
  });
});
