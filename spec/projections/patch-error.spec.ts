import { describe, expect, it } from '@jest/globals';
import { initialState, isLoopError } from '../../lib/index.ts';
import { PatchError } from '../../lib/projections/patch-error.ts';

describe('PatchError', () => {
  const state = initialState();
  const cause = new TypeError('why');
  const error = new PatchError(3, { index: 1, path: '/x', message: 'There is nothing at "x".' }, state, { cause });

  it('says which operation of which update, where, and what to do', () => {
    expect(error).toMatchObject({ name: 'PatchError', code: 'patch', update: 3, index: 1, path: '/x', cause });
    expect(error.message).toBe('Update 3, operation 1 at "/x" cannot be applied: There is nothing at "x". Ask for a new snapshot, and go on from the last good state, which is in this error.');
  });

  it('is an error of the library, with the last good state, which it does not write out', () => {
    expect(isLoopError(error)).toBe(true);
    expect(error.state).toBe(state);
    expect(Object.keys(JSON.parse(JSON.stringify(error)) as object)).toEqual(['code', 'message', 'retryable']);
  });
});
