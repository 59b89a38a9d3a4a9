import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NEVER, of, Subject, VirtualTimeScheduler } from 'rxjs';
import { concurrent, defineTool, historyOf, toolLoop } from '../../lib/index.ts';
import type { EventOf, LoopEvent, ToolLoopOptions } from '../../lib/index.ts';
import { call, finish, script, text, verifyEvents } from '../../marbles/index.ts';
import * as z from 'zod';
import { transcriptFaults } from '../support/valid-transcript.ts';
import { seed } from './seed.ts';

// Promises do not live in virtual time: here each settles when, and in the order in which, the property says.

interface Settling {
  readonly fails: boolean;
  /** After the stop, or after its time. */
  readonly late: boolean;
}

const bodies = fc.array(fc.record({ fails: fc.boolean(), late: fc.boolean() }), { minLength: 1, maxLength: 4 });

/** A run of one step with a promise for each call, and how to settle them. */
function runOf(list: readonly Settling[], stop$: Subject<void>, more: Partial<ToolLoopOptions> = {}): { run$: ReturnType<typeof toolLoop>; settle: (n: number) => void; signals: AbortSignal[] } {
  const settlers: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  const waiting = (name: string, timeoutMs?: number) => defineTool({
    name, description: 'Waits.', input: z.object({ n: z.number() }), ...(timeoutMs !== undefined && { timeoutMs }),
    run: ({ n }: { n: number }, { signal }) =>
      new Promise((resolve, reject) => {
        signals.push(signal);
        settlers[n] = () => (list[n]?.fails === true ? reject(new Error(`No ${n}.`)) : resolve(n));
      }),
  });
  const asked = of(...list.flatMap(({ late }, n) => call(late ? 'hurry' : 'wait', { n }, { id: `c${n}`, index: n })), finish('tool-use'));
  const run$ = toolLoop({
    model: script(asked, of(text('over', 'b'), finish('stop'))), tools: [waiting('wait'), waiting('hurry', 5)], prompt: 'go', abort$: stop$, schedule: concurrent(8),
    scheduler: new VirtualTimeScheduler(), timeouts: { graceMs: 0 }, ...more,
  });
  return { run$, settle: (n) => settlers[n]?.(), signals };
}

const turnOfHost = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function read(run$: ReturnType<typeof toolLoop>) {
  const events: LoopEvent[] = [];
  let ending: unknown = 'none';
  const subscription = run$.pipe(verifyEvents()).subscribe({
    next: (event) => events.push(event),
    error: (error: unknown) => (ending = error),
    complete: () => (ending = 'complete'),
  });
  const all = <Type extends LoopEvent['type']>(type: Type): EventOf<Type>[] => events.filter((event): event is EventOf<Type> => event.type === type);
  return { events, all, subscription, ending: () => ending };
}

describe('a tool that returns a promise', () => {
  it('has one result, in call order, in whatever order the promises settle', async () => {
    await fc.assert(fc.asyncProperty(bodies, fc.infiniteStream(fc.nat()), async (list, order) => {
      const { run$, settle } = runOf(list, new Subject());
      const { all, ending } = read(run$);
      const left = list.map((_one, n) => n);
      while (left.length > 0) {
        settle(left.splice((order.next().value as number) % left.length, 1)[0] as number);
        if (((order.next().value as number) & 1) === 0) await turnOfHost();
      }
      await turnOfHost();
      expect(ending()).toBe('complete');
      expect(all('tool-result').map(({ callId, result }) => [callId, result.isError])).toEqual(list.map(({ fails }, n) => [`c${n}`, fails]));
      expect(all('tool-dropped')).toEqual([]);
    }), { numRuns: 100, seed });
  });

  it('is answered when the run is stopped; what it says later is no second result', async () => {
    let late = 0;
    await fc.assert(fc.asyncProperty(bodies, async (list) => {
      const stop$ = new Subject<void>();
      const { run$, settle, signals } = runOf(list, stop$);
      const { events, all, ending } = read(run$);
      for (const [n, one] of list.entries()) if (!one.late) settle(n);
      await turnOfHost();
      stop$.next();
      const whole = list.every((one) => !one.late);
      expect(all('tool-result').map(({ callId, result }) => [callId, result.isError])).toEqual(list.map((one, n) => [`c${n}`, one.late || one.fails]));
      expect(signals.map(({ aborted }) => aborted)).toEqual(list.map((one) => one.late));
      expect(ending()).toBe('complete');
      const { outcome } = events.at(-1) as EventOf<'done'>;
      expect(outcome.reason).toBe(whole ? 'answer' : 'aborted');
      expect(transcriptFaults(historyOf(outcome))).toEqual([]);
      const said = events.length;
      for (const [n, one] of list.entries()) if (one.late) settle(n);
      await turnOfHost();
      expect(events).toHaveLength(said);
      late += whole ? 0 : 1;
    }), { numRuns: 100, seed });
    expect(late).toBeGreaterThan(10);
  });

  it('that comes after its time is reported once, behind the result that it was answered with', async () => {
    let dropped = 0;
    await fc.assert(fc.asyncProperty(bodies, fc.nat(4), fc.infiniteStream(fc.nat()), async (list, timeAt, order) => {
      const scheduler = new VirtualTimeScheduler();
      const asked = of(...list.flatMap(({ late }, n) => call(late ? 'hurry' : 'wait', { n }, { id: `c${n}`, index: n })), finish('tool-use'));
      const { run$, settle } = runOf(list, new Subject(), { scheduler, model: script(asked, NEVER), timeouts: { firstDeltaMs: 0, idleMs: 0, stallMs: 0 } });
      const { all, ending, subscription } = read(run$);
      const left = list.map((_one, n) => n);
      const inTime = new Set<number>();
      for (let at = 0, isOver = false; left.length > 0; at++) {
        if (at === Math.min(timeAt, list.length - 1)) {
          scheduler.flush();
          isOver = true;
        }
        const n = left.splice((order.next().value as number) % left.length, 1)[0] as number;
        if (!isOver || list[n]?.late === false) inTime.add(n);
        settle(n);
        await turnOfHost();
      }
      // Still going, and nothing that the grammar forbids: the dropped call comes behind its own result.
      expect(ending()).toBe('none');
      expect(all('tool-result').map(({ callId, result }) => [callId, result.error?.kind])).toEqual(list.map(({ fails }, n) => [`c${n}`, !inTime.has(n) ? 'timeout' : fails ? 'other' : undefined]));
      const late = list.flatMap(({ fails }, n) => (inTime.has(n) ? [] : [[`c${n}`, fails]]));
      expect(all('tool-dropped').map(({ callId, isError }) => [callId, isError]).sort()).toEqual(late);
      dropped += late.length;
      subscription.unsubscribe();
    }), { numRuns: 150, seed });
    expect(dropped).toBeGreaterThan(20);
  });

  it('is heard no more once the reader has left, also where it fails', async () => {
    await fc.assert(fc.asyncProperty(bodies, async (list) => {
      const { run$, settle, signals } = runOf(list, new Subject());
      const { events, subscription } = read(run$);
      subscription.unsubscribe();
      const said = events.length;
      expect(signals.every(({ aborted }) => aborted)).toBe(true);
      for (const n of list.keys()) settle(n);
      // A rejection that nobody handles fails the test by itself.
      await turnOfHost();
      expect(events).toHaveLength(said);
    }), { numRuns: 50, seed });
  });
});
