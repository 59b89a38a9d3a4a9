import { describe, expect, it } from '@jest/globals';
import { EMPTY, map, merge, NEVER, of, switchMap, take, tap } from 'rxjs';
import { toolLoop, userMessage } from '../../lib/index.ts';
import type { Model, ToolLoopOptions } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const asked = userMessage(prompt);

// Rule 3 of docs/semantics.md: what ends a run softly, and what it leaves. Row 13 itself is in rows-fallback.spec.ts, tools
// are in soft-end-tools.spec.ts, and readers that stop a run inside `next` in soft-end-reentrant.spec.ts.

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

    expectEvents(run$).toBe(story, {}, { code: 'other', message: 'The wire is cut.' });
    expectValues(run$.pipe(switchMap(() => EMPTY))).toBe('---#', {}, expect.objectContaining({
      cause: error, run: expect.objectContaining({ steps: [], messages: [asked, expect.objectContaining({ role: 'assistant', finish: 'error' })] }) as unknown,
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
    const gates = [of(undefined), NEVER];

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, abort$, demand: { ready: () => gates.shift() ?? NEVER } })).toBe(story)
      .having('L', { reason: 'aborted', messages: [asked, { role: 'assistant', finish: 'tool-use' }, { role: 'tool', results: [{ isError: false }] }], answer: undefined });
    expectSubscriptions(turn2).toBe([]);
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

  it('does not touch a run that is quicker', loopMarbles(({ turn, script, time, expectEvents }) => {
    const turn1 = turn('         -t-(z|)');
    const maxDurationMs = time(' ------|');
    const events = '             -t-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, budget: { maxDurationMs } })).toBe(events).having('L', { reason: 'answer' });
  }));
});

// prettier-ignore
describe('a notifier', () => {
  it('is subscribed once a run, and left at its ending', loopMarbles(({ turn, tool, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)        ');
    const add = tool('      --(1|)     ');
    const turn2 = turn('         -t-(z|)');
    const events = '     -c-y-1T-(ZL|)  ';
    const said = '       -----------    ';
    const heard = '      ^-------!      ';
    const [abort$, steering$, followUp$] = [hot(said), hot<string>(said), hot<string>(said)];

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, abort$, steering$, followUp$ })).toBe(events);
    for (const notifier of [abort$, steering$, followUp$]) expectSubscriptions(notifier).toBe(heard);
  }));

  it('is subscribed before the first event', loopMarbles(({ script, hot, expectValues }) => {
    const [abort$, steering$, followUp$] = [hot('--'), hot<string>('--'), hot<string>('--')];
    const heard$ = toolLoop({ model: script('-t-(z|)'), prompt, abort$, steering$, followUp$ }).pipe(
      take(1),
      map(({ type }) => [type, ...[abort$, steering$, followUp$].map(({ subscriptions }) => subscriptions.length)]),
    );

    expectValues(heard$).toBe('(h|)', { h: ['run-start', 1, 1, 1] });
  }));

  it('is left by a reader that leaves', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const abort$ = hot('-------');
    const leave = '     ---!   ';

    expectEvents(toolLoop({ model: script(turn('-t-----')), prompt, abort$ }), leave).toBe('-t-');
    expectSubscriptions(abort$).toBe('^--!');
  }));
});
