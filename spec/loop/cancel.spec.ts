import { describe, expect, it } from '@jest/globals';
import { concat, defer, map, NEVER, of, queueScheduler, Subject, take, takeUntil, takeWhile, tap, timer } from 'rxjs';
import type { MonoTypeOperatorFunction, Observable } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import { defineTool, ModelError, toolLoop } from '../../lib/index.ts';
import type { EventType, LoopEvent, Model, ToolContext } from '../../lib/index.ts';
import { verifyEvents } from '../../marbles/index.ts';
import * as z from 'zod';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';

/** Leaves inside `next`, at the first event of a type. */
const leaveAt = (type: EventType): MonoTypeOperatorFunction<LoopEvent> => (run$) => concat(run$.pipe(takeWhile((event) => event.type !== type, true)), NEVER);

// prettier-ignore
describe('leaving', () => {
  it('in the request, before its first delta, aborts it', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('----t-(z|)');
    const turn2 = turn('    (z|)  ');
    const leave = '     --!       ';
    const events = '    --        ';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt }), leave).toBe(events);
    expectSubscriptions(turn1).toBe('^-!');
    expectSubscriptions(turn2).toBe([]);
  }));

  it('in a turn aborts it and runs none of its calls', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-t-c---(y|)');
    const add = tool('         (1|)');
    const leave = '     -----!     ';
    const events = '    -t-c-      ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt }), leave).toBe(events);
    expectSubscriptions(turn1).toBe('^----!');
    expectSubscriptions(add).toBe([]);
  }));

  it('at the step-end runs none of its calls', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-t-c-(y|)  ');
    const add = tool('       (1|)  ');
    const events = '    -t-c-y     ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt }).pipe(leaveAt('step-end'))).toBe(events);
    expectSubscriptions(turn1).toBe('^----!');
    expectSubscriptions(add).toBe([]);
  }));

  it('at the start of a tool does not run it', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-c-(y|)    ');
    const add = tool('     (1|)    ');
    const tools = '     ---(gi)    ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt }).pipe(leaveAt('tool-start')), null, { lane: 'tools' }).toBe(tools);
    expectSubscriptions(add).toBe([]);
  }));

  it('in a tool leaves it, fires its signal, and makes no further call', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions, expectValues, cold }) => {
    const turn1 = turn('-c-(y|)       ');
    const add = tool('     ---p---(1|)');
    const turn2 = turn('          (z|)');
    const leave = '     --------!     ';
    const look = '      -------bx     ';
    const tools = '     ---(gi)       ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt }), leave, { lane: 'tools' }).toBe(tools);
    expectSubscriptions(add).toBe('---^----!');
    expectSubscriptions(turn2).toBe([]);
    expectValues(cold(look).pipe(map(() => add.contexts[0]?.signal.aborted))).toBe(look, { b: false, x: true });
  }));

  it('between two calls of a batch runs the second no more', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-cd(y|)         ');
    const add = tool('     ------(1|)   ');
    const mul = tool('           (1|)   ', { name: 'mul' });
    const turn2 = turn('         (z|)   ');
    const events = '    -cdy-----1      ';
    const tools = '     ---(ghi)-(m1)   ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt }).pipe(leaveAt('tool-result'))).toBe(events).lane('tools').toBe(tools);
    expectSubscriptions(add).toBe('---^-----!');
    expectSubscriptions(mul).toBe([]);
    expectSubscriptions(turn2).toBe([]);
  }));

  it('after the last result of a batch makes no further call', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-c-(y|)       ');
    const add = tool('     --(1|)     ');
    const turn2 = turn('       (z|)   ');
    const events = '    -c-y-1        ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt }).pipe(leaveAt('tool-result'))).toBe(events);
    expectSubscriptions(turn2).toBe([]);
  }));

  it('at a step-start makes no request', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('(z|)');
    const all = '       (Ss)';

    expectEvents(toolLoop({ model: script(turn1), prompt }).pipe(leaveAt('step-start')), null, { lane: 'all' }).toBe(all);
    expectSubscriptions(turn1).toBe([]);
  }));

  it('in the wait before a retry ends the wait and makes no request', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, time }) => {
    const failing = turn('      -#         ');
    const initialDelayMs = time('  -----|    ');
    const turn2 = turn('              (z|)');
    const leave = '             ---!       ';
    const events = '            -w         ';

    expectEvents(toolLoop({ model: script(failing, turn2), prompt, retry: { initialDelayMs, jitter: 0 } }), leave).toBe(events);
    expectSubscriptions(failing).toBe('^!');
    expectSubscriptions(turn2).toBe([]);
  }));

  it('at the retry itself does not even begin to wait', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, time }) => {
    const failing = turn('      -#         ');
    const initialDelayMs = time('  -----|    ');
    const turn2 = turn('              (z|)');
    const events = '            -w         ';

    expectEvents(toolLoop({ model: script(failing, turn2), prompt, retry: { initialDelayMs, jitter: 0 } }).pipe(leaveAt('retry'))).toBe(events);
    expectSubscriptions(turn2).toBe([]);
  }));
});

