import { describe, expect, it } from '@jest/globals';
import { EMPTY, from, map, merge, NEVER, of, Subject, switchMap, take, tap } from 'rxjs';
import { toolLoop, userMessage } from '../../lib/index.ts';
import type { Delta, EventType, LoopEvent, Model, ToolLoopOptions } from '../../lib/index.ts';
import { call, fakeTool, finish, script as played, text } from '../../marbles/index.ts';
import { play } from '../support/play.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const asked = userMessage(prompt);

// Rule 3 of docs/semantics.md outside the tools: what ends a run softly, and what it leaves. Row 13 itself is in
// rows-fallback.spec.ts, the tools are in soft-end-tools.spec.ts.

// prettier-ignore
describe('abort$', () => {
  it('ends the run with its first value; a second one says nothing new', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-----t-(z|)');
    const abort$ = hot(' ---x-x-x     ');
    const events = '     -t-(zL|)     ';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$ })).toBe(events)
      .having('z', { finish: 'aborted', usage: { partial: true } })
      .having('L', { reason: 'aborted', messages: [asked], answer: { finish: 'aborted', content: [{ type: 'text', text: 'hi' }] }, completion: { text: 'hi', finish: 'aborted' } });
    expectSubscriptions(turn1).toBe('^--!');
    expectSubscriptions(abort$).toBe('^--!');
  }));

  it('may be an AbortSignal', loopMarbles(({ turn, script, cold, expectEvents, expectValues, expectSubscriptions }) => {
    const turn1 = turn('-t-----t-(z|)');
    const fire = '      ---(x|)      ';
    const events = '    -t-(zL|)     ';
    const controller = new AbortController();

    expectValues(cold(fire).pipe(tap(() => controller.abort()))).toBe(fire);
    expectEvents(toolLoop({ model: script(turn1), prompt, abort$: controller.signal })).toBe(events).having('L', { reason: 'aborted' });
    expectSubscriptions(turn1).toBe('^--!');
  }));

  it.each<[string, () => ToolLoopOptions['abort$']]>([
    ['an AbortSignal that has fired', () => AbortSignal.abort()],
    ['an Observable that emits at once', () => of('now')],
    ['an Observable that emits at once, and then for ever', () => merge(of('now'), NEVER)],
  ])('that is %s makes no request', (_what, abort) => loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('(z|)');
    const all = '       (SL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, ...(abort() && { abort$: abort() as AbortSignal }) }), null, { lane: 'all' }).toBe(all)
      .having('L', { reason: 'aborted', messages: [asked], steps: [], usage: {}, answer: undefined, completion: { text: '' } });
    expectSubscriptions(turn1).toBe([]);
  })());

  it('that completes means nothing', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t---(z|) ');
    const abort$ = hot(' --|       ');
    const events = '     -t---(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$ })).toBe(events).having('L', { reason: 'answer' });
    expectEvents(toolLoop({ model: script('-t---(z|)'), prompt, abort$: EMPTY })).toBe(events).having('L', { reason: 'answer' });
    expectSubscriptions(abort$).toBe('^-!');
  }));

  it('that fails is the error of the run, with its turn closed', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions, expectValues }) => {
    const turn1 = turn(' -t-----t-(z|)');
    const error = new Error('The wire is cut.');
    const abort$ = hot(' ---#         ', undefined, error);
    const story = '      -t-#         ';
    const run$ = toolLoop({ model: script(turn1, '-t-----t-(z|)'), prompt, abort$ });
    const runError = { code: 'other', message: 'The wire is cut.', cause: error, run: { messages: [asked, { role: 'assistant', finish: 'error' }], steps: [] } };

    expectEvents(run$).toBe(story, {}, { code: 'other', message: 'The wire is cut.' });
    expectValues(run$.pipe(switchMap(() => EMPTY))).toBe('---#', {}, expect.objectContaining({
      ...runError, run: expect.objectContaining({ steps: [], messages: [asked, expect.objectContaining({ role: 'assistant', finish: 'error' })] }) as unknown,
    }) as unknown);
    expectSubscriptions(turn1).toBe('^--!');
  }));

  it('after the ending means nothing', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(z|)  ');
    const abort$ = hot(' -----x   ');
    const events = '     -t-(zL|) ';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$ })).toBe(events).having('L', { reason: 'answer' });
    expectSubscriptions(abort$).toBe('^--!');
  }));

  it('of one run does not stop the next one', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const model = script(turn('-t-----(z|)'), turn('-t-(z|)'));
    const abort$ = hot('       ---x--------');
    const run$ = toolLoop({ model, prompt, abort$ });

    expectEvents(run$).toBe('           -t-(zL|)    ').having('L', { reason: 'aborted' });
    expectEvents(run$, '-----^').toBe('------t-(zL|)').having('L', { reason: 'answer' });
  }));

  it('between two steps, while the reader holds the next one, makes no further request', loopMarbles(({ turn, tool, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)         ');
    const add = tool('      --(1|)      ');
    const turn2 = turn('         (z|)    ');
    const abort$ = hot(' --------x       ');
    const story = '      -c-y-1--(L|)    ';
    const frame = '      (Ss)----(L|)    ';
    const gates = [of(undefined), NEVER];

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, abort$, demand: { ready: () => gates.shift() ?? NEVER } })).toBe(story)
      .having('L', { reason: 'aborted', messages: [asked, { role: 'assistant', finish: 'tool-use' }, { role: 'tool', results: [{ isError: false }] }], answer: undefined });
    expectSubscriptions(turn2).toBe([]);
    void frame;
  }));

  it('before the first step, while the reader holds it, makes no request', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('(z|)  ');
    const abort$ = hot('----x ');
    const all = '       S---(L|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$, demand: { ready: () => NEVER } }), null, { lane: 'all' }).toBe(all).having('L', { reason: 'aborted', steps: [] });
    expectSubscriptions(turn1).toBe([]);
  }));

  it('inside a step, while the reader holds the model, keeps what was said', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(z|) ');
    const abort$ = hot(' ------x ');
    const events = '     ------(zL|)';
    const model: Model = { ...script(turn1), stream: ({ demand }) => demand?.ready().pipe(switchMap(() => turn1)) ?? NEVER };
    const gates = [of(undefined), NEVER];

    expectEvents(toolLoop({ model, prompt, abort$, demand: { ready: () => gates.shift() ?? NEVER } })).toBe(events).having('z', { finish: 'aborted' });
    expectSubscriptions(turn1).toBe([]);
  }));
});

