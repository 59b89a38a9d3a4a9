import { describe, expect, it } from '@jest/globals';
import { from, lastValueFrom, toArray } from 'rxjs';
import { initialState, userMessage } from '../../lib/index.ts';
import type { JsonPatchOperation, LoopState } from '../../lib/index.ts';
import { applyPatches, PatchError, toWireState } from '../../lib/projections/patches.ts';
import type { StateUpdate } from '../../lib/projections/patches.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const state = initialState([userMessage('go')]);
const snapshot: StateUpdate = { type: 'snapshot', state: toWireState(state) };
const patch = (...operations: JsonPatchOperation[]): StateUpdate => ({ type: 'patch', patch: operations });
const title: StateUpdate = patch({ op: 'add', path: '/title', value: 'T' });
const after = (...updates: StateUpdate[]): Promise<LoopState> => lastValueFrom(from(updates).pipe(applyPatches()));
const failure = (...updates: StateUpdate[]): Promise<PatchError> => after(...updates).then(() => { throw new Error('It was applied.'); }, (error: PatchError) => error);

// prettier-ignore
describe('applyPatches', () => {
  it('says the state after each update', loopMarbles(({ cold, expectValues }) => {
    const updates = ' -s-p-p-|';
    const expected = '-S-P-P-|';

    expectValues(cold(updates, { s: snapshot, p: title }).pipe(applyPatches())).toBe(expected, { S: state, P: { ...state, title: 'T' } });
  }));

  it('has nothing to say of nothing, and passes an error on', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold<StateUpdate>('--|').pipe(applyPatches())).toBe('--|');
    expectValues(cold<StateUpdate>('--#').pipe(applyPatches())).toBe('--#');
    expectValues(cold<StateUpdate>('---').pipe(applyPatches())).toBe('---');
  }));

  it('leaves the updates when its reader leaves, and when a patch fails', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const updates = cold('-s-p-p-', { s: snapshot, p: title });
    expectValues(updates.pipe(applyPatches()), '--!').toBe('-S-', { S: state });
    const bad = cold('-p-p', { p: title });
    expectValues(bad.pipe(applyPatches())).toBe('-#', undefined, new PatchError(0, { index: 0, path: '/title', message: 'A snapshot comes first.' }, undefined));
    expectSubscriptions(updates).toBe('^-!');
    expectSubscriptions(bad).toBe('^!');
  }));
});

describe('a patched state', () => {
  it('shares what no patch touched', async () => {
    const [one, two, three] = await lastValueFrom(from([snapshot, title, patch()]).pipe(applyPatches(), toArray()));
    expect([one?.messages === two?.messages, two === three]).toEqual([true, true]);
  });

  it('begins anew with a later snapshot', async () => {
    expect(await after(snapshot, title, snapshot)).toEqual(state);
  });

  it('is another for each reader, and changes no update', async () => {
    const value = { list: [1] };
    const updates = [snapshot, patch({ op: 'add', path: '/shared/x', value }), patch({ op: 'add', path: '/shared/x/list/-', value: 2 })];
    const written = JSON.stringify(updates);
    const [one, two] = [await after(...updates), await after(...updates)];
    expect([one.shared, two.shared, JSON.stringify(updates)]).toEqual([{ x: { list: [1, 2] } }, { x: { list: [1, 2] } }, written]);
  });

  it('takes all six operations', async () => {
    const steps: JsonPatchOperation[] = [
      { op: 'add', path: '/shared/a', value: [1] }, { op: 'copy', from: '/shared/a', path: '/shared/b' }, { op: 'replace', path: '/shared/b/0', value: 2 },
      { op: 'move', from: '/shared/b', path: '/shared/c' }, { op: 'test', path: '/shared/c', value: [2] }, { op: 'remove', path: '/shared/a' },
    ];
    expect((await after(snapshot, patch(...steps))).shared).toEqual({ c: [2] });
  });
});

describe('a patch that cannot be applied', () => {
  it('fails with its place, and the last good state', async () => {
    const error = await failure(snapshot, title, patch({ op: 'add', path: '/title', value: 'U' }, { op: 'replace', path: '/messages/7/state', value: 'x' }));
    expect(error).toBeInstanceOf(PatchError);
    expect(error).toMatchObject({ code: 'patch', update: 2, index: 1, path: '/messages/7/state', state: { ...state, title: 'T' } });
  });

  it.each<[string, JsonPatchOperation]>([
    ['__proto__', { op: 'add', path: '/__proto__/polluted', value: 1 }],
    ['constructor', { op: 'add', path: '/shared/constructor/polluted', value: 1 }],
    ['prototype', { op: 'add', path: '/shared/constructor/prototype/polluted', value: 1 }],
    ['an inherited function', { op: 'add', path: '/shared/toString/polluted', value: 1 }],
    ['an inherited source of a copy', { op: 'copy', from: '/shared/valueOf', path: '/shared/x' }],
    ['an inherited source of a move', { op: 'move', from: '/shared/toString', path: '/shared/x' }],
    ['a method of a list', { op: 'add', path: '/messages/push/polluted', value: 1 }],
    ['a missing member', { op: 'remove', path: '/shared/missing' }],
    ['a test that fails', { op: 'test', path: '/shared', value: 1 }],
    ['an index behind the end', { op: 'add', path: '/messages/9', value: {} }],
    ['no value', { op: 'add', path: '/shared/x' } as unknown as JsonPatchOperation],
    ['no operation', { op: 'append', path: '/shared' } as unknown as JsonPatchOperation],
    ['no path', { op: 'add', value: 1 } as unknown as JsonPatchOperation],
    ['nothing', null as unknown as JsonPatchOperation],
    ['a state that is none', { op: 'replace', path: '/messages', value: 5 }],
    ['the whole document', { op: 'remove', path: '' }],
  ])('is refused: %s', async (_what, operation) => {
    const error = await failure(snapshot, patch(operation));
    expect(error).toBeInstanceOf(PatchError);
    expect(error).toMatchObject({ update: 1, index: 0, state });
    expect(error.message.split('\n')).toHaveLength(1);
    for (const value of [{}, Object, Object.prototype.toString, Array.prototype.push]) expect(value).not.toHaveProperty('polluted');
  });

  it('says that a snapshot comes first', async () => {
    expect(await failure(title)).toMatchObject({ message: expect.stringContaining('A snapshot comes first.'), state: undefined });
  });
});
