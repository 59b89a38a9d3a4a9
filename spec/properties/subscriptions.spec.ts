import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defer, EMPTY, VirtualTimeScheduler } from 'rxjs';
import { toolLoop } from '../../lib/index.ts';
import type { Model, ToolContext } from '../../lib/index.ts';
import { fakeTool, finish, text } from '../../marbles/index.ts';
import { play } from '../support/play.ts';
import { TOOL_NAMES, randomScenario, scheduleOf } from './random-scenario.ts';
import type { Scenario } from './random-scenario.ts';
import { seed } from './seed.ts';
import { answered, spoken } from './speech.ts';

/** The run of a scenario with a model that remembers nothing: what it says depends on what it is asked. */
function runOf({ turns, tools, schedule, policy, retry, budget, random }: Scenario, scheduler: VirtualTimeScheduler, requests: { made: number }) {
  const model: Model = {
    id: 'm', provider: 'random', capabilities: ['tools'], contextWindow: 100, price: { input: 1, output: 2 },
    stream: ({ messages }) =>
      defer(() => {
        requests.made += 1;
        const turn = turns[messages.length - 1] ?? { said: [[0, text('over', 'b')], [0, finish('stop')]] as const, end: 'complete' as const };
        return spoken(turn, scheduler);
      }),
  };
  return toolLoop({
    model, prompt: 'go', policy, retry, budget, schedule: scheduleOf(schedule), scheduler, random: () => random,
    // Always the same id: the run tells them apart by itself, so that two runs make the same ones.
    runId: 'run', ids: (kind) => kind,
    tools: TOOL_NAMES.map((name) => ({
      ...fakeTool(EMPTY, { name, parallelSafe: tools[name].parallelSafe }),
      run: (_args: never, context: ToolContext) => answered(tools[name], context, scheduler),
    })),
  });
}

describe('a run is cold', () => {
  it('asks nobody anything before it is subscribed, and two readers at once have a run each', () => {
    let steps = 0;
    fc.assert(fc.property(randomScenario, (scenario) => {
      const scheduler = new VirtualTimeScheduler();
      const requests = { made: 0 };
      const run$ = runOf(scenario, scheduler, requests);
      scheduler.flush();
      expect([requests.made, scheduler.actions.length]).toEqual([0, 0]);

      const [first, second] = [play(run$), play(run$)];
      scheduler.flush();
      expect(second.events).toEqual(first.events);
      expect([second.ending, String(second.error)]).toEqual([first.ending, String(first.error)]);
      expect(requests.made % 2).toBe(0);
      steps += first.events.filter(({ type }) => type === 'step-end').length;
      first.leave();
      second.leave();
      expect(scheduler.actions).toEqual([]);
    }), { numRuns: 200, seed });
    expect(steps).toBeGreaterThan(50);
  });
});