// prettier-ignore
describe('maxDurationMs', () => {
  const late = { reason: 'max-duration' };

  it('ends a run before anything came', loopMarbles(({ turn, script, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('        ------t-(z|)');
    const maxDurationMs = time('---|        ');
    const events = '            ---(zL|)    ';

    expectEvents(toolLoop({ model: script(turn1), prompt, budget: { maxDurationMs } })).toBe(events).having('z', { finish: 'aborted' }).having('L', late);
    expectSubscriptions(turn1).toBe('   ^--!');
  }));

  it('ends it in a body, with what was said', loopMarbles(({ turn, script, time, expectEvents }) => {
    const turn1 = turn('        -t----t-(z|)');
    const maxDurationMs = time('---|        ');
    const events = '            -t-(zL|)    ';

    expectEvents(toolLoop({ model: script(turn1), prompt, budget: { maxDurationMs } })).toBe(events).having('L', { ...late, answer: { content: [{ text: 'hi' }], finish: 'aborted' } });
  }));

  it('ends it in the wait before a retry', loopMarbles(({ turn, script, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('         ---|       ');
    const initialDelayMs = time('   -----|   ');
    const turn2 = turn('               (z|) ');
    const maxDurationMs = time(' -----|     ');
    const events = '             ---w-(zL|) ';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, budget: { maxDurationMs }, retry: { initialDelayMs, jitter: 0 } })).toBe(events).having('L', late);
    expectSubscriptions(turn2).toBe([]);
  }));

  it('ends it while the reader holds it', loopMarbles(({ turn, script, time, expectEvents }) => {
    const maxDurationMs = time('---|   ');
    const all = '               S--(L|)';

    expectEvents(toolLoop({ model: script(turn('(z|)')), prompt, budget: { maxDurationMs }, demand: { ready: () => NEVER } }), null, { lane: 'all' }).toBe(all).having('L', late);
  }));

  it('ends it in a tool', loopMarbles(({ turn, tool, script, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('         -c-(y|)      ');
    const add = tool('              --------');
    const maxDurationMs = time(' ------|      ');
    const graceMs = time('             --|    ');
    const events = '             -c-y----(1L|)';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, budget: { maxDurationMs }, timeouts: { graceMs } })).toBe(events)
      .having('1', { isError: true, error: { kind: 'cancelled' } }).having('L', late);
    expectSubscriptions(add).toBe('     ---^----!');
  }));

  it('is done with, whatever `budgetEnd` says: it ends a run as abort$ does', loopMarbles(({ turn, script, time, expectEvents }) => {
    const maxDurationMs = time('---|    ');
    const events = '            ---(zL|)';

    expectEvents(toolLoop({ model: script(turn('------')), prompt, preset: 'strict', budget: { maxDurationMs } })).toBe(events).having('L', late);
  }));

  it('is out of reach of a run that is quicker, and leaves no timer', loopMarbles(({ turn, script, time, expectEvents, scheduler }) => {
    const turn1 = turn('         -t-(z|)');
    const maxDurationMs = time(' ------|');
    const events = '             -t-(zL|)';
    void scheduler;

    expectEvents(toolLoop({ model: script(turn1), prompt, budget: { maxDurationMs } })).toBe(events).having('L', { reason: 'answer' });
  }));
});

