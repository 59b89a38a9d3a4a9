import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LoopEvent, Message } from '../../lib/index.ts';
import { historyOf } from '../../lib/index.ts';
import { fromUiMessages } from '../../lib/projections/ui-messages.ts';
import type { UiMessage } from '../../lib/projections/ui-messages.ts';
import { playScenario } from '../properties/play-scenario.ts';
import { randomScenario } from '../properties/random-scenario.ts';
import { again, seed } from '../properties/seed.ts';
import { chunksOf, heldBy6 } from '../support/ui-client.ts';

const ENDS = ['finish', 'abort', 'error'];

/** What the run's own transcript and the one that the client brings back must have in common. */
function gist(messages: readonly Message[]): { text: string; refusal: string; calls: string[]; results: string[] } {
  const gist = { text: '', refusal: '', calls: [] as string[], results: [] as string[] };
  for (const message of messages) {
    if (message.role === 'tool') gist.results.push(...message.results.map(({ callId, isError, content }) => `${callId} ${isError} ${JSON.stringify(content)}`));
    if (message.role !== 'assistant') continue;
    for (const part of message.content) {
      if (part.type === 'text' || part.type === 'refusal') gist[part.type] += part.text;
      if (part.type === 'tool-call') gist.calls.push(`${part.call.id} ${part.call.name}`);
    }
  }
  return gist;
}

/** A transcript has a refusal in one part, the chunks have it as it was heard. */
const letters = (text: string): string => [...text].sort().join('');

const doneOf = (events: readonly LoopEvent[]) => events.flatMap((event) => (event.type === 'done' ? [event.outcome] : [])).at(-1);

describe('the chunks of any run', () => {
  it('are taken by a client of version 6, which brings the conversation back', async () => {
    console.log(`Random runs; the same again: ${again}`);
    let brought = 0;
    await fc.assert(fc.asyncProperty(randomScenario, async (scenario) => {
      const { events, error } = playScenario(scenario);
      const chunks = await chunksOf(events, { version: 6, mask: false }, error);
      const { error: met, message } = await heldBy6(chunks);
      expect(chunks.filter(({ type }) => ENDS.includes(type))).toHaveLength(1);
      const last = chunks.at(-1);
      expect(ENDS).toContain(last?.type);
      if (last?.type === 'error') expect(String(met)).toBe(`Error: ${last.errorText}`);
      else expect(met).toBeUndefined();
      // Only what the provider runs itself may have no end.
      const parts = (message?.parts ?? []) as { type: string; state?: string; providerExecuted?: boolean }[];
      expect(parts.filter(({ state, providerExecuted }) => !providerExecuted && /^(streaming|input-.*)$/.test(state ?? ''))).toEqual([]);
      const outcome = doneOf(events);
      if (outcome === undefined || message === undefined) return;
      brought += 1;
      expect(gist(fromUiMessages([message as UiMessage]).messages)).toEqual(gist(historyOf(outcome)));
    }), { numRuns: 150, seed });
    expect(brought).toBeGreaterThan(30);
  });

  it('are the same each time, and in a version 7 that takes back what was withdrawn', async () => {
    const texts = async (events: readonly LoopEvent[], error: unknown): Promise<string> => {
      let text = '';
      for (const chunk of await chunksOf(events, { mask: false }, error)) {
        if (chunk.type === 'text-delta') text += chunk.delta;
        if (chunk.type === 'start-step') text += '|';
        if (chunk.type === 'reset-step') text = text.slice(0, text.lastIndexOf('|') + 1);
      }
      return letters(text.replaceAll('|', ''));
    };
    await fc.assert(fc.asyncProperty(randomScenario, async (scenario) => {
      const { events, error } = playScenario(scenario);
      expect(await chunksOf(events, {}, error)).toEqual(await chunksOf(events, {}, error));
      const outcome = doneOf(events);
      if (outcome === undefined) return;
      const { text, refusal } = gist(historyOf(outcome));
      expect(await texts(events, error)).toBe(letters(text + refusal));
    }), { numRuns: 120, seed });
  });
});
