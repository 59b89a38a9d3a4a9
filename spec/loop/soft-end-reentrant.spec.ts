import { describe, expect, it } from '@jest/globals';
import { from, NEVER, of, Subject, tap } from 'rxjs';
import { toolLoop } from '../../lib/index.ts';
import type { Delta, EventType, LoopEvent, Policy } from '../../lib/index.ts';
import { call, fakeTool, finish, script, text } from '../../marbles/index.ts';
import { play } from '../support/play.ts';

const prompt = 'go';

// Rule 3 of docs/semantics.md without time: a reader that stops the run inside `next`, and what a run leaves on a signal.

interface Stopped {
  readonly events: readonly LoopEvent[];
  readonly ending: string;
  readonly requests: number;
  readonly bodies: number;
}

describe('what was delivered before the signal counts, in the same tick too', () => {
  /** A run whose model and tools answer at once, told to stop inside `next` at the event with this number. */
  function stoppedAt(count: number, turns: readonly (readonly Delta[])[], policy: Partial<Policy> = {}): Stopped {
    const abort$ = new Subject<void>();
    const model = script(...turns.map((deltas) => from(deltas)));
    const add = fakeTool(of('1'));
    let seen = 0;
    const run$ = toolLoop({ model, tools: [add], prompt, abort$, policy, retry: { count: 0 }, steering$: of('left') });
    const { events, ending } = play(run$.pipe(tap(() => void (++seen === count && abort$.next()))));
    return { events, ending, requests: model.requests.length, bodies: add.calls.length };
  }
  const answer = [text('a', 'b'), text('b', 'b'), text('c', 'b'), finish('stop')];
  const twoCalls = [...call('add', {}, { index: 0, id: 'x' }), ...call('add', {}, { index: 1, id: 'y' }), finish('tool-use')];
  const types = (events: readonly LoopEvent[]): EventType[] => events.map(({ type }) => type);

  it('the text that was shown is kept, and no more is shown', () => {
    const { events } = stoppedAt(5, [answer]);
    expect(types(events)).toEqual(['run-start', 'steering', 'step-start', 'delta', 'delta', 'step-end', 'done']);
    expect(events.at(-1)).toMatchObject({ outcome: { reason: 'aborted', completion: { text: 'ab' }, answer: { content: [{ text: 'ab' }], finish: 'aborted' } } });
  });

  it('a finish that was shown is the finish of its step', () => {
    const { events } = stoppedAt(7, [answer]);
    expect(events[6]).toMatchObject({ type: 'delta', delta: { type: 'finish' } });
    expect(events[7]).toMatchObject({ type: 'step-end', finish: 'stop' });
  });

  const broken = [text('a', 'x'), ...call('add', {}, { index: 0, id: 'z' })];

  it.each<[string, readonly (readonly Delta[])[], Partial<Policy>]>([
    ['two tools', [twoCalls, answer], {}],
    ['a correction', [broken, answer], {}],
    ['a withdrawn attempt', [broken, answer], { streamFailure: { retract: 1 } }],
  ])('at every event of a run with %s, it ends well, starts nothing more, and answers each call once', (_what, turns, policy) => {
    const whole = stoppedAt(Infinity, turns, policy);
    expect(whole).toMatchObject({ ending: 'complete', requests: 2 });
    for (const [at, { type }] of whole.events.slice(0, -1).entries()) {
      const { events, ending, requests, bodies } = stoppedAt(at + 1, turns, policy);
      const before = types(whole.events.slice(0, at + 1));
      const seen = (one: EventType): number => before.filter((other) => other === one).length;
      const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []));
      const results = events.flatMap((event) => (event.type === 'tool-result' ? [event.callId] : []));
      expect({ at, before, ending, requests, bodies, results }).toEqual({
        at,
        before: types(events).slice(0, at + 1),
        ending: 'complete',
        requests: seen('step-start') - (type === 'step-start' ? 1 : 0),
        bodies: seen('tool-start') - (type === 'tool-start' ? 1 : 0),
        results: calls,
      });
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
      const model = run % 3 === 1 ? script() : script(run % 3 === 0 ? from([text('hi'), finish('stop')]) : NEVER);
      play(toolLoop({ model, prompt, abort$: signal })).leave();
    }
    expect(counts).toEqual({ added: 1_000, removed: 1_000, most: 1 });
  });
});
