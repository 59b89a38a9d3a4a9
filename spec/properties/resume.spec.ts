import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { tap } from 'rxjs';
import { resumeToolLoop, toolLoop } from '../../lib/index.ts';
import type { Checkpoint, EventOf, LoopEvent } from '../../lib/index.ts';
import { play } from '../support/play.ts';
import type { Played } from '../support/play.ts';
import { byCall, inPieces, isSpentTwice, restOf, timeless } from './resume-pieces.ts';
import { resumeScenario } from './resume-scenario.ts';
import { inFlight, newWorld, suspended } from './resume-play.ts';
import { optionsOf } from './resume-world.ts';
import type { Kept } from './resume-world.ts';
import { again, seed } from './seed.ts';

beforeAll(() => console.log(`Random runs that go on; the same again: ${again}`));

const numRuns = 500;
const endOf = ({ ending, error, events }: Played): unknown[] => [ending, error instanceof Error ? error.message : error, timeless(events.slice(-1))];

describe('a run that is suspended and goes on', () => {
  const met = new Map<string, number>();
  const note = (thing: string): void => void met.set(thing, (met.get(thing) ?? 0) + 1);

  it('says what it says when it is answered in flight, a request at a time', () => {
    fc.assert(fc.property(resumeScenario, (scenario) => {
      const whole = inFlight(scenario, false);
      const { world, pieces } = suspended(scenario, false);
      expect(whole.played.ending).not.toBe('none');
      expect(timeless(inPieces(pieces))).toEqual(timeless(whole.played.events));
      expect(endOf(pieces.at(-1) as Played)).toEqual(endOf(whole.played));
      expect(world.bodies.filter((one) => !one.includes('/')).sort()).toEqual(whole.world.bodies.filter((one) => !one.includes('/')).sort());
      expect(new Set(world.bodies).size).toBe(world.bodies.length);
      expect(world.exchanges).toBe(whole.world.exchanges);
      if (pieces.length > 1) note('suspended');
      if (pieces.length > 2) note('suspended again');
      for (const event of whole.played.events) {
        note(event.type);
        if (event.type === 'approval-answer') note(`${event.parent === undefined ? 'own' : 'nested'} ${event.kind} ${event.answer.type}`);
      }
    }), { numRuns, seed });
  });

  it('says the same of each call, and ends the same, when all requests are answered at once', () => {
    fc.assert(fc.property(resumeScenario, (scenario) => {
      const whole = inFlight(scenario, true);
      const { world, pieces } = suspended(scenario, true);
      expect(byCall(inPieces(pieces))).toEqual(byCall(whole.played.events));
      expect(endOf(pieces.at(-1) as Played)).toEqual(endOf(whole.played));
      expect(new Set(world.bodies).size).toBe(world.bodies.length);
    }), { numRuns: 200, seed });
  });

  it('goes on from every checkpoint as if nothing had happened', () => {
    fc.assert(fc.property(resumeScenario, (scenario) => {
      const world = newWorld(scenario, 'answers late');
      const events: LoopEvent[] = [];
      const all: Kept[] = [];
      const onCheckpoint = (checkpoint: Checkpoint): void => void all.push({ json: JSON.stringify(checkpoint), events: events.length, exchanges: world.exchanges, ids: world.ids });
      const whole = play(toolLoop({ ...optionsOf(world), prompt: 'go', runId: 'run', onCheckpoint }).pipe(tap((event) => events.push(event))));
      world.scheduler.flush();
      for (const { json, events: heard, exchanges, ids } of all) {
        const checkpoint = JSON.parse(json) as Checkpoint;
        if (isSpentTwice(whole.events, heard, checkpoint)) continue;
        const later = { ...newWorld(scenario, 'answers late'), ids };
        const played = play(resumeToolLoop(checkpoint, {}, optionsOf(later)));
        later.scheduler.flush();
        expect(byCall(played.events.slice(1))).toEqual(byCall(restOf(whole.events, heard, checkpoint)));
        expect(endOf(played)).toEqual(endOf(whole));
        const settled = checkpoint.batch?.calls.filter((one) => one.settled !== undefined).map(({ call: { id } }) => `run ${id}`) ?? [];
        expect(later.bodies.filter((one) => settled.includes(one))).toEqual([]);
        if (!events.slice(0, heard).some((event) => event.parent !== undefined)) expect(later.exchanges).toBe(world.exchanges - exchanges);
        note(checkpoint.batch === undefined ? (checkpoint.attempt > 1 ? 'from an attempt' : 'from a boundary') : settled.length > 0 ? 'from a settled call' : 'from a batch');
      }
    }), { numRuns: 200, seed });
  });

  afterAll(() => {
    const wanted: (string | EventOf<never>['type'])[] = [
      'suspended', 'suspended again', 'step-retract', 'correction', 'retry', 'own approval approve', 'own approval decline', 'own result result', 'nested approval approve', 'nested result result',
      'own input input', 'from an attempt', 'from a boundary', 'from a settled call', 'from a batch',
    ];
    expect(wanted.filter((one) => !met.has(one))).toEqual([]);
  });
});
