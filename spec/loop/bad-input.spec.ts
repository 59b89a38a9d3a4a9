import { describe, expect, it } from '@jest/globals';
import { config, from, map, Observable, of, toArray } from 'rxjs';
import { errorAsDone, ModelError, ofType, toolLoop } from '../../lib/index.ts';
import type { Delta, EventOf, EventType, Ids, LoopEvent, Message, Model } from '../../lib/index.ts';
import { call, fakeTool, finish, script, text, usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { play } from '../support/play.ts';
import { transcriptFaults } from '../support/valid-transcript.ts';

// Bad models and bad readers. Each ends in a row of the table in docs/semantics.md; bad tools are in bad-input-tools.spec.ts.

const options = { prompt: 'go', preset: 'strict' } as const;
const model = (stream: Model['stream']): Model => ({ id: 'bad', provider: 'spec', capabilities: ['tools'], stream });

/** Deltas of one call, each on its own. */
const [start, args, end] = call('add', { a: 1 }, { index: 0, id: 'x' }) as [Delta, Delta, Delta];
const again = call('add', { a: 1 }, { index: 0, id: 'x2' })[0] as Delta;
const at = (index: number, id = `x${index}`): readonly Delta[] => call('add', { at: index }, { index, id });

// prettier-ignore
describe('a model that throws', () => {
  it.each([
    ['in stream()', () => { throw new ModelError('model-http', 'No.', { status: 400 }); }],
    ['on subscribing', () => new Observable<Delta>(() => { throw new ModelError('model-http', 'No.', { status: 400 }); })],
    ['in an error delta', () => of<Delta>({ type: 'error', error: new ModelError('model-http', 'No.', { status: 400 }) })],
  ])('%s fails the run: row 5', (_where, stream) => loopMarbles(({ expectEvents }) => {
    expectEvents(toolLoop({ ...options, model: model(stream) }), null, { lane: 'all' }).toBe('(Ss#)', {}, { code: 'model-http', message: 'No.' });
  })());

  it.each([
    ['in stream()', () => { throw new ModelError('model-http', 'Busy.', { retryable: true }); }],
    ['on subscribing', () => new Observable<Delta>(() => { throw new ModelError('model-http', 'Busy.', { retryable: true }); })],
  ])('%s, and says that it is transient, is called again: row 6', (_where, stream) => loopMarbles(({ expectEvents }) => {
    expectEvents(toolLoop({ ...options, model: model(stream), retry: { count: 1, initialDelayMs: 2, jitter: 0 } })).toBe('w-#', {}, { message: 'Busy.' });
  })());

  it.each([
    ['an Error', new TypeError('Oops.'), 'Oops.'],
    ['a string', 'oops', 'oops'],
    ['nothing', undefined, 'undefined'],
    ['what has no text', Object.create(null), /./],
  ])('%s fails the run with it as the cause: row 5', (_what, thrown, message) => loopMarbles(({ expectEvents, expectValues }) => {
    const run$ = toolLoop({ ...options, model: model(() => { throw thrown; }) });

    expectEvents(run$).toBe('#', {}, { code: 'other', message });
    expectValues(run$.pipe(errorAsDone(), ofType('done'), map(({ outcome }) => outcome.error))).toBe('(e|)', { e: { code: 'other', message: 'The run failed.', retryable: false } });
  })());

  it('gives no Observable at all fails the run: row 5', loopMarbles(({ expectEvents }) => {
    expectEvents(toolLoop({ ...options, model: model(() => undefined as never) })).toBe('#', {}, { code: 'other', message: /undefined/ });
  }));

  it('throws after it was shown fails the run, what came stays: row 7', loopMarbles(({ expectEvents }) => {
    const stream = () => new Observable<Delta>((subscriber) => { subscriber.next(text('hi')); throw new ModelError('model-stream', 'Bytes.', { retryable: true }); });

    expectEvents(toolLoop({ ...options, model: model(stream), retry: { count: 3 } })).toBe('(t#)', {}, { code: 'model-stream' });
  }));
});

// prettier-ignore
describe('a model that ends wrongly', () => {
  it.each<[string, readonly Delta[], string, string, RegExp]>([
    ['completes without finish', [text('hi')], '(t#)', 'model-transport', /ended before its finish/],
    ['says nothing at all', [], '#', 'model-transport', /ended before its finish/],
    ['finishes twice', [text('hi'), finish('stop'), finish('stop')], '(t#)', 'model-protocol', /sent "finish" after its finish/],
    ['speaks after its finish', [text('hi'), finish('stop'), text('ho')], '(t#)', 'model-protocol', /sent "text" after its finish/],
    ['calls after its finish', [text('hi'), finish('tool-use'), ...at(0)], '(t#)', 'model-protocol', /sent "tool-call-start" after its finish/],
    ['finishes with "error"', [text('hi'), finish('error')], '(t#)', 'model-stream', /ended its turn with reason "error"/],
    ['finishes with "aborted"', [text('hi'), finish('aborted')], '(t#)', 'model-stream', /ended its turn with reason "aborted"/],
    ['asks for tools without a call', [text('hi'), finish('tool-use')], '(t#)', 'model-protocol', /sent no complete call/],
    ['asks for tools with half a call', [start, args, finish('tool-use')], '#', 'model-protocol', /sent no complete call/],
  ])('%s fails the run, and shows no finish: row 7', (_how, deltas, events, code, message) => loopMarbles(({ expectEvents, expectValues }) => {
    const run$ = toolLoop({ ...options, model: model(() => from(deltas)) });

    expectEvents(run$).toBe(events, {}, { code, message });
    expectValues(run$.pipe(errorAsDone(), ofType('delta'), map(({ delta }) => delta.type), toArray(), map((types) => types.includes('finish')))).toBe('(x|)', { x: false });
  })());

  it('takes a usage after the finish for what it is: row 1', loopMarbles(({ expectEvents }) => {
    const deltas = [text('hi'), finish('stop'), usage({ inputTokens: 3 })];

    expectEvents(toolLoop({ ...options, model: model(() => from(deltas)) }), null, { lane: 'all' }).toBe('(SstufzL|)').having('z', { usage: { inputTokens: 3 } });
  }));

  it('never ends, with the timeouts on, after its finish too: row 7', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, time }) => {
    const idleMs = time('   -----|  ');
    const turn1 = turn(' -t-z------');
    const events = '     -t------#';

    expectEvents(toolLoop({ ...options, model: script(turn1), timeouts: { idleMs } })).toBe(events, {}, { code: 'model-timeout' });
    expectSubscriptions(turn1).toBe('^-------!');
  }));
});

