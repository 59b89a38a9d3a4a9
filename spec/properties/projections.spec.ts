import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { concat, from, lastValueFrom, throwError, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import { coalesce, errorAsDone, foldState, historyOf, initialState, toState, userMessage } from '../../lib/index.ts';
import type { EventOf, LoopEvent, LoopState } from '../../lib/index.ts';
import { applyPatches, fromWireState, toPatches, toWireState } from '../../lib/projections/patches.ts';
import type { StateUpdate } from '../../lib/projections/patches.ts';
import { playScenario } from './play-scenario.ts';
import { randomScenario } from './random-scenario.ts';
import { again, seed } from './seed.ts';

/** What a host or a nested run says between the events of a run; `at` is a share of the run. */
const aside = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  what: fc.constantFrom('plan', 'title', 'status', 'silence', 'custom', 'state', 'whole state', 'bad state', 'ask', 'compact', 'drop'),
  word: fc.constantFrom('a', 'b/c', 'd~e', '', 'toString'),
  n: fc.nat(9),
});
type Aside = typeof aside extends fc.Arbitrary<infer T> ? T : never;

const said = fc.record({ scenario: randomScenario, inner: randomScenario, asides: fc.array(aside, { maxLength: 12 }), isNested: fc.boolean() });
type Said = typeof said extends fc.Arbitrary<infer T> ? T : never;

/** What stands in one place alone is said there each time. */
const WHERE: Partial<Record<Aside['what'], LoopEvent['type']>> = { compact: 'step-start', ask: 'tool-start', drop: 'tool-result' };

const pointer = (word: string): string => word.replaceAll('~', '~0').replaceAll('/', '~1');

function eventsOf({ at: _at, what, word, n }: Aside, runId: string, near: LoopEvent | undefined): LoopEvent[] {
  switch (what) {
    case 'plan':
      return [{ type: 'plan', runId, entries: [{ content: word, status: 'pending' }] }];
    case 'title':
      return [{ type: 'title', runId, title: word }];
    case 'status':
      return [{ type: 'status', runId, text: `at ${word}`, ...(n > 5 && { data: { n } }) }];
    case 'silence':
      return [{ type: 'status', runId, text: '' }];
    case 'custom':
      return [{ type: 'custom', runId, name: word, data: n }];
    case 'state':
      return [{ type: 'state', runId, patch: [{ op: 'add', path: `/${pointer(word)}`, value: [n] }, { op: 'add', path: `/${pointer(word)}/-`, value: { n } }, { op: 'copy', from: `/${pointer(word)}`, path: '/last' }] }];
    case 'whole state':
      return [{ type: 'state', runId, patch: [{ op: 'replace', path: '', value: { n } }] }];
    case 'bad state':
      return [{ type: 'state', runId, patch: [{ op: 'add', path: '/x', value: 1 }, { op: 'remove', path: `/missing/${n}` }] }];
    case 'compact':
      return near?.type === 'step-start' ? [{ type: 'compaction', runId, removed: 2, kept: n % 3, summary: [userMessage(`summary ${word}`)] }] : [];
    case 'ask': {
      if (near?.type !== 'tool-start' || near.runId !== runId) return [];
      const asked = { runId, step: near.step, callId: near.callId, id: `q${near.callId}`, kind: 'approval' } as const;
      return [{ ...asked, type: 'approval-request', call: near.call }, ...(n > 3 ? [{ ...asked, type: 'approval-answer', answer: { type: 'approve' } } as const] : [])];
    }
    case 'drop':
      return near?.type === 'tool-result' ? [{ type: 'tool-dropped', runId, step: near.step, callId: near.callId, elapsedMs: 1, reason: n > 4 ? 'restarted' : 'late' }] : [];
  }
}

/** The events of a random run, with what is said beside it, and its failure as a last event. */
function tell({ scenario, inner, asides, isNested }: Said): Promise<LoopEvent[]> {
  const { events, ending, error } = playScenario(scenario);
  const runId = events[0]?.runId ?? 'run';
  const told = events.flatMap((event, at): LoopEvent[] => {
    const here = asides.filter((one) => at > 0 && (WHERE[one.what] === event.type || (WHERE[one.what] === undefined && Math.floor(one.at * events.length) === at)));
    const nested = isNested && event.type === 'tool-start' ? playScenario(inner).events.map((one) => ({ ...one, runId: `inner ${event.callId}`, parent: { runId, callId: event.callId } })) : [];
    return [...here.flatMap((one) => eventsOf(one, runId, event)), event, ...nested];
  });
  const run$: Observable<LoopEvent> = ending === 'error' ? concat(from(told), throwError(() => error)) : from(told);
  return lastValueFrom(run$.pipe(errorAsDone(), toArray()), { defaultValue: [] });
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
  return value;
}

