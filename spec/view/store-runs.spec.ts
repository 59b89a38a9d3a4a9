import { describe, expect, it } from '@jest/globals';
import { NEVER, Observable } from 'rxjs';
import { toolLoop } from '../../lib/index.ts';
import type { LoopState, Tool } from '../../lib/index.ts';
import type { LoopStoreOptions } from '../../lib/view/store.ts';
import { StoreRuns } from '../../lib/view/store-runs.ts';
import type { LoopMarbles, ScriptModel } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { wordsOf } from '../support/store-words.ts';

/** A store whose prompts are drawn. Its updates are at once, so that a drawing shows each of them. */
function storeOf({ hot, scheduler }: LoopMarbles, prompts: string, model: ScriptModel, more: Partial<LoopStoreOptions> = {}, tools: readonly Tool[] = []) {
  const store = new StoreRuns({ run: (run) => toolLoop({ model, tools, ...run }), updates: 'none', ...more });
  const taken: boolean[] = [];
  hot(prompts).subscribe((prompt) => taken.push(store.run(prompt)));
  const at = (frame: number, act: (state: LoopState) => void): void => void scheduler.schedule(() => act(store.getSnapshot()), frame);
  return { store, taken, at };
}

// prettier-ignore
describe('the runs of a store', () => {
  it('are left for the next one by default, and leave no trace', loopMarbles((marbles) => {
    const { turn, script, expectSubscriptions } = marbles;
    const asked = '    a----b-------';
    const turn1 = turn('-t-t-t-t-    ');
    const turn2 = turn('     -t-(z|) ');
    const model = script(turn1, turn2);

    const { store, taken, at } = storeOf(marbles, asked, model);

    at(4, (state) => expect(wordsOf(state)).toEqual(['running', 'user: a', 'assistant: hihi']));
    at(7, (state) => expect(wordsOf(state)).toEqual(['running', 'user: b', 'assistant: hi']));
    at(9, (state) => {
      expect(wordsOf(state)).toEqual(['done', 'user: b', 'assistant: hi']);
      expect(store.getMessages().map(({ role }) => role)).toEqual(['user', 'assistant']);
      expect(taken).toEqual([true, true]);
    });
    expectSubscriptions(turn1).toBe('^----!');
    expectSubscriptions(turn2).toBe('-----^--!');
  }));

  it('are left with a tool that runs', loopMarbles((marbles) => {
    const { turn, tool, script, expectSubscriptions } = marbles;
    const asked = '    a------b-----';
    const turn1 = turn('-c-(y|)      ');
    const add = tool('     -------1| ');
    const turn2 = turn('       -(z|) ');

    const { at } = storeOf(marbles, asked, script(turn1, turn2), {}, [add]);

    at(6, ({ calls }) => expect(calls).toMatchObject([{ state: 'running' }]));
    at(9, (state) => expect([wordsOf(state), state.calls]).toEqual([['done', 'user: b'], []]));
    expectSubscriptions(add).toBe('   ---^---!');
    expectSubscriptions(turn2).toBe(' -------^!');
  }));

  it('wait for each other with `concat`, and know what those before came to', loopMarbles((marbles) => {
    const { turn, script, expectSubscriptions } = marbles;
    const asked = '    a-b----------';
    const turn1 = turn('----t-(z|)   ');
    const turn2 = turn('      -t-(z|)');
    const model = script(turn1, turn2);

    const { taken, at } = storeOf(marbles, asked, model, { strategy: 'concat' });

    at(5, (state) => expect(wordsOf(state)).toEqual(['running', 'user: a', 'assistant: hi']));
    at(20, (state) => {
      expect(wordsOf(state)).toEqual(['done', 'user: a', 'assistant: hi', 'user: b', 'assistant: hi']);
      expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
      expect(taken).toEqual([true, true]);
    });
    expectSubscriptions(turn1).toBe('^-----!');
    expectSubscriptions(turn2).toBe('------^--!');
  }));

  it('are refused while one is going with `exhaust`', loopMarbles((marbles) => {
    const { turn, script, expectSubscriptions } = marbles;
    const asked = '    a-b----c------';
    const turn1 = turn('----t-(z|)    ');
    const turn2 = turn('       -t-(z|)');

    const { taken, at } = storeOf(marbles, asked, script(turn1, turn2), { strategy: 'exhaust' });

    at(20, (state) => {
      expect(wordsOf(state)).toEqual(['done', 'user: a', 'assistant: hi', 'user: c', 'assistant: hi']);
      expect(taken).toEqual([true, false, true]);
    });
    expectSubscriptions(turn1).toBe('^-----!');
    expectSubscriptions(turn2).toBe('-------^--!');
  }));

  it('end softly when they are cancelled, and those that wait do not begin', loopMarbles((marbles) => {
    const { turn, script, expectSubscriptions } = marbles;
    const asked = '    ab------c----';
    const turn1 = turn('-t-t-t-t-    ');
    const turn2 = turn('        -(z|)');

    const { store, at } = storeOf(marbles, asked, script(turn1, turn2), { strategy: 'concat' });

    at(4, () => expect(store.cancel()).toBe(true));
    at(6, (state) => {
      expect(wordsOf(state)).toEqual(['done', 'user: a', 'assistant: hihi']);
      expect(state.reason).toBe('aborted');
      expect(store.cancel()).toBe(false);
    });
    at(12, (state) => expect(wordsOf(state)).toEqual(['done', 'user: a', 'assistant: hihi', 'user: c']));
    expectSubscriptions(turn1).toBe('^---!');
    expectSubscriptions(turn2).toBe('--------^!');
  }));

  it.each([
    ['with `hard`', (store: StoreRuns) => store.cancel({ hard: true })],
    ['by `dispose()`', (store: StoreRuns) => store.dispose()],
  ])('are left at once %s, and those that wait do not begin', (_how, leave) => loopMarbles((marbles) => {
    const { turn, script, expectSubscriptions } = marbles;
    const asked = '    ab-----c-----';
    const turn1 = turn('-t-t-t-t-    ');
    const turn2 = turn('       -(z|) ');

    const { store, at } = storeOf(marbles, asked, script(turn1, turn2), { strategy: 'concat' });

    at(4, () => leave(store));
    at(5, (state) => expect(wordsOf(state)).toEqual(['idle']));
    at(12, (state) => expect(wordsOf(state)).toEqual(['done', 'user: c']));
    expectSubscriptions(turn1).toBe('^---!');
    expectSubscriptions(turn2).toBe('-------^!');
  })());

  it('are left where they do not hear of a soft end, or when it takes too long', loopMarbles((marbles) => {
    const { cold, expectSubscriptions, scheduler } = marbles;
    const deaf = cold('-');
    const slow = cold('-');
    const runs = [deaf, slow];
    const store = new StoreRuns({ updates: 'none', run: ({ abort$ }) => (runs.length === 2 ? runs.shift() : (abort$.subscribe(), runs.shift())) as never });

    store.run('a');
    scheduler.schedule(() => store.cancel(), 2);
    scheduler.schedule(() => store.run('b'), 4);
    scheduler.schedule(() => store.cancel(), 6);
    scheduler.schedule(() => store.cancel(), 8);

    expectSubscriptions(deaf).toBe('^-!');
    expectSubscriptions(slow).toBe('----^---!');
  }));

  it('go on without readers, unless the last one takes them along', loopMarbles((marbles) => {
    const { cold, expectSubscriptions, scheduler } = marbles;
    const [kept, left] = [cold('---'), cold('---')];
    const [keeps, leaves] = [kept, left].map((run$, at) => new StoreRuns({ updates: 'none', run: () => run$ as never, cancelOnLeave: at === 1 }));

    for (const store of [keeps, leaves] as StoreRuns[]) {
      const [one, other] = [store.subscribe(() => undefined), store.subscribe(() => undefined)];
      store.run('a');
      scheduler.schedule(one, 2);
      // A view that is drawn anew.
      scheduler.schedule(() => (other(), scheduler.schedule(store.subscribe(() => undefined), 3)), 4);
    }

    expectSubscriptions(kept).toBe('^');
    expectSubscriptions(left).toBe('^------!');
  }));

  it('are told of as many times as there are updates, however much they say', loopMarbles(({ turn, script, scheduler, expectValues }) => {
    const turn1 = turn('-tttt-tt-(z|)');
    const shown = '    i--r--r---(d)';
    const model = script(turn1);
    const store = new StoreRuns({ updates: { ms: 3, scheduler }, run: (run) => toolLoop({ model, ...run }) });
    const shown$ = new Observable<string>((subscriber) => store.subscribe(({ status }) => subscriber.next(status)));

    store.run('a');
    expectValues(shown$).toBe(shown, { i: 'idle', r: 'running', d: 'done' });
  }));

  it('are steered in the middle', loopMarbles((marbles) => {
    const { turn, tool, script, expectSubscriptions } = marbles;
    const turn1 = turn('-c-(y|)      ');
    const add = tool('     --1|      ');
    const turn2 = turn('      -t-(z|)');
    const model = script(turn1, turn2);

    const { store, at } = storeOf(marbles, 'a', model, {}, [add]);

    at(4, () => expect(store.steer('faster')).toBe(true));
    at(12, (state) => {
      expect(wordsOf(state)).toEqual(['done', 'user: a', 'assistant: add', 'user: faster', 'assistant: hi']);
      expect(store.steer('late')).toBe(false);
    });
    expectSubscriptions(turn2).toBe('------^--!');
  }));

  it('wait for an answer, and take it once', loopMarbles((marbles) => {
    const { turn, tool, script, expectSubscriptions } = marbles;
    const turn1 = turn('-c-(y|)       ');
    const add = tool('        -1|     ', { needsApproval: true });
    const turn2 = turn('        -t-(z|)');

    const { store, at } = storeOf(marbles, 'a', script(turn1, turn2), {}, [add]);

    at(6, ({ status, requests: [request], calls }) => {
      expect([status, calls[0]?.state]).toEqual(['waiting', 'waiting']);
      const answers = { [request?.id ?? '']: { type: 'approve' } as const };
      expect(store.answer({ ...answers, other: { type: 'approve' } })).toBe(false);
      expect([store.answer(answers), store.answer(answers)]).toEqual([true, false]);
    });
    at(14, (state) => {
      expect(wordsOf(state)).toEqual(['done', 'user: a', 'assistant: add', 'assistant: hi']);
      expect(state.calls).toMatchObject([{ state: 'ok' }]);
      expect(store.answer({ any: { type: 'approve' } })).toBe(false);
    });
    expectSubscriptions(add).toBe('------^-!');
  }));
});

describe('a store without a run', () => {
  it('has nobody to speak to', () => {
    const store = new StoreRuns({ run: () => NEVER });
    expect([store.steer('a'), store.answer({}), store.cancel(), store.cancel({ hard: true })]).toEqual([false, false, false, false]);
    expect(() => store.dispose()).not.toThrow();
    expect(store.getSnapshot()).toMatchObject({ status: 'idle', messages: [] });
  });
});
