import { describe, expect, it } from '@jest/globals';
import { NEVER, Observable, of, Subject, throwError } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { toolLoop } from '../../lib/index.ts';
import type { Tool } from '../../lib/index.ts';
import { Aside } from '../../lib/loop/aside.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

describe('Aside', () => {
  // prettier-ignore
  it('says what it is given as long as somebody listens', loopMarbles(({ cold, scheduler, expectValues, expectSubscriptions }) => {
    const first = cold('  --a---b--|');
    const second = cold('  -c-------');
    const leave = '       -------!  ';
    const expected = '    --(ac)b   ';
    const aside = new Aside<string>();

    expectValues(aside.events$, leave).toBe(expected);
    scheduler.schedule(() => aside.add(first), 0);
    scheduler.schedule(() => aside.add(second), 1);
    expectSubscriptions(first).toBe('^------!');
    expectSubscriptions(second).toBe('-^-----!');
  }));

  it('does not end with what it was given', () => {
    const aside = new Aside<number>();
    const heard: unknown[] = [];
    aside.events$.subscribe({ next: (event) => heard.push(event), complete: () => heard.push('complete') });
    aside.add(of(1));
    aside.add(of(2));
    expect(heard).toEqual([1, 2]);
  });

  it('leaves what it was given with its listener', () => {
    const aside = new Aside<number>();
    const source = new Subject<number>();
    const subscription = aside.events$.subscribe();
    aside.add(source);
    expect(source.observed).toBe(true);
    subscription.unsubscribe();
    expect(source.observed).toBe(false);
  });

  it('does not begin what it is given while nobody listens', () => {
    const aside = new Aside<number>();
    let begun = 0;
    const source = new Observable<number>(() => void begun++);
    aside.add(source);
    aside.events$.subscribe().unsubscribe();
    aside.add(source);
    expect(begun).toBe(0);
  });

  it('passes an error on', () => {
    const aside = new Aside<number>();
    const heard: unknown[] = [];
    aside.events$.subscribe({ error: (error) => heard.push(error) });
    aside.add(NEVER);
    aside.add(throwError(() => 'broken'));
    expect(heard).toEqual(['broken']);
  });
});

// prettier-ignore
describe('a tool that settles after its call was answered', () => {
  /** A promise that settles so many frames after it was made, in virtual time. */
  const settlingIn = (frames: number, scheduler: SchedulerLike): PromiseLike<unknown> => {
    const heard: (() => void)[] = [];
    scheduler.schedule(() => heard.forEach((hear) => hear()), frames);
    return { then: (resolve) => { heard.push(() => void resolve?.('late' as never)); return undefined as never; } };
  };

  it('is dropped once, while the run goes on', loopMarbles(({ turn, tool, script, scheduler, expectEvents }) => {
    const turn1 = turn(' -c-(y|)                   ');
    const add: Tool = { ...tool(''), timeoutMs: 4, run: () => settlingIn(8, scheduler) };
    const turn2 = turn('        ------t-(z|)       ');
    const story = '      -c-y---1-----T-(ZL|)    ';
    const host = '       -----------5---|        ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt: 'go' })).toBe(story)
      .having('1', { error: { kind: 'timeout' } })
      .lane('host').toBe(host).having('5', { reason: 'late', isError: false, elapsedMs: 8, step: 0, callId: 'c0' });
  }));

  it('is not heard after the ending', loopMarbles(({ turn, tool, script, scheduler, expectEvents }) => {
    const turn1 = turn(' -c-(y|)         ');
    const add: Tool = { ...tool(''), timeoutMs: 4, run: () => settlingIn(8, scheduler) };
    const turn2 = turn('       -(z|)     ');
    const story = '      -c-y---1(ZL|)';
    const host = '       --------|   ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt: 'go' })).toBe(story).lane('host').toBe(host);
  }));

  it('is dropped after its result, also where that waits for an earlier call', loopMarbles(({ turn, tool, script, scheduler, expectEvents }) => {
    const turn1 = turn(' -(cd)(y|)                  ');
    const add = tool('         ----------(1|)      ', { parallelSafe: true });
    const mul: Tool = { ...tool('', { name: 'mul', parallelSafe: true }), timeoutMs: 2, run: () => settlingIn(5, scheduler) };
    const turn2 = turn('                   ----t-(z|)');
    const story = '      -(cd)y---------(12)T-(ZL|)';
    const host = '       ---------------6-----|    ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt: 'go' })).toBe(story).having('2', { error: { kind: 'timeout' } })
      .lane('host').toBe(host);
  }));
});