describe('leaving inside `next`, with a model and tools that answer at once', () => {
  type Log = string[];

  /** Two steps; two calls, of which the first makes progress; the first exchange fails and is retried. */
  function logged(log: Log): Observable<LoopEvent> {
    const script = scripted([
      { error: new ModelError('model-http', 'Busy.', { retryable: true, retryAfterMs: 0 }) },
      { reasoning: 'hm', text: ['a', 'b'], calls: [{ name: 'add', arguments: { n: 1 } }, { name: 'add', arguments: { n: 2 } }], usage: { inputTokens: 1 } },
      { text: ['c', 'd'] },
    ]);
    const model: Model = { ...script, stream: (request) => defer(() => (log.push('> request'), script.stream(request))) };
    const add = defineTool({
      name: 'add',
      description: 'Adds.',
      input: z.object({ n: z.number() }),
      run: ({ n }) => (log.push('> tool'), n === 1 ? of(1, 2) : 3),
    });
    // On this scheduler a wait of no length ends at once.
    return toolLoop({ model, tools: [add], prompt, scheduler: queueScheduler }).pipe(
      verifyEvents(),
      tap((event) => log.push(event.type === 'delta' ? `delta ${event.delta.type}` : event.type)),
    );
  }

  const whole: Log = [];
  logged(whole).subscribe();
  const events = whole.filter((line) => !line.startsWith('>'));
  const places = events.map((type, at) => [at + 1, type] as const);

  it('is tried at every type of event', () => {
    expect(new Set(events)).toEqual(new Set([
      'run-start', 'step-start', 'retry', 'delta reasoning', 'delta text', 'delta tool-call-start', 'delta tool-call-arguments', 'delta tool-call-end',
      'delta usage', 'delta finish', 'step-end', 'tool-call', 'tool-start', 'tool-progress', 'tool-commit', 'tool-result', 'done',
    ]));
    expect(whole.filter((line) => line === '> request')).toHaveLength(3);
    expect(whole.filter((line) => line === '> tool')).toHaveLength(2);
  });

  /** All that happened up to the event with this number, which is where it must stop. */
  const upTo = (count: number): Log => {
    let seen = 0;
    return whole.slice(0, whole.findIndex((line) => !line.startsWith('>') && ++seen === count) + 1);
  };

  it.each(places)('at event %i (%s) nothing more happens: no event, no call, no tool', (count) => {
    const log: Log = [];
    logged(log).pipe(take(count)).subscribe();
    expect(log).toEqual(upTo(count));
  });

  it.each(places)('at event %i (%s) through a notifier nothing more happens either', (count) => {
    const log: Log = [];
    const leave$ = new Subject<void>();
    let seen = 0;
    logged(log).pipe(takeUntil(leave$)).subscribe(() => {
      if (++seen === count) leave$.next();
    });
    expect(log).toEqual(upTo(count));
  });
});

describe('the signal of a tool', () => {
  function running(body: (context: ToolContext) => unknown): { readonly context: ToolContext; readonly leave: () => void; readonly events: EventType[] } {
    let context: ToolContext | undefined;
    const wait = defineTool({ name: 'wait', description: 'Waits.', input: z.object({}), run: (_args, given) => ((context = given), body(given)) });
    const model = scripted([{ calls: [{ name: 'wait' }] }, { text: 'late' }]);
    const events: EventType[] = [];
    const run = toolLoop({ model, tools: [wait], prompt }).subscribe(({ type }) => events.push(type));
    if (context === undefined) throw new Error('The tool did not start.');
    return { context, events, leave: () => run.unsubscribe() };
  }

  it('fires in the tick in which the reader leaves, for who listens', () => {
    let fired = 0;
    const { leave } = running(({ signal }) => (signal.addEventListener('abort', () => fired++), NEVER));
    expect(fired).toBe(0);
    leave();
    expect(fired).toBe(1);
  });

  it('has fired for who asks for it only after the reader has left', () => {
    const { context, leave } = running(() => NEVER);
    leave();
    expect(context.signal.aborted).toBe(true);
  });

  it('does not fire for a tool that has answered', () => {
    const { context, leave, events } = running(() => 'done');
    leave();
    expect(events.at(-1)).toBe('done');
    expect(context.signal.aborted).toBe(false);
  });

  it('lets nothing of the tool be heard after the reader has left', () => {
    const { context, events, leave } = running(() => timer(0).pipe(map(() => 'late')));
    leave();
    const before = [...events];
    context.progress('late');
    expect(events).toEqual(before);
    expect(events.at(-1)).toBe('tool-start');
  });
});
