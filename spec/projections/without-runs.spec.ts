import { describe, expect, it } from '@jest/globals';
import { foldState, initialState } from '../../lib/index.ts';
import type { LoopState } from '../../lib/index.ts';
import { withoutRuns } from '../../lib/projections/without-runs.ts';
import { ask, below, start } from '../support/events.ts';

const state = [start(), ask(0, 'c'), ask(0, 'd'), below('c', start()), below('c', ask(0, 'x')), below('d', start(), 'run3')].reduce<LoopState>(foldState, initialState());

describe('withoutRuns', () => {
  it('takes away the runs inside of the calls, and all that was asked there', () => {
    expect(state.requests.map(({ id }) => id)).toEqual(['qc', 'qd', 'qx']);
    const rest = withoutRuns(state, new Set(['c']));
    expect([Object.keys(rest.nested), rest.requests.map(({ id }) => id)]).toEqual([['run3'], ['qd']]);
  });

  it('keeps the lists that it has nothing to take from', () => {
    expect(withoutRuns(state, new Set(['e']))).toBe(state);
    const { nested } = foldState(initialState(), start());
    const asked = { ...state, nested };
    expect(withoutRuns(asked, new Set(['c'])).nested).toBe(nested);
    expect(withoutRuns({ ...state, requests: [] }, new Set(['c'])).requests).toEqual([]);
  });
});
