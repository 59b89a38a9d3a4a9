import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { from, map, of, take } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import { completeToolLoop, historyOf, ofType, RunError, toolLoop } from '../../lib/index.ts';
import type { Delta, EventOf, LoopEvent, Message, Outcome, Tool, ToolLoopOptions } from '../../lib/index.ts';
import { call, fakeTool, finish, script, text } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { play } from '../support/play.ts';
import type { Played } from '../support/play.ts';
import { playScript, randomScript } from '../support/random-run.ts';
import { callIdsOf, transcriptFaults } from '../support/valid-transcript.ts';

// One describe for each number of docs/semantics.md; soft-end*.spec.ts say all of 3, and the specs of `pull` and `paced` all of 4.

const prompt = 'go';
const counted = () => {
  let count = 0;
  return (kind: string) => `${kind}${++count}`;
};
const ask = (n = 0): readonly Delta[] => [...call('add', { n }, { index: 0, id: `c${n}` }), finish('tool-use')];
const answer: readonly Delta[] = [text('hi', 'b'), finish('stop')];

/** Events without the times in them. */
const timeless = (events: readonly LoopEvent[]): unknown[] =>
  events.map((event) => {
    if (event.type === 'tool-start') return { ...event, startedAt: 0 };
    return event.type === 'tool-result' ? { ...event, elapsedMs: 0 } : event;
  });

// prettier-ignore
describe('1: a run is cold', () => {
  it('calling does nothing; each subscription is a run of its own, with its own id', loopMarbles(({ turn, script, ids, expectValues, expectSubscriptions, expectEvents }) => {
    const turn1 = turn('   -t-(z|)');
    const run$ = toolLoop({ model: script(turn1, turn1, turn1), prompt, ids });

    expectEvents(run$, '    --^---').toBe('---t-(zL|)');
    expectValues(run$.pipe(ofType('run-start'))).toBe('a--|', { a: { type: 'run-start', runId: 'run1' } });
    expectSubscriptions(turn1).toBe(['^--!', '--^--!']);
  }));

  it('keeps nothing of one run for the next: budgets, ids and messages begin anew', () => {
    const run = () => toolLoop({ model: script(from(ask()), from(answer)), tools: [fakeTool(of('1'))], prompt, ids: counted(), budget: { maxSteps: 2 } });
    expect(timeless(play(run()).events)).toEqual(timeless(play(run()).events));

    const both$ = toolLoop({ model: script(from(ask()), from(answer), from(ask()), from(answer)), tools: [fakeTool(of('1'))], prompt, runId: 'r', budget: { maxSteps: 2 } });
    const [first, second] = [play(both$), play(both$)];
    expect(timeless(second.events)).toEqual(timeless(first.events));
    expect(first.ending).toBe('complete');
  });
});

// prettier-ignore
describe('2: leaving is a hard cancel', () => {
  it('ends the request, the tool and the wait in the same tick', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|) ');
    const add = tool('      -----');
    const turn2 = turn('    (z|)  ');
    const leave = '      -----!  ';
    const events = '     -c-y-   ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt }), leave).toBe(events);
    expectSubscriptions(add).toBe('---^-!');
    expectSubscriptions(turn2).toBe([]);
  }));
});

