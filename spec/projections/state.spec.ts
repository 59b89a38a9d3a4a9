import { describe, expect, it } from '@jest/globals';
import { from, lastValueFrom } from 'rxjs';
import { errorAsDone, foldState, initialState, toolLoop, toState, userMessage } from '../../lib/index.ts';
import type { Delta, LoopEvent, LoopState } from '../../lib/index.ts';
import { script } from '../../marbles/index.ts';
import { delta, done, end, result, start, step, tool } from '../support/events.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const events: Record<string, LoopEvent> = {
  s: start(), t: delta(0, { type: 'text', block: 'b', text: 't' }), c: delta(0, { type: 'tool-call-start', index: 0, id: 'c', name: 'add' }), y: end(0, { finish: 'tool-use' }),
  1: result(0, 'c'), T: delta(1, { type: 'text', block: 'd', text: 'T' }), Z: end(1), L: done(2), x: { type: 'custom', runId: 'run1', name: 'x', data: 1 },
};
/** The state after all events up to a letter. */
const statesOf = (letters: string): Record<string, LoopState> => {
  let state = initialState();
  return Object.fromEntries([...letters].map((letter) => [letter, (state = foldState(state, events[letter] as LoopEvent))]));
};

// prettier-ignore
describe('toState', () => {
  it('says the state after each event', loopMarbles(({ cold, expectValues }) => {
    const run = '     -t-c-y-1-T-(ZL|)';
    const expected = '-t-c-y-1-T-(ZL|)';

    expectValues(cold(run, events).pipe(toState())).toBe(expected, statesOf('tcy1TZL'));
  }));

  it('says nothing for an event that changes nothing', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold('-s-x-t-|', events).pipe(toState())).toBe('-s---t-|', statesOf('st'));
  }));

  it('says nothing before the first event, and nothing of none', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold('---|', events).pipe(toState())).toBe('---|');
    expectValues(cold('----', events).pipe(toState())).toBe('----');
    expectValues(cold('--#', events).pipe(toState())).toBe('--#');
  }));

  it('fails as the run does, after its last state', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold('-s-t-#', events).pipe(toState())).toBe('-s-t-#', statesOf('st'));
  }));

  it('leaves the run when its reader leaves', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const run = cold('-s-t-t-', events);
    expectValues(run.pipe(toState()), '--!').toBe('-s-', statesOf('s'));
    expectSubscriptions(run).toBe('^-!');
  }));

  it('folds for each reader anew', loopMarbles(({ cold, expectValues }) => {
    const state$ = cold('-s-t-|', events).pipe(toState());
    expectValues(state$).toBe('-s-t-|', statesOf('st'));
    expectValues(state$).toBe('-s-t-|', statesOf('st'));
  }));
});

describe('what toState begins with', () => {
  it('is what the run was given', async () => {
    const state = await lastValueFrom(from([start(), step(0)]).pipe(toState({ messages: [userMessage('go')] })));
    expect(state.messages.map(({ id }) => id)).toEqual(['input.0', 'run1.0.1']);
  });

  it('is the last state of a run that goes on', async () => {
    const first = await lastValueFrom(from([start(), step(0), events['t'] as LoopEvent, end(0, { finish: 'tool-use' }), tool('tool-call', 0, 'c'), done(0, '', { reason: 'suspended' })]).pipe(toState()));
    const second = await lastValueFrom(from([{ ...start(), resumed: true } as LoopEvent, result(0, 'c'), step(1)]).pipe(toState({ initial: first, messages: [userMessage('ignored')] })));
    expect(second.messages[0]).toBe(first.messages[0]);
    expect(second).toMatchObject({ status: 'running', calls: [{ state: 'ok' }], messages: [{ id: 'run1.0.1' }, { id: 'run1.1.1' }] });
  });

  it('is a run of its own, that is read to its end or to its failure', async () => {
    const stateOf = (...deltas: Delta[]): Promise<LoopState> =>
      lastValueFrom(toolLoop({ model: script(from(deltas)), prompt: 'go', policy: { streamFailure: 'fail' }, retry: { count: 0 } }).pipe(errorAsDone(), toState()));
    const text: Delta = { type: 'text', block: 'b', text: 'hello' };
    expect(await stateOf(text, { type: 'finish', reason: 'stop' })).toMatchObject({ status: 'done', reason: 'answer', messages: [{ state: 'committed', blocks: [{ text: 'hello' }] }] });
    expect(await stateOf(text)).toMatchObject({ status: 'error', error: { code: 'model-transport' }, messages: [{ state: 'broken', blocks: [{ text: 'hello' }] }] });
  });
});
