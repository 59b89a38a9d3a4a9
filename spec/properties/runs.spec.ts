import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { config } from 'rxjs';
import type { EventType, Reason } from '../../lib/index.ts';
import { invariantFaults } from './invariants.ts';
import { playScenario } from './play-scenario.ts';
import type { Record } from './play-scenario.ts';
import { asking, limit, randomScenario } from './random-scenario.ts';
import { again, seed } from './seed.ts';

// What every run keeps, by number: 1 cold, and closed in the tick of leaving; 2 one ending; 3 one result for each call; 4 the
// text of a turn is that of its attempt; 5 usage adds up; 6 results in call order; 7 ids are unique; 8 no body without complete
// arguments; 11 nothing starts after a stop; 12 budgets bind; 13 fatal is final, transient as often as allowed; 14 a reader that
// throws. Not here: 9 (how far a model may be ahead of a slow reader) is in spec/projections/pull.spec.ts and
// spec/e2e/backpressure.spec.ts, 10 (work does not grow with what is past) in spec/bench, 15 (how bytes are split) in spec/bytes.

const unhandled: unknown[] = [];
const hearUnhandled = (error: unknown): void => void unhandled.push(error);

beforeAll(() => {
  console.log(`Random runs; the same again: ${again}`);
  config.onUnhandledError = hearUnhandled;
  process.on('unhandledRejection', hearUnhandled);
});
afterAll(() => {
  config.onUnhandledError = null;
  process.off('unhandledRejection', hearUnhandled);
});
/** RxJS reports what nobody handled in a timer of its own. */
const turnOfHost = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe('a run, whatever its model, its tools and its reader do', () => {
  const tried = new Map<string, number>();
  const note = ({ events, ending, left, error, stopped, together, hanging }: Record): void => {
    const last = events.at(-1);
    const things = [
      ...new Set(events.map(({ type }) => type)),
      `ending ${left ? 'left' : ending}`,
      ...(last?.type === 'done' ? [`reason ${last.outcome.reason}`] : []),
      ...(error === undefined ? [] : [`error ${(error as { code: string }).code}`]),
      ...(stopped === undefined || left ? [] : [`stop ${stopped.tools > 0 ? 'in a tool' : `after ${events[stopped.events - 1]?.type ?? 'nothing'}`}`]),
      ...(together.some(({ length }) => length > 1) ? ['tools together'] : []),
      ...(hanging === undefined ? [] : ['hanging']),
    ];
    for (const thing of things) tried.set(thing, (tried.get(thing) ?? 0) + 1);
  };

  it('keeps every invariant', async () => {
    fc.assert(fc.property(randomScenario, (scenario) => {
      const record = playScenario(scenario);
      note(record);
      expect(invariantFaults(scenario, record)).toEqual([]);
    }), { numRuns: 2_000, seed });
    await turnOfHost();
    expect(unhandled).toEqual([]);
  });

  it('was tried with everything that can happen', () => {
    const types: EventType[] = [
      'run-start', 'step-start', 'delta', 'retry', 'fallback', 'step-retract', 'step-end', 'tool-call', 'tool-start', 'tool-progress', 'tool-commit',
      'tool-result', 'correction', 'steering', 'status', 'done',
    ];
    const reasons: Reason[] = ['answer', 'max-steps', 'max-tokens', 'max-duration', 'aborted', 'length', 'content-filter', 'refusal'];
    const errors = ['model-http', 'model-transport', 'model-timeout', 'model-stream', 'model-protocol', 'budget', 'empty-answer', 'other'];
    const others = [
      'ending complete', 'ending error', 'ending left', 'hanging', 'tools together', 'stop in a tool', 'stop after nothing', 'stop after run-start', 'stop after delta', 'stop after step-end',
    ];
    const wanted = [...types, ...reasons.map((one) => `reason ${one}`), ...errors.map((one) => `error ${one}`), ...others];
    expect(wanted.filter((one) => !tried.has(one))).toEqual([]);
  });

  it('is the same run for a reader that throws [14]', async () => {
    fc.assert(fc.property(randomScenario, fc.nat(20), (scenario, n) => {
      let heard = 0;
      const thrown = playScenario(scenario, () => {
        if (heard++ === n) throw new Error('The reader threw.');
      });
      expect(invariantFaults(scenario, thrown)).toEqual([]);
      const quiet = playScenario(scenario);
      expect([thrown.events, thrown.frames, thrown.ending]).toEqual([quiet.events, quiet.frames, quiet.ending]);
    }), { numRuns: 200, seed });
    await turnOfHost();
    const reported = unhandled.splice(0);
    expect(reported.length).toBeGreaterThan(50);
    expect(new Set(reported.map(String))).toEqual(new Set(['Error: The reader threw.']));
  });

  it('ends by a budget where the model would go on for ever, with an answer where one is reserved [12]', () => {
    const calm = { steering: [], followUp: [], leave: { how: 'none' }, endless: true, policy: { budgetEnd: 'stop' } } as const;
    const turns = fc.array(asking, { minLength: 1, maxLength: 2 }).map((list) => list.map((said) => ({ said: said.map((delta) => [1, delta] as const), end: 'complete' as const })));
    const reasons = new Map<string, number>();
    fc.assert(fc.property(randomScenario, turns, limit, (scenario, asked, budget) => {
      const ready = { answer: 'value', delayMs: 1, parallelSafe: false } as const;
      const endless = { ...scenario, ...calm, steeringFails: undefined, turns: asked, budget, tools: { add: ready, mul: ready, bad: ready } };
      const record = playScenario(endless);
      expect(invariantFaults(endless, record)).toEqual([]);
      const last = record.events.at(-1);
      expect(last?.type).toBe('done');
      if (last?.type !== 'done') return;
      const { reason } = last.outcome;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      expect(['max-steps', 'max-tokens', 'max-cost', 'max-duration', 'repetition']).toContain(reason);
      const isReserved = record.exchanges.map(({ toolChoice }) => toolChoice === 'none');
      expect(isReserved).toEqual(isReserved.map((_one, n) => budget.lastStep === 'answer' && n === (budget.maxSteps ?? 0) - 1));
    }), { numRuns: 200, seed });
    for (const reason of ['max-steps', 'max-tokens', 'max-duration', 'repetition']) expect(reasons.get(reason) ?? 0).toBeGreaterThan(0);
  });
});
