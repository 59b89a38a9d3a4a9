import { describe, expect, it } from '@jest/globals';
import { from, lastValueFrom, map, toArray } from 'rxjs';
import { foldState, initialState, userMessage } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { applyPatches, toPatches, toWireState } from '../../lib/projections/patches.ts';
import type { StateUpdate } from '../../lib/projections/patches.ts';
import { delta, done, end, result, start, step } from '../support/events.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const text = (words: string): LoopEvent => delta(0, { type: 'text', block: 'b', text: words });
const events: Record<string, LoopEvent> = {
  s: start(), t: text('t'), c: delta(0, { type: 'tool-call-start', index: 0, id: 'c', name: 'add' }), y: end(0, { finish: 'tool-use' }), 1: result(0, 'c'),
  T: delta(1, { type: 'text', block: 'd', text: 'T' }), Z: end(1), L: done(2), x: { type: 'custom', runId: 'run1', name: 'x', data: 1 },
};

// prettier-ignore
describe('toPatches', () => {
  it('says a snapshot, then a patch for each event', loopMarbles(({ cold, expectValues }) => {
    const run = '     -t-c-y-1-T-(ZL|)';
    const expected = '-s-p-p-p-p-(pp|)';

    expectValues(cold(run, events).pipe(toPatches(), map(({ type }) => type[0]))).toBe(expected, { s: 's', p: 'p' });
  }));

  it('says nothing for an event that changes nothing, and passes an error on', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold('-s-x-t-#', events).pipe(toPatches(), map(({ type }) => type[0]))).toBe('-s---p-#');
    expectValues(cold<LoopEvent>('---|').pipe(toPatches())).toBe('---|');
  }));

  it('leaves the run when its reader leaves', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const run = cold('-s-t-t-', events);
    expectValues(run.pipe(toPatches(), map(({ type }) => type[0])), '--!').toBe('-s-');
    expectSubscriptions(run).toBe('^-!');
  }));
});

describe('what toPatches says', () => {
  it('begins with the messages that the run was given, or with a state', async () => {
    const messages = [userMessage('go')];
    const [first] = await lastValueFrom(from([start()]).pipe(toPatches({ messages }), toArray()));
    expect(first).toEqual({ type: 'snapshot', state: toWireState(foldState(initialState(messages), start())) });
    const initial = { ...initialState(), title: 'T' };
    expect(await lastValueFrom(from([start()]).pipe(toPatches({ initial })))).toMatchObject({ state: { title: 'T' } });
  });

  it('never says a text twice: its bytes grow with what is said alone', async () => {
    const bytesOf = async (count: number): Promise<number> => {
      const said = Array.from({ length: count }, () => text('word '));
      const updates = await lastValueFrom(from([start(), step(0), ...said]).pipe(toPatches(), toArray()));
      return JSON.stringify(updates.slice(3)).length;
    };
    expect(await bytesOf(2_001) - (await bytesOf(1_001))).toBe(1_000 * JSON.stringify({ type: 'patch', patch: [{ op: 'add', path: '/blocks/0/text/-', value: 'word ' }] }).length + 1_000);
  });

  it('makes the state again at the other end', async () => {
    const run = [start(), step(0), text('Hel'), text('lo'), end(0), done(1)];
    const sent = JSON.parse(JSON.stringify(await lastValueFrom(from(run).pipe(toPatches(), toArray())))) as StateUpdate[];
    expect(await lastValueFrom(from(sent).pipe(applyPatches()))).toEqual(run.reduce(foldState, initialState()));
  });
});
