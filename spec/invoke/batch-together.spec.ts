import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { concatMap, map, of, timer, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import { ConfigError } from '../../lib/errors.ts';
import { batch } from '../../lib/invoke/batch.ts';
import type { BatchContext } from '../../lib/invoke/batch.ts';
import type { BatchEvent } from '../../lib/invoke/suspended.ts';
import { toolCall } from '../../lib/message.ts';
import { concurrent, parallelSafe } from '../../lib/schedule.ts';
import type { CallGroup, Schedule } from '../../lib/schedule.ts';
import type { Tool } from '../../lib/tool.ts';
import { fakeTool } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// How calls run together: `a` `b` `c` tool-call, `i` `j` `k` tool-start, `p` progress, `m` `n` `o` tool-commit, `1` `2` `3` tool-result.

const NAMES = ['first', 'second', 'third'] as const;
const calls = NAMES.map((name, index) => toolCall(`c${index}`, name, '{}'));
const context = (tools: readonly Tool[], change: Partial<BatchContext> = {}): BatchContext => ({
  runId: 'r',
  step: 0,
  tools: new Map(tools.map((tool) => [tool.name, tool])),
  scheduler: { now: () => 0 } as never,
  policy: { toolErrorText: 'whole' },
  schedule: concurrent(3),
  graceMs: 0,
  isStopped: () => false,
  mayNotStart: () => undefined,
  later: () => undefined,
  ...change,
});

const LETTERS: Readonly<Record<string, string>> = { 'tool-call': 'abc', 'tool-start': 'ijk', 'tool-progress': 'pqr', 'tool-commit': 'mno', 'tool-result': '123' };
const callOf = (event: BatchEvent): string => ('callId' in event ? event.callId : '');
const letter = (event: BatchEvent): string => LETTERS[event.type]?.[Number(callOf(event).slice(1))] ?? '?';
const drawn = (events$: Observable<BatchEvent>): Observable<string> => events$.pipe(map(letter));
const resultsOf = (events: readonly BatchEvent[]): string[] => events.flatMap((event) => (event.type === 'tool-result' ? [event.callId] : []));

// prettier-ignore
describe('a batch whose calls run together', () => {
  it('starts all at once, and gives the results in call order', loopMarbles(({ tool, scheduler, expectValues, expectSubscriptions }) => {
    const first = tool('  ---------(1|)      ', { name: 'first' });
    const second = tool(' ------(2|)         ', { name: 'second' });
    const third = tool('  ---------------(3|)', { name: 'third' });
    const expected = '    (abcijk)-(m1n2)(o3|)';

    expectValues(drawn(batch(calls, context([first, second, third], { scheduler })))).toBe(expected);
    expectSubscriptions(first).toBe(' ^--------!');
    expectSubscriptions(second).toBe('^-----!');
    expectSubscriptions(third).toBe(' ^--------------!');
  }));

  it('never runs more than the bound; the next in call order starts when one has ended', loopMarbles(({ tool, scheduler, expectValues, expectSubscriptions }) => {
    const first = tool('  --------------(1|)   ', { name: 'first' });
    const second = tool(' -------(2|)          ', { name: 'second' });
    const third = tool('         ----(3|)      ', { name: 'third' });
    const expected = '    (abcij)k------(m1n2o3|)';

    expectValues(drawn(batch(calls, context([first, second, third], { scheduler, schedule: concurrent(2) })))).toBe(expected);
    expectSubscriptions(third).toBe('-------^---!');
  }));

  it('takes a bound of 0 for 1', loopMarbles(({ tool, scheduler, expectValues }) => {
    const tools = NAMES.map((name) => tool('------(x|)', { name }));
    const expected = '(abci)(m1j)-(n2k)-(o3|)';

    expectValues(drawn(batch(calls, context(tools, { scheduler, schedule: concurrent(0) })))).toBe(expected);
  }));

  it('shows at once what happens while a call runs, also of one whose result has to wait', loopMarbles(({ tool, scheduler, expectValues }) => {
    const first = tool('  ---------------(1|)            ', { name: 'first' });
    const second = tool(' --x------(2|)                  ', { name: 'second' });
    const third = tool('  --y------------------z---(3|)  ', { name: 'third' });
    const expected = '    (abcijk)-q-----(m1n2)r---(so3|) ';

    const events$ = batch(calls, context([first, second, third], { scheduler }));

    expectValues(events$.pipe(map((event) => (event.type === 'tool-progress' && event.progress === 'z' ? 's' : letter(event))))).toBe(expected);
  }));

  it('does not let a call that fails disturb another', loopMarbles(({ tool, scheduler, expectValues, expectSubscriptions }) => {
    const first = tool('  ---------(1|)      ', { name: 'first' });
    const second = tool(' ------#            ', { name: 'second' });
    const third = tool('  ---------------(3|)', { name: 'third' });
    const expected = '    (abcijk)-(m1n2)(o3|)';

    const events$ = batch(calls, context([first, second, third], { scheduler }));

    expectValues(drawn(events$)).toBe(expected);
    expectValues(events$.pipe(concatMap((event) => (event.type === 'tool-result' ? [event.result.isError] : [])))).toBe('---------(ft)--(f|)', { f: false, t: true });
    expectSubscriptions(third).toBe(['^--------------!', '^--------------!']);
  }));

  it('lets an unsafe call run alone between safe ones, with `parallelSafe`', loopMarbles(({ tool, scheduler, expectValues, expectSubscriptions }) => {
    const first = tool('  ------(1|)           ', { name: 'first', parallelSafe: true });
    const second = tool('       -----(2|)      ', { name: 'second' });
    const third = tool('             -----(3|) ', { name: 'third', parallelSafe: true });
    const expected = '    (abci)(m1j)(n2k)(o3|)';

    expectValues(drawn(batch(calls, context([first, second, third], { scheduler, schedule: parallelSafe(8) })))).toBe(expected);
    expectSubscriptions(first).toBe(' ^-----!');
    expectSubscriptions(second).toBe('------^----!');
    expectSubscriptions(third).toBe(' -----------^----!');
  }));

  it('lets safe calls run together before an unsafe one', loopMarbles(({ tool, scheduler, expectValues, expectSubscriptions }) => {
    const first = tool('  -------(1|)        ', { name: 'first', parallelSafe: true });
    const second = tool(' -----------(2|)     ', { name: 'second', parallelSafe: true });
    const third = tool('             -----(3|)', { name: 'third' });
    const expected = '    (abcij)(m1)(n2k)(o3|)';

    expectValues(drawn(batch(calls, context([first, second, third], { scheduler, schedule: parallelSafe(8) })))).toBe(expected);
    expectSubscriptions(third).toBe('-----------^----!');
  }));

  it('keeps the place of a call that does not run', loopMarbles(({ tool, scheduler, expectValues }) => {
    const first = tool('  -------(1|)    ', { name: 'first' });
    const third = tool('  ------------(3|)', { name: 'third' });
    const expected = '    (abcik)(m12)(o3|)';

    expectValues(drawn(batch(calls, context([first, third], { scheduler })))).toBe(expected);
  }));

  it('leaves every call that runs with the subscriber, and starts no other', loopMarbles(({ tool, scheduler, expectValues, expectSubscriptions }) => {
    const first = tool('  ---------(1|)', { name: 'first' });
    const second = tool(' ---------(2|)', { name: 'second' });
    const third = tool('  ---------(3|)', { name: 'third' });
    const leave = '       ---!         ';

    expectValues(drawn(batch(calls, context([first, second, third], { scheduler, schedule: concurrent(2) }))), leave).toBe('(abcij)');
    expectSubscriptions(first).toBe('^--!');
    expectSubscriptions(second).toBe('^--!');
    expectSubscriptions(third).toBe([]);
  }));

  it('gives a bound its due in each group', loopMarbles(({ tool, scheduler, expectValues, expectSubscriptions }) => {
    const first = tool('  -------(1|)         ', { name: 'first' });
    const second = tool('        -------(2|)  ', { name: 'second' });
    const third = tool('         -------(3|)  ', { name: 'third' });
    const schedule: Schedule = ([one, ...rest]) => [{ calls: one === undefined ? [] : [one], bound: 5 }, { calls: rest, bound: 5 }];
    const expected = '    (abci)-(m1jk)-(n2o3|)';

    expectValues(drawn(batch(calls, context([first, second, third], { scheduler, schedule })))).toBe(expected);
    expectSubscriptions(third).toBe('-------^------!');
  }));
});

describe('a schedule', () => {
  it.each<[string, (groups: readonly CallGroup[]) => readonly CallGroup[]]>([
    ['loses a call', ([group]) => [{ bound: 1, calls: group?.calls.slice(1) ?? [] }]],
    ['gives nothing back', () => []],
    ['gives a call twice', ([group]) => [{ bound: 1, calls: [...(group?.calls ?? []), ...(group?.calls.slice(0, 1) ?? [])] }]],
    ['gives one twice in place of another', ([group]) => [{ bound: 1, calls: group?.calls.map((_, __, all) => all[0] as never) ?? [] }]],
    ['makes a call of its own', ([group]) => [{ bound: 1, calls: group?.calls.map((one) => ({ ...one, call: { ...one.call } })) ?? [] }]],
  ])('that %s is misuse, and nothing runs', (_name, change) => {
    const tools = NAMES.map((name) => fakeTool(of(1), { name }));
    const schedule: Schedule = (given) => change(concurrent(3)(given));
    expect(() => batch(calls, context(tools, { schedule })).subscribe()).toThrow(new ConfigError('toolLoop: schedule must give every call back once.'));
    expect(tools.flatMap((tool) => tool.calls)).toEqual([]);
  });

  // prettier-ignore
  it('may change the order of the calls; results come in call order all the same', loopMarbles(({ tool, scheduler, expectValues }) => {
    const first = tool('           ----(1|)   ', { name: 'first' });
    const second = tool(' -------(2|)          ', { name: 'second' });
    const third = tool('         --(3|)        ', { name: 'third' });
    const schedule: Schedule = ([one, ...rest]) => [{ calls: rest, bound: 1 }, { calls: one === undefined ? [] : [one], bound: 1 }];
    const expected = '    (abcj)-k-i---(m1n2o3|)';

    expectValues(drawn(batch(calls, context([first, second, third], { scheduler, schedule })))).toBe(expected);
  }));

  it('is given every call with its tool, and none where nothing is to run', () => {
    const tools = [fakeTool(of(1), { name: 'first' })];
    const given: unknown[] = [];
    const schedule: Schedule = (all) => (given.push(all), concurrent(3)(all));
    batch(calls, context(tools, { schedule })).subscribe();
    expect(given).toEqual([[{ call: calls[0], tool: tools[0] }, { call: calls[1], tool: undefined }, { call: calls[2], tool: undefined }]]);
    batch(calls, context(tools, { schedule }), 'Not executed.').subscribe();
    expect(given).toHaveLength(1);
  });
});

describe('any batch', () => {
  const duration = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9 }));
  const body = fc.record({ ms: duration, fails: fc.boolean(), safe: fc.boolean() });

  it('keeps its bound, starts in call order, answers in call order, and commits right before a result', () => {
    fc.assert(
      fc.property(fc.array(body, { minLength: 1, maxLength: 8 }), fc.nat(4), fc.boolean(), (bodies, bound, isSafe) => {
        const scheduler = new VirtualTimeScheduler();
        let [running, most] = [0, 0];
        const tools = bodies.map(({ ms, fails, safe }, index): Tool => ({
          ...fakeTool(of(), { name: `t${index}`, parallelSafe: safe }),
          run: () => {
            most = Math.max(most, (running += 1));
            const answer$ = ms === 0 ? of(index) : timer(ms, scheduler).pipe(map(() => index));
            return answer$.pipe(map((value) => { running -= 1; if (fails) throw new Error('no'); return value; }));
          },
        }));
        const asked = bodies.map((_, index) => toolCall(`c${index}`, `t${index}`, '{}'));
        const seen: BatchEvent[] = [];
        const schedule = isSafe ? parallelSafe(bound) : concurrent(bound);
        batch(asked, context(tools, { scheduler, schedule })).subscribe((event) => seen.push(event));
        scheduler.flush();
        const order = asked.map(({ id }) => id);
        expect(most).toBeLessThanOrEqual(Math.max(1, bound));
        expect(seen.flatMap((event) => (event.type === 'tool-start' ? [event.callId] : []))).toEqual(order);
        expect(resultsOf(seen)).toEqual(order);
        for (const [index, event] of seen.entries()) {
          if (event.type === 'tool-commit') expect(seen[index + 1]).toMatchObject({ type: 'tool-result', callId: event.callId });
        }
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});
