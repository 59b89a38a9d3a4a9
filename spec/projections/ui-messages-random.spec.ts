import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { playScenario } from '../properties/play-scenario.ts';
import { randomScenario } from '../properties/random-scenario.ts';
import { again, seed } from '../properties/seed.ts';
import { chunksOf, heldBy6 } from '../support/ui-client.ts';

describe('the chunks of any run', () => {
  it('are taken by a client of version 6', async () => {
    console.log(`Random runs; the same again: ${again}`);
    await fc.assert(fc.asyncProperty(randomScenario, async (scenario) => {
      const { events, error } = playScenario(scenario);
      const chunks = await chunksOf(events, { version: 6 }, error);
      const { error: met } = await heldBy6(chunks);
      if (chunks.at(-1)?.type !== 'error') expect(met).toBeUndefined();
      else expect(String(met)).toBe('Error: The run failed.');
    }), { numRuns: 500, seed });
  });
});
