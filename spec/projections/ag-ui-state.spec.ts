import { describe, expect, it } from '@jest/globals';
import { patchedState } from '../../lib/projections/ag-ui-state.ts';

describe('patchedState', () => {
  it('applies every operation, and leaves the given state alone', () => {
    const state = { a: [1, 2], b: { c: 1 } };
    const patched = patchedState(state, [
      [{ op: 'add', path: '/a/-', value: 3 }, { op: 'replace', path: '/b/c', value: 2 }, { op: 'test', path: '/b/c', value: 2 }],
      [{ op: 'copy', from: '/b', path: '/d' }, { op: 'move', from: '/b', path: '/e' }, { op: 'remove', path: '/a/0' }],
    ]);
    expect(patched).toEqual({ a: [2, 3], d: { c: 2 }, e: { c: 2 } });
    expect(state).toEqual({ a: [1, 2], b: { c: 1 } });
  });

  it('changes nothing by a patch that does not fit, as a client does', () => {
    expect(patchedState({ a: 1 }, [[{ op: 'add', path: '/b', value: 2 }, { op: 'test', path: '/a', value: 9 }], [{ op: 'add', path: '/c', value: 3 }]])).toEqual({ a: 1, c: 3 });
  });

  it.each(['/__proto__/x', '/constructor/prototype/x', '/a/prototype'])('never writes through a prototype: %s', (path) => {
    expect(patchedState({ a: {} }, [[{ op: 'add', path, value: 1 }]])).toEqual({ a: {} });
    expect(patchedState({ a: {} }, [[{ op: 'copy', from: path, path: '/b' }]])).toEqual({ a: {} });
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('takes a whole state', () => {
    expect(patchedState(undefined, [[{ op: 'add', path: '', value: [1] }]])).toEqual([1]);
  });
});