// prettier-ignore
describe('3: abort$ and the deadline end a run softly', () => {
  // Connecting to 2, text, two calls at 6, step-end at 12; a tool to 16, another to 20; the answer from 22 to 26.
  const letters = { c: call('add', { n: 0 }), d: call('add', { n: 1 }) };

  it.each<[where: string, at: number, story: string]>([
    ['before the first step', 0, '(L|)'],
    ['connecting', 1, '-(zL|)'],
    ['in a body', 4, '--t-(zL|)'],
    ['in a body with calls', 8, '--t---cd(z12L|)'],
    ['in the first tool', 14, '--t---cd----y-(12L|)'],
    ['in the second tool', 18, '--t---cd----y---1-(2L|)'],
    ['in the next body', 23, '--t---cd----y---1---2-T(ZL|)'],
    ['after the ending', 30, '--t---cd----y---1---2-T---(ZL|)'],
  ])('with what was said, and one result for each call: %s', (_where, at, story) => loopMarbles(({ turn, tool, script, time, hot, expectEvents }) => {
    const options = (): ToolLoopOptions<Tool> => ({
      model: script(turn('--t---cd----(y|)', letters), turn('--t---(z|)')), tools: [tool('----(1|)')], prompt, timeouts: { graceMs: 0 },
    });
    const reason = at === 30 ? 'answer' : 'aborted';
    const own = { d: '0 call add#2', z: '0 end aborted', Z: at === 30 ? '1 end stop' : '1 end aborted' };

    expectEvents(toolLoop({ ...options(), abort$: at === 0 ? of('now') : hot(`${'-'.repeat(at)}x`) })).toBe(story, own).having('L', { reason });
    if (at > 0) expectEvents(toolLoop({ ...options(), budget: { maxDurationMs: time(`${'-'.repeat(at)}|`) } })).toBe(story, own).having('L', { reason: at === 30 ? 'answer' : 'max-duration' });
  })());
});

// prettier-ignore
describe('4: a slow reader slows the model down', () => {
  it('and its silence is not the model\'s: the timeouts stand still while the reader holds the stream', loopMarbles(({ cold, expectEvents }) => {
    const held = '  ----------(o|)  ';
    const events = 't---------(vzL|)';
    const gates = [of(undefined), of(undefined), cold(held).pipe(map(() => undefined))];

    expectEvents(toolLoop({ model: scripted([{ text: ['a', 'b'] }]), prompt, demand: { ready: () => gates.shift() ?? of(undefined) }, timeouts: { firstDeltaMs: 5, idleMs: 5, stallMs: 5 } }))
      .toBe(events, { t: '0 text "a"', v: '0 text "b"' });
  }));
});

describe('5: one decision, one transcript', () => {
  it('comes to the same outcome streamed, at once, and paced', () => {
    fc.assert(fc.property(randomScript, (script) => {
      const [paced, quick] = [playScript(script, true), playScript(script, false)];
      expect(endingOf(paced)).toEqual(endingOf(quick));
    }), { numRuns: 200 });
  });

  it('has in completeToolLoop nothing but the outcome of the run', () => {
    const options = () => ({ model: scripted([{ calls: [{ name: 'add', id: 'c' }] }, { text: 'hi' }]), tools: [fakeTool(of('1'))], prompt, ids: counted() });
    const outcomes: Outcome[] = [];
    completeToolLoop(options()).subscribe((outcome) => outcomes.push(outcome));
    expect(outcomes).toEqual([(play(toolLoop(options())).events.at(-1) as EventOf<'done'>).outcome]);
  });
});

describe('6: synchronous and asynchronous runs are the same run', () => {
  it('with the same events in the same order, whatever happens', () => {
    const endings = new Map<string, number>();
    fc.assert(fc.property(randomScript, (script) => {
      const [paced, quick] = [playScript(script, true), playScript(script, false)];
      expect(timeless(quick.events)).toEqual(timeless(paced.events));
      expect([quick.ending, String(quick.error)]).toEqual([paced.ending, String(paced.error)]);
      endings.set(quick.ending, (endings.get(quick.ending) ?? 0) + 1);
    }), { numRuns: 300 });
    // Both endings were tried, so that the property does not hold for want of cases.
    expect(endings.get('complete')).toBeGreaterThan(30);
    expect(endings.get('error')).toBeGreaterThan(30);
    expect(endings.has('none')).toBe(false);
  });

  it('leaves the same run behind wherever the reader leaves it', () => {
    fc.assert(fc.property(randomScript, fc.nat(12), (script, count) => {
      const left = playScript(script, false, (run$) => run$.pipe(take(count)));
      const whole = playScript(script, false);
      expect(timeless(left.events)).toEqual(timeless(whole.events.slice(0, count)));
    }), { numRuns: 100 });
  });

  it('ends 5,000 synchronous steps without a deeper stack', () => {
    const steps = 5_000;
    const model = { ...script(), stream: () => (asked++ < steps ? from(ask(asked)) : from(answer)) };
    let asked = 0;
    const depths: number[] = [];
    let last: LoopEvent | undefined;
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 500;
    toolLoop({ model, tools: [fakeTool(of('1'))], prompt, budget: { maxSteps: Infinity } }).subscribe((event) => {
      last = event;
      if (event.type === 'step-start' && event.step % 1_000 === 1) depths.push((new Error('depth').stack ?? '').split('\n').length);
    });
    Error.stackTraceLimit = limit;
    expect(depths).toEqual([1, 2, 3, 4, 5].map(() => depths[0]));
    expect(depths[0]).toBeLessThan(400);
    expect(last).toMatchObject({ type: 'done', outcome: { reason: 'answer' } });
    expect((last as EventOf<'done'>).outcome.steps).toHaveLength(steps + 1);
  });
});