describe('what was delivered before the signal counts, in the same tick too', () => {
  /** A run whose model and tools answer at once, told to stop inside `next` at the event with this number. */
  function stoppedAt(count: number, turns: readonly (readonly Delta[])[]): { readonly events: readonly LoopEvent[]; readonly requests: number; readonly bodies: number } {
    const abort$ = new Subject<void>();
    const model = played(...turns.map((deltas) => from(deltas)));
    const add = fakeTool(of('1'));
    let seen = 0;
    const { events } = play(toolLoop({ model, tools: [add], prompt, abort$ }).pipe(tap(() => void (++seen === count && abort$.next()))));
    return { events, requests: model.requests.length, bodies: add.calls.length };
  }
  const answer = [text('a', 'b'), text('b', 'b'), text('c', 'b'), finish('stop')];
  const twoCalls = [...call('add', {}, { index: 0, id: 'x' }), ...call('add', {}, { index: 1, id: 'y' }), finish('tool-use')];
  const types = (events: readonly LoopEvent[]): EventType[] => events.map(({ type }) => type);

  it('the text that was shown is kept, and no more is shown', () => {
    const { events } = stoppedAt(4, [answer]);
    expect(types(events)).toEqual(['run-start', 'step-start', 'delta', 'delta', 'step-end', 'done']);
    expect(events.at(-1)).toMatchObject({ outcome: { reason: 'aborted', completion: { text: 'ab' }, answer: { content: [{ text: 'ab' }], finish: 'aborted' } } });
  });

  it.each([[1, 'run-start', 0], [2, 'step-start', 0]])('at event %i (%s) no request is made', (count, _type, requests) => {
    expect(stoppedAt(count, [answer])).toMatchObject({ requests });
  });

  it('a finish that was shown is the finish of its step', () => {
    const { events } = stoppedAt(6, [answer]);
    expect(events[5]).toMatchObject({ type: 'delta', delta: { type: 'finish' } });
    expect(events[6]).toMatchObject({ type: 'step-end', finish: 'stop' });
  });

  it('at every event of a run with two tools, the run ends well, starts nothing more and answers each call once', () => {
    const whole = stoppedAt(Infinity, [twoCalls, answer]);
    expect(whole).toMatchObject({ requests: 2, bodies: 2 });
    for (const [at, event] of whole.events.slice(0, -1).entries()) {
      const { events, requests, bodies } = stoppedAt(at + 1, [twoCalls, answer]);
      const upTo = (type: EventType): number => whole.events.slice(0, at + 1).filter((one) => one.type === type).length;
      const before = types(whole.events.slice(0, at + 1));
      expect([event.type, types(events).slice(0, at + 1)]).toEqual([event.type, before]);
      expect([event.type, at, types(events).at(-1)]).toEqual([event.type, at, 'done']);
      expect([event.type, at, bodies]).toEqual([event.type, at, upTo('tool-commit')]);
      expect([event.type, at, requests]).toEqual([event.type, at, before.includes('delta') ? upTo('step-start') : 0]);
    }
  });
});

describe('what a run listens to', () => {
  /** A signal that counts its listeners. */
  function counted(): { readonly signal: AbortSignal; readonly counts: { added: number; removed: number; most: number } } {
    const { signal } = new AbortController();
    const counts = { added: 0, removed: 0, most: 0 };
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      counts.added += 1;
      counts.most = Math.max(counts.most, counts.added - counts.removed);
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      counts.removed += 1;
      remove(...args);
    };
    return { signal, counts };
  }

  it('leaves no listener on an AbortSignal that outlives it: answered, failed or left', () => {
    const { signal, counts } = counted();
    for (let run = 0; run < 1_000; run++) {
      const model = run % 3 === 1 ? played() : played(run % 3 === 0 ? from([text('hi'), finish('stop')]) : NEVER);
      play(toolLoop({ model, prompt, abort$: signal })).leave();
    }
    expect(counts).toEqual({ added: 1_000, removed: 1_000, most: 1 });
  });
});

// prettier-ignore
describe('a notifier', () => {
  it('is subscribed once, before the first request, and left at the ending', loopMarbles(({ turn, tool, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)        ');
    const add = tool('      --(1|)     ');
    const turn2 = turn('         -t-(z|)');
    const events = '     -c-y-1T-(ZL|)  ';
    const [abort$, steering$, followUp$] = [hot('--------------'), hot('--------------'), hot('--------------')];
    let before: unknown;
    const model = script(turn1, turn2);

    expectEvents(toolLoop({ model, tools: [add], prompt, abort$, steering$, followUp$ }).pipe(tap(() => (before ??= [abort$, steering$, followUp$].map(({ subscriptions }) => subscriptions.length))))).toBe(events);
    for (const one of [abort$, steering$, followUp$]) expectSubscriptions(one).toBe('^-------!');
    void before;
  }));

  it('is left by a reader that leaves', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const abort$ = hot('-------');
    const leave = '     ---!   ';

    expectEvents(toolLoop({ model: script(turn('-t-----')), prompt, abort$ }), leave).toBe('-t-');
    expectSubscriptions(abort$).toBe('^--!');
    void [map, take];
  }));
});
