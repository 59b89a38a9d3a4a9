import { describe, expect, it } from '@jest/globals';
import { NEVER, Observable, of } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import type { Delta } from '../../lib/delta.ts';
import { timeLimits } from '../../lib/loop/timeouts.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const off = { firstDeltaMs: 0, idleMs: 0, stallMs: 0, graceMs: 0 };
const timeout = (text: string): object => expect.objectContaining({ code: 'model-timeout', retryable: true, message: `m ${text}.` });

// prettier-ignore
describe('timeLimits', () => {
  it('errors when the first sign of life does not come', loopMarbles(({ turn, scheduler, expectValues, expectSubscriptions }) => {
    const deltas = turn('-----------t');
    const limited$ = deltas.pipe(timeLimits({ ...off, firstDeltaMs: 5 }, scheduler, 'm'));

    expectValues(limited$).toBe('-----#', undefined, timeout('sent nothing within 5 ms (timeouts.firstDeltaMs)'));
    expectSubscriptions(deltas).toBe('^----!');
  }));

  it('errors when signs of life stop', loopMarbles(({ turn, scheduler, expectValues, expectSubscriptions }) => {
    const deltas = turn('-t--t---------t');
    const limited$ = deltas.pipe(timeLimits({ ...off, idleMs: 5 }, scheduler, 'm'));

    expectValues(limited$).toBe('-t--t----#', { t: expect.objectContaining({ type: 'text' }) }, timeout('was silent for 5 ms (timeouts.idleMs)'));
    expectSubscriptions(deltas).toBe('^--------!');
  }));

  it('takes a ping for a sign of life, but not for something shown', loopMarbles(({ turn, scheduler, expectValues }) => {
    const deltas = turn(' -t-a-a-a-a-a-a');
    const letters = { t: expect.objectContaining({ type: 'text' }), a: { type: 'alive' } };

    expectValues(deltas.pipe(timeLimits({ ...off, idleMs: 3 }, scheduler, 'm'))).toBe('-t-a-a-a-a-a-a--#', letters, timeout('was silent for 3 ms (timeouts.idleMs)'));
    expectValues(deltas.pipe(timeLimits({ ...off, stallMs: 6 }, scheduler, 'm'))).toBe('-t-a-a-(a#)', letters, timeout('had nothing to show for 6 ms (timeouts.stallMs)'));
  }));

  it('lets a shorter limit apply from the first sign on', loopMarbles(({ turn, scheduler, expectValues }) => {
    const deltas = turn('--t-----');
    const limited$ = deltas.pipe(timeLimits({ ...off, firstDeltaMs: 100, idleMs: 3, stallMs: 0 }, scheduler, 'm'));

    expectValues(limited$).toBe('--t--#', { t: expect.objectContaining({ type: 'text' }) }, timeout('was silent for 3 ms (timeouts.idleMs)'));
  }));

  it('lets a longer limit apply from the first sign on', loopMarbles(({ turn, scheduler, expectValues }) => {
    const deltas = turn('--t-----(z|)');
    const limited$ = deltas.pipe(timeLimits({ ...off, firstDeltaMs: 3, idleMs: 100, stallMs: 0 }, scheduler, 'm'));

    expectValues(limited$).toBe('--t-----(z|)', { t: expect.objectContaining({ type: 'text' }), z: { type: 'finish', reason: 'stop' } });
  }));

  it('does not wait longer for a first sign because nothing is to be shown', loopMarbles(({ turn, scheduler, expectValues }) => {
    expectValues(turn('------').pipe(timeLimits({ ...off, firstDeltaMs: 0, idleMs: 0, stallMs: 4 }, scheduler, 'm'))).toBe('----#', undefined, timeout('had nothing to show for 4 ms (timeouts.stallMs)'));
  }));

  it('leaves the timer with the subscriber', loopMarbles(({ turn, scheduler, expectValues, expectSubscriptions }) => {
    const deltas = turn('-t-----');

    expectValues(deltas.pipe(timeLimits({ ...off, idleMs: 5 }, scheduler, 'm')), '--!').toBe('-t', { t: expect.objectContaining({ type: 'text' }) });
    expectSubscriptions(deltas).toBe('^-!');
  }));
});

describe('timeLimits and its timer', () => {
  function counting(): { scheduler: SchedulerLike; armed: () => number } {
    let armed = 0;
    const scheduler = { now: () => 0, schedule: () => { armed++; return NEVER.subscribe(); } } as unknown as SchedulerLike;
    return { scheduler, armed: () => armed };
  }
  const many = new Observable<Delta>((subscriber) => {
    for (let n = 0; n < 1000; n++) subscriber.next({ type: 'text', block: 'b', text: 'x' });
  });

  it('needs none when every limit is off', () => {
    expect(timeLimits(off, counting().scheduler, 'm')(many)).toBe(many);
  });

  it('arms it once for any number of deltas', () => {
    const { scheduler, armed } = counting();
    many.pipe(timeLimits({ ...off, firstDeltaMs: 10, idleMs: 10, stallMs: 10 }, scheduler, 'm')).subscribe();
    expect(armed()).toBe(1);
  });

  it('arms none for a model that has ended at once', () => {
    const { scheduler, armed } = counting();
    of<Delta>({ type: 'finish', reason: 'stop' }).pipe(timeLimits({ ...off, firstDeltaMs: 10, idleMs: 10, stallMs: 10 }, scheduler, 'm')).subscribe();
    expect(armed()).toBe(0);
  });
});