const options = { messages: [userMessage('go')] };
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe(`the projections of any run (${again})`, () => {
  it('make the same states of patches, also of patches that went through JSON', async () => {
    const tried = new Set<string>();
    await fc.assert(fc.asyncProperty(said, async (one) => {
      const events = await tell(one);
      for (const event of events) tried.add(event.type).add(event.parent === undefined ? 'outer' : 'nested');
      const states = await lastValueFrom(from(events).pipe(toState(options), toArray()));
      const updates = await lastValueFrom(from(events).pipe(toPatches(options), toArray()));
      expect(await lastValueFrom(from(updates).pipe(applyPatches(), toArray()))).toEqual(states);
      const sent = updates.map((update) => json(update) as StateUpdate);
      expect(await lastValueFrom(from(sent).pipe(applyPatches(), toArray()))).toEqual(json(states));
      expect(sent).toEqual(json(updates));
      expect(json(states.at(-1))).toEqual(json(fromWireState(json(toWireState(states.at(-1) as LoopState)) as ReturnType<typeof toWireState>)));
    }), { numRuns: 500, seed });
    for (const type of ['step-retract', 'correction', 'steering', 'compaction', 'approval-request', 'state', 'retry', 'nested', 'done']) expect([...tried]).toContain(type);
  });

  it('fold states that never change', async () => {
    await fc.assert(fc.asyncProperty(said, async (one) => {
      let state = freeze(initialState(options.messages));
      for (const event of await tell(one)) state = freeze(foldState(state, freeze(event)));
    }), { numRuns: 200, seed });
  });

  it('fold what the run came to', async () => {
    await fc.assert(fc.asyncProperty(randomScenario, async (scenario) => {
      const events = await tell({ scenario, inner: scenario, asides: [], isNested: false });
      const last = events.at(-1);
      if (last?.type !== 'done') return;
      const states = await lastValueFrom(from(events).pipe(toState(), toArray()));
      const { messages, calls, requests, retry, usage, reason } = states.at(-1) as LoopState;
      expect([requests, retry, usage, reason]).toEqual([[], undefined, last.outcome.usage, last.outcome.reason]);
      expect(messages.filter(({ state }) => state === 'provisional')).toEqual([]);
      expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
      const history = historyOf(last.outcome);
      const results = history.flatMap((one) => (one.role === 'tool' ? one.results : []));
      expect(calls.flatMap(({ result }) => result ?? [])).toEqual(results);
      const texts = history.flatMap((one) => (one.role === 'assistant' ? [lettersOf(one.content)] : []));
      expect(messages.flatMap(({ role, blocks }) => (role === 'assistant' ? lettersOf(blocks) || [] : []))).toEqual(texts.filter((text) => text !== ''));
    }), { numRuns: 300, seed });
  });

  it('merge deltas without changing what they say', async () => {
    await fc.assert(fc.asyncProperty(said, async (one) => {
      const events = await tell(one);
      const merged = await lastValueFrom(from(events).pipe(coalesce({ ms: 10 }), toArray()));
      expect(merged.length).toBeLessThanOrEqual(events.length);
      expect(merged.filter(({ type }) => type !== 'delta')).toEqual(events.filter(({ type }) => type !== 'delta'));
      expect(merged.reduce<LoopState>(foldState, initialState())).toEqual(events.reduce<LoopState>(foldState, initialState()));
      const neighbours = merged.map((event, n) => [event, merged[n + 1]] as const).filter(([a, b]) => a.type === 'delta' && b?.type === 'delta' && isOne(a, b));
      expect(neighbours).toEqual([]);
    }), { numRuns: 200, seed });
  });
});

function isOne(a: EventOf<'delta'>, b: EventOf<'delta'>): boolean {
  const place = ({ runId, step, delta }: EventOf<'delta'>): unknown[] => [runId, step, delta.type, 'block' in delta ? delta.block : 'index' in delta ? delta.index : ''];
  return ['text', 'refusal', 'reasoning', 'tool-call-arguments'].includes(a.delta.type) && JSON.stringify(place(a)) === JSON.stringify(place(b));
}

/** The characters of its text, whatever blocks they came in. */
function lettersOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  const text = parts.reduce((all, { type, text: more = '' }) => (type === 'text' ? all + more : all), '');
  return [...text].sort().join('');
}