// prettier-ignore
describe('a model that miscounts its calls', () => {
  it.each<[string, readonly Delta[], string, RegExp]>([
    ['starts one twice', [start, again], '#', /tool call 0 starts twice/],
    ['starts one again after its end', [start, args, end, again], '(c#)', /tool call 0 starts twice/],
    ['gives arguments of one that has not started', [args], '#', /arguments of tool call 0, which has not started/],
    ['gives arguments of one that has ended', [start, args, end, args], '(c#)', /arguments of tool call 0 after its end/],
    ['ends one that has not started', [end], '#', /the end of tool call 0, which has not started/],
  ])('%s fails the run: row 7', (_how, deltas, events, message) => loopMarbles(({ tool, expectEvents, expectSubscriptions }) => {
    const add = tool('(1|)');

    expectEvents(toolLoop({ ...options, model: model(() => from([...deltas, finish('tool-use')])), tools: [add] })).toBe(events, {}, { code: 'model-protocol', message });
    expectSubscriptions(add).toBe([]);
  })());

  it('with nothing shown yet is called again: row 6', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn('x-----', { x: args });
    const turn2 = turn('  -t-(z|)');
    const events = '    w--t-(zL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), retry: { count: 1, initialDelayMs: 2, jitter: 0 } })).toBe(events);
  }));

});

