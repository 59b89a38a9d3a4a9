import { describe, expect, it } from '@jest/globals';
import { from, lastValueFrom, Subject, toArray, VirtualTimeScheduler } from 'rxjs';
import { coalesce, ConfigError } from '../../lib/index.ts';
import type { CoalesceOptions, Delta, LoopEvent } from '../../lib/index.ts';
import { delta, done, end, start } from '../support/events.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const text = (words: string, block = 'b', step = 0): LoopEvent => delta(step, { type: 'text', block, text: words });
const events: Record<string, LoopEvent> = {
  a: text('a'), b: text('b'), w: text('ab'), c: text('c'), o: text('o', 'other'), n: text('n', 'b', 1), y: end(0), z: end(0), L: done(1),
};

// prettier-ignore
describe('coalesce', () => {
  it('makes neighbouring pieces one, and lets anything else come at once', loopMarbles(({ cold, expectValues }) => {
    const run = '     -ab-cy----(zL|)';
    const expected = '---w-(cy)-(zL|)';

    expectValues(cold(run, events).pipe(coalesce({ ms: 2 }))).toBe(expected, events);
  }));

  it('holds from the first piece on, however many follow', loopMarbles(({ cold, expectValues }) => {
    const run = '     -ababab|';
    const expected = '----x--(y|)';

    expectValues(cold(run, events).pipe(coalesce({ ms: 3 }))).toBe(expected, { x: text('abab'), y: text('ab') });
  }));

  it('lets go of what it holds before another block, another step and the end [#98]', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold('-ao-n-|', events).pipe(coalesce({ ms: 9 }))).toBe('--a-o-(n|)', events);
    expectValues(cold('-a-y---|', events).pipe(coalesce({ ms: 9 }))).toBe('---(ay)|', events);
  }));

  it('fails after what it holds', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold('-ab-#', events).pipe(coalesce({ ms: 9 }))).toBe('----(w#)', events);
    expectValues(cold<LoopEvent>('#').pipe(coalesce({ ms: 9 }))).toBe('#');
  }));

  it('drops what it holds when its reader leaves, and leaves the run', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const run = cold('-ab-----c', events);
    expectValues(run.pipe(coalesce({ ms: 5 })), '---!').toBe('----');
    expectSubscriptions(run).toBe('^--!');
  }));

  it('says nothing of nothing', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold<LoopEvent>('---').pipe(coalesce({ ms: 1 }))).toBe('---');
    expectValues(cold<LoopEvent>('--|').pipe(coalesce({ ms: 1 }))).toBe('--|');
  }));

  it('is a hold of its own for each reader', loopMarbles(({ cold, expectValues }) => {
    const run$ = cold('-ab-|', events).pipe(coalesce({ ms: 2 }));
    expectValues(run$).toBe('---w|', events);
    expectValues(run$, '--^').toBe('-----w|', events);
  }));

  it('holds until the next frame of the scheduler that it is given [#109]', loopMarbles(({ cold, expectValues, scheduler }) => {
    expectValues(cold('-(ab)-(ab)|', events).pipe(coalesce({ frame: scheduler }))).toBe('-w----w---|', events);
  }));
});

describe('a reader that makes the run go on', () => {
  const read = (act: (events$: Subject<LoopEvent>) => void): LoopEvent[] => {
    const events$ = new Subject<LoopEvent>();
    const heard: LoopEvent[] = [];
    events$.pipe(coalesce({ ms: 5, scheduler: new VirtualTimeScheduler() })).subscribe((event) => {
      heard.push(event);
      if (heard.length === 1) act(events$);
    });
    for (const event of [text('a'), end(0)]) events$.next(event);
    return heard;
  };

  it('hears what it caused after all that was said before', () => {
    expect(read((events$) => events$.next(done(1)))).toEqual([text('a'), end(0), done(1)]);
    expect(read((events$) => events$.complete())).toEqual([text('a'), end(0)]);
  });
});

describe('what coalesce says', () => {
  it('is a synchronous run in as few pieces as can be, characters and order kept [#98]', async () => {
    const call = (said: Delta): LoopEvent => delta(0, said);
    const run = [
      start(), ...[...'Let me see'].map((one) => text(one)),
      call({ type: 'tool-call-start', index: 0, id: 'c', name: 'add' }), ...[...'{"a":1}'].map((chunk) => call({ type: 'tool-call-arguments', index: 0, chunk })), end(0),
    ];
    const said = await lastValueFrom(from(run).pipe(coalesce({ ms: 10 }), toArray()));
    expect(said).toEqual([run[0], text('Let me see'), run[11], call({ type: 'tool-call-arguments', index: 0, chunk: '{"a":1}' }), end(0)]);
  });

  it.each<CoalesceOptions>([{ ms: -1 }, { ms: NaN }, { ms: Infinity }])('is refused for a time that is none: $ms', (options) => {
    expect(() => coalesce(options)).toThrow(ConfigError);
    expect(() => coalesce(options)).toThrow(/no number of milliseconds/);
  });

  it('takes the frames of a browser', () => {
    expect(() => coalesce({ frame: true })).not.toThrow();
  });
});
