import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EventType } from '../../lib/index.ts';
import { invariantFaults } from './invariants.ts';
import { playScenario } from './play-scenario.ts';
import { randomControl } from './random-control.ts';
import { randomScenario } from './random-scenario.ts';
import { again, seed } from './seed.ts';

beforeAll(() => console.log(`Random runs with hooks, approvals, eager tools and runs inside runs; the same again: ${again}`));

describe('a run with hooks, approvals, eager tools and runs inside runs', () => {
  it('keeps every invariant', () => {
    const tried = new Map<string, number>();
    const note = (thing: string): void => void tried.set(thing, (tried.get(thing) ?? 0) + 1);
    fc.assert(fc.property(randomScenario, randomControl, (scenario, control) => {
      const controlled = { ...scenario, control };
      const record = playScenario(controlled);
      expect(invariantFaults(controlled, record)).toEqual([]);
      for (const event of record.events) {
        note(event.parent === undefined ? event.type : `nested ${event.type}`);
        if (event.type === 'tool-start' && event.speculative) note('eager');
        if (event.type === 'correction') note(`correction ${event.cause}`);
        if (event.type === 'step-retract' && event.finish !== undefined) note('withdrawn by a hook');
        if (event.type === 'approval-answer') note(`answer ${event.answer.type}`);
        if (event.type === 'done') note(`reason ${event.outcome.reason}`);
      }
    }), { numRuns: 3_000, seed });
    const types: EventType[] = ['approval-request', 'tool-commit', 'tool-dropped', 'retry', 'fallback', 'steering'];
    const others = ['nested run-start', 'nested done', 'eager', 'correction hook', 'correction stream', 'withdrawn by a hook', 'answer approve', 'answer decline', 'answer stop', 'reason stopped', 'reason answer', 'reason aborted'];
    expect([...types, ...others].filter((one) => !tried.has(one))).toEqual([]);
  });
});