describe('the calls of one turn', () => {
  const turn2 = [text('ok', 'b'), finish('stop')];

  function results(deltas: readonly Delta[], ids: Ids = counted()): { readonly ran: unknown[]; readonly callIds: string[]; readonly events: LoopEvent[] } {
    const add = fakeTool(of('1'));
    const { events, error } = play(toolLoop({ ...options, model: script(from([...deltas, finish('tool-use')]), from(turn2)), tools: [add], ids }));
    expect(error).toBeUndefined();
    return { ran: add.calls, events, callIds: events.flatMap((event) => (event.type === 'tool-result' ? [event.callId] : [])) };
  }

  const counted = (): Ids => {
    let count = 0;
    return (kind) => `${kind}${++count}`;
  };

  it('run in the order of their indexes, whatever gaps those have', () => {
    expect(results([...at(7), ...at(2), ...at(1_000_000)]).ran).toEqual([{ at: 2 }, { at: 7 }, { at: 1_000_000 }]);
  });

  it('count once when one of them ends twice', () => {
    const { ran, events } = results([start, args, end, call('add', { a: 2 }, { index: 0, id: 'x' })[2] as Delta]);
    expect(ran).toEqual([{ a: 1 }]);
    expect(events.filter((event) => event.type === 'delta' && event.delta.type === 'tool-call-end')).toHaveLength(1);
  });

  it('leave no trace when they have no end', () => {
    const { ran, events } = results([...at(0), ...call('add', { a: 2 }, { index: 1, id: 'half' }).slice(0, 2)]);
    expect(ran).toEqual([{ at: 0 }]);
    const done = events.at(-1);
    expect(JSON.stringify(done)).not.toContain('half');
    expect(done).toMatchObject({ outcome: { reason: 'answer' } });
  });

  it.each([
    ['empty', ['', '']],
    ['repeated', ['x', 'x']],
  ])('get ids of their own when the provider sends %s ones', (_which, [first, second]) => {
    const { callIds, events } = results([...at(0, first), ...at(1, second)]);
    expect(new Set(callIds).size).toBe(2);
    expect(callIds).toEqual([first === '' ? expect.stringMatching(/^call\d+$/) : first, expect.stringMatching(/^call\d+$/)]);
    const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []));
    expect(calls.map(({ id }) => id)).toEqual(callIds);
    expect(calls[1]?.meta).toEqual(second === '' ? undefined : { providerId: 'x' });
  });

  it('get ids of their own when a port repeats itself or gives none', () => {
    expect(new Set(results([...at(0, ''), ...at(1, '')], () => 'same').callIds).size).toBe(2);
    expect(results([...at(0, ''), ...at(1, '')], () => '').callIds).not.toContain('');
  });

  it('do not take the id of a call in an earlier step, nor one in the conversation so far', () => {
    const add = fakeTool(of('1'));
    const messages: readonly Message[] = [
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'assistant', content: [{ type: 'tool-call', call: { id: 'x0', name: 'add', arguments: {} } }] },
      { role: 'tool', results: [{ callId: 'x0', name: 'add', content: [], isError: false }] },
    ];
    const ask = [...at(0), finish('tool-use')];
    const { events } = play(toolLoop({ model: script(from(ask), from(ask), from(turn2)), tools: [add], messages, ids: counted() }));
    const ids = events.flatMap((event) => (event.type === 'tool-result' ? [event.callId] : []));
    expect(new Set([...ids, 'x0']).size).toBe(3);
    expect(transcriptFaults((events.at(-1) as EventOf<'done'>).outcome.messages)).toEqual([]);
  });
});

describe('a model that is very quick', () => {
  it('ends in the tick in which it is asked', () => {
    const { events, ending } = play(toolLoop({ ...options, model: model(() => of(finish('stop'))) }));
    expect(ending).toBe('complete');
    expect(events.map(({ type }) => type)).toEqual(['run-start', 'step-start', 'delta', 'step-end', 'done']);
  });

  it('says 100,000 deltas in one tick, each of them shown', () => {
    const many = function* (): Generator<Delta> {
      for (let n = 0; n < 100_000; n++) yield n % 100 === 0 ? { type: 'alive' } : text('x');
      yield finish('stop');
    };
    const { events, ending } = play(toolLoop({ prompt: 'go', model: model(() => from(many())) }));
    expect(ending).toBe('complete');
    expect(events).toHaveLength(99_000 + 5);
    expect(events.at(-1)).toMatchObject({ outcome: { completion: { text: 'x'.repeat(99_000) } } });
  });
});

describe('a reader that throws', () => {
  const turns = () => script(from([...at(0), finish('tool-use')]), from([text('hi'), finish('stop')]));
  const add = () => fakeTool(of('1'));
  const types = play(toolLoop({ ...options, model: turns(), tools: [add()] })).events.map(({ type }) => type);

  /** What the host is told while `body` runs and the errors of that tick are reported. */
  async function reported(body: () => void): Promise<unknown[]> {
    const errors: unknown[] = [];
    const before = config.onUnhandledError;
    config.onUnhandledError = (error) => errors.push(error);
    try {
      body();
      await new Promise((resolve) => setTimeout(resolve));
    } finally {
      config.onUnhandledError = before;
    }
    return errors;
  }

  it('in `next` is reported to the host, every time, and the run goes on', async () => {
    const seen: EventType[] = [];
    const errors = await reported(() => {
      toolLoop({ ...options, model: turns(), tools: [add()] }).subscribe(({ type }) => {
        seen.push(type);
        throw new Error(type);
      });
    });
    expect(seen).toEqual(types);
    expect(errors.map((error) => (error as Error).message)).toEqual(types);
  });

  it.each([...new Set(types)])('in an operator, at %s, leaves the run: no further call or tool, and its own error', (type) => {
    const asked = turns();
    const tool = add();
    const seen: EventType[] = [];
    const thrown = new Error('mine');
    let error: unknown;
    toolLoop({ ...options, model: asked, tools: [tool] }).pipe(map((event) => {
      seen.push(event.type);
      if (event.type === type) throw thrown;
    })).subscribe({ error: (given: unknown) => (error = given) });
    const stop = types.indexOf(type);
    expect(error).toBe(thrown);
    expect(seen).toEqual(types.slice(0, stop + 1));
    expect(asked.requests.length).toBe(stop > types.indexOf('step-start') ? 1 + Number(stop > types.lastIndexOf('step-start')) : 0);
    expect(tool.calls.length).toBe(Number(stop > types.indexOf('tool-start')));
  });
});
