import { describe, it } from '@jest/globals';
import { concat, EMPTY, of, Subject, tap } from 'rxjs';
import { ModelError, toolLoop } from '../../lib/index.ts';
import type { EventType, LoopEvent } from '../../lib/index.ts';
import { reasoning, usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// The smallest form of every run that once broke an invariant.

const prompt = 'go';

/** A reader that stops the run inside `next`, at the first event of a type. */
function stopAt(type: EventType) {
  const abort$ = new Subject<void>();
  return { abort$, reader: tap<LoopEvent>((event) => event.type === type && abort$.next()) };
}

// prettier-ignore
describe('a stop inside `next`', () => {
  it.each<[EventType, string, object, string]>([
    ['step-end', '   -t-(z|)', {}, '             -t-(zL|)'],
    ['step-end', '   -t-#', { feedback: 1 }, '           -t-(zvL|)'],
    ['correction', ' -t-#', { feedback: 1 }, '           -t-(zvL|)'],
    ['step-retract', '-t-#', { retract: 1 }, '           -t-(ewzL|)'],
  ])('of %s ends the step once: %s', (type, diagram, streamFailure, story) => loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const { abort$, reader } = stopAt(type);
    const turn2 = turn('      (z|)');
    const policy = 'feedback' in streamFailure || 'retract' in streamFailure ? { streamFailure: streamFailure as { feedback: number } } : {};
    const run$ = toolLoop({ model: script(turn(diagram), turn2), prompt, abort$, policy, retry: { count: 1, initialDelayMs: 1, jitter: 0 } });

    expectEvents(run$.pipe(reader)).toBe(story);
    expectSubscriptions(turn2).toBe([]);
  })());

  it.each<[EventType, object]>([
    ['steering', {}],
    ['status', { warnAt: 0 }],
  ])('of %s between two steps announces no further step', (type, budget) => loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const { abort$, reader } = stopAt(type);
    const turn1 = turn('(z|)');
    const all = type === 'steering' ? '(SGL|)' : '(SGHL|)';
    const run$ = toolLoop({ model: script(turn1), prompt, abort$, steering$: concat(of('wait'), EMPTY), budget });

    expectEvents(run$.pipe(reader), null, { lane: 'all' }).toBe(all, { G: 'steering', H: 'status' }).having('L', { reason: 'aborted', steps: [] });
    expectSubscriptions(turn1).toBe([]);
  })());
});

// prettier-ignore
describe('a withdrawn attempt', () => {
  it('names the reasoning that better reasoning has replaced', loopMarbles(({ script, expectEvents, turn }) => {
    const turn1 = turn('-k-x-|', { k: reasoning('hm', 'r1'), x: { type: 'reasoning-replace', text: 'better' } });
    const events = '    -k-x-e---(zL|)';

    expectEvents(toolLoop({ model: script(turn1, turn('----(z|)')), prompt, policy: { streamFailure: { retract: 1 } }, retry: { count: 0 } })).toBe(events)
      .having('e', { blocks: ['r1'] });
  }));

  it('is not followed by another before the provider wants it', loopMarbles(({ script, expectEvents, expectSubscriptions, turn }) => {
    const busy = new ModelError('model-http', 'Busy.', { status: 503, retryable: true, retryAfterMs: 500 });
    const turn1 = turn('-#', {}, busy);
    const turn2 = turn(' (z|)');
    const events = '    -#';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, policy: { streamFailure: { retract: 1 } }, retry: { count: 0 } })).toBe(events, {}, { code: 'model-http' });
    expectSubscriptions(turn2).toBe([]);
  }));
});

// prettier-ignore
describe('a token budget', () => {
  it('counts a step that reports a total together with one that reports nothing', loopMarbles(({ script, tool, expectEvents, expectSubscriptions, turn }) => {
    const turn1 = turn('(ucy|)', { u: usage({ totalTokens: 9 }) });
    const turn2 = turn('(cy|)');
    const add = tool('  (1|)');

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, budget: { maxTotalTokens: 9 }, policy: { budgetEnd: 'error' } }))
      .toBe('(cy1CY#)', {}, { code: 'budget' });
    expectSubscriptions(add).toBe('(^!)');
  }));
});