// prettier-ignore
describe('7: a run is exact to the frame', () => {
  it('has no time of its own: all of a synchronous run is in the frame of its subscription', loopMarbles(({ turn, tool, script, expectEvents, scheduler }) => {
    const model = script(turn('(cy|)'), turn('(tz|)'));
    const events = '   ------(cy1TZL|)';

    expectEvents(toolLoop({ model, tools: [tool('(1|)')], prompt, scheduler }), '------^').toBe(events).having('1', { elapsedMs: 0 });
  }));

  it('takes its times from the scheduler', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)          ');
    const add = tool('      -----(1|)    ');
    const turn2 = turn('         -----(z|)');
    const tools = '      ---(gi)-(m1)-|';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt }), null, { lane: 'tools' }).toBe(tools)
      .having('i', { startedAt: 3 })
      .having('1', { elapsedMs: 5 });
  }));
});

describe('8: nothing grows with what is past', () => {
  it('asks a model with a view of the messages, copied only when it is read', () => {
    let reads = 0;
    const seen: (readonly Message[])[] = [];
    const model = script(from(ask(1)), from(ask(2)), from(answer));
    const lazy = { ...model, stream: (request: Parameters<typeof model.stream>[0]) => {
      const descriptor = Object.getOwnPropertyDescriptor(request, 'messages');
      reads += descriptor?.get === undefined ? 1 : 0;
      seen.push(request.messages);
      return model.stream(request);
    } };
    play(toolLoop({ model: lazy, tools: [fakeTool(of('1'))], prompt }));
    expect(reads).toBe(0);
    // What a model was given does not change under its hands when the run goes on.
    expect(seen.map(({ length }) => length)).toEqual([1, 3, 5]);
  });

  it('passes a delta on as the very object that came', () => {
    const deltas: Delta[] = [text('hi', 'b'), { type: 'unknown', raw: {} }, ...call('add', {}, { index: 0, id: 'c' }), finish('length')];
    const shown = play(toolLoop({ model: script(from(deltas)), prompt })).events.flatMap((event) => (event.type === 'delta' ? [event.delta] : []));
    expect(shown).toHaveLength(deltas.length);
    for (const [at, delta] of shown.entries()) expect(delta).toBe(deltas[at]);
  });
});

describe('9: what a reader does is its own affair', () => {
  it('gives run-start to take(1) and asks no model', () => {
    const model = script(from(answer));
    const events: LoopEvent[] = [];
    toolLoop({ model, prompt }).pipe(take(1)).subscribe((event) => events.push(event));
    expect(events.map(({ type }) => type)).toEqual(['run-start']);
    expect(model.requests).toEqual([]);
  });

  it('lets a reader start another run inside `next`', () => {
    const run = (events: string[], name: string) => toolLoop({ model: script(from(answer)), prompt }).subscribe(({ type }) => {
      events.push(`${name} ${type}`);
      if (name === 'outer' && type === 'step-end') run(events, 'inner');
    });
    const events: string[] = [];
    run(events, 'outer');
    const own = ['run-start', 'step-start', 'delta', 'delta', 'step-end', 'done'];
    expect(events.filter((line) => line.startsWith('inner'))).toEqual(own.map((type) => `inner ${type}`));
    expect(events.filter((line) => line.startsWith('outer'))).toEqual(own.map((type) => `outer ${type}`));
  });
});

describe('10: the stored transcript is valid for a next request', () => {
  it('in the outcome and in the error of any run: a call stands in it if and only if it had its events', () => {
    let calls = 0;
    fc.assert(fc.property(randomScript, (script) => {
      const played = playScript(script, false);
      const shown = (type: 'tool-call' | 'tool-result') => played.events.flatMap((event) => (event.type === type ? [event.callId] : []));
      const messages = endingOf(played).messages;
      calls += shown('tool-call').length;
      expect(transcriptFaults(messages)).toEqual([]);
      expect(shown('tool-result')).toEqual(shown('tool-call'));
      // An error may close calls that no event told of; it never forgets one.
      const stored = callIdsOf(messages);
      expect(played.ending === 'complete' ? stored : stored.slice(0, shown('tool-call').length)).toEqual(shown('tool-call'));
    }), { numRuns: 400 });
    expect(calls).toBeGreaterThan(100);
  });

  it('is what every request of a run was asked with', () => {
    fc.assert(fc.property(randomScript, ({ turns, options }) => {
      const model = script(...turns.map(({ deltas }) => from(deltas)));
      play(toolLoop({ ...options, retry: { count: 0 }, model, prompt, tools: [fakeTool(of('1'))] }));
      for (const { messages } of model.requests) expect(transcriptFaults(messages)).toEqual([]);
    }), { numRuns: 100 });
  });

  const turn = (...ids: string[]): Message => ({ role: 'assistant', content: ids.map((id) => ({ type: 'tool-call', call: { id, name: 'add', arguments: {} } })) });
  const results = (...ids: string[]): Message => ({ role: 'tool', results: ids.map((callId) => ({ callId, name: 'add', content: [], isError: false })) });

  it.each<[string, readonly Message[], number]>([
    ['nothing wrong', [turn('a', 'b'), results('a', 'b'), turn('c'), results('c')], 0],
    ['a call without result', [turn('a', 'b'), results('a')], 1],
    ['results in another order', [turn('a', 'b'), results('b', 'a')], 1],
    ['results with nothing before them', [results('a')], 1],
    ['results that come too late', [turn('a'), { role: 'user', content: [] }, results('a')], 2],
    ['an id that is used twice', [turn('a'), results('a'), turn('a'), results('a')], 1],
    ['a call without id', [turn(''), results('')], 1],
    ['an empty turn', [turn()], 1],
    ['a turn of reasoning alone', [{ role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] }], 1],
  ])('as a checker sees it that finds %s', (_what, messages, faults) => {
    expect(transcriptFaults(messages)).toHaveLength(faults);
  });

  it('goes on in a next run as historyOf gives it', () => {
    const { outcome } = play(toolLoop({ model: script(from(ask()), from(answer)), tools: [fakeTool(of('1'))], prompt })).events.at(-1) as EventOf<'done'>;
    const history = historyOf(outcome);
    expect(history.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const next = play(toolLoop({ model: script(from(ask()), from(answer)), tools: [fakeTool(of('1'))], messages: history, prompt: 'again' }));
    expect(next.ending).toBe('complete');
    expect(transcriptFaults(historyOf((next.events.at(-1) as EventOf<'done'>).outcome))).toEqual([]);
  });
});

/** What a run came to, whichever way it ended. */
function endingOf({ events, error }: Played): Pick<Outcome, 'messages' | 'steps' | 'usage' | 'completion'> {
  const last = events.at(-1);
  if (last?.type === 'done') return last.outcome;
  if (!(error instanceof RunError)) throw new Error(`The run did not end as a run does: ${String(error)}`);
  return error.run;
}
