import { describe, expect, it } from '@jest/globals';
import type { DeltaOf } from '../../lib/index.ts';
import { UiSpeech } from '../../lib/projections/ui-messages-speech.ts';

type Said = DeltaOf<'text' | 'refusal' | 'reasoning'>;
const said = (type: Said['type'], block: string, text: string, meta?: Said['meta']): Said => ({ type, block, text, ...(meta && { meta }) });

/** The chunks of some deltas of step 0, and of the end of what is open. */
function chunksOf(...deltas: readonly Said[]): string[] {
  const speech = new UiSpeech();
  return [...deltas.flatMap((delta) => [...speech.say(0, delta)]), ...speech.close()].map((chunk) => JSON.stringify(Object.values(chunk)));
}

describe('text and reasoning', () => {
  it('are parts with a start, pieces and an end, by counted ids', () => {
    expect(chunksOf(said('text', 'a', 'Hel'), said('text', 'a', 'lo'))).toEqual([
      '["text-start","text-0-1"]', '["text-delta","text-0-1","Hel"]', '["text-delta","text-0-1","lo"]', '["text-end","text-0-1"]',
    ]);
  });

  it('never interleave: what goes on behind another is a part of its own [146]', () => {
    expect(chunksOf(said('text', 'a', 'x'), said('reasoning', 'r', 'y'), said('text', 'a', 'z'))).toEqual([
      '["text-start","text-0-1"]', '["text-delta","text-0-1","x"]', '["text-end","text-0-1"]',
      '["reasoning-start","reasoning-0-2"]', '["reasoning-delta","reasoning-0-2","y"]', '["reasoning-end","reasoning-0-2"]',
      '["text-start","text-0-3"]', '["text-delta","text-0-3","z"]', '["text-end","text-0-3"]',
    ]);
  });

  it('carry to their end, whole, what their deltas brought', () => {
    const [, , end] = chunksOf(said('reasoning', 'r', 'y', { a: 1 }), said('reasoning', 'r', '', { signature: 's' }));
    expect(end).toBe('["reasoning-end","reasoning-0-1",{"rx-tool-loop":{"meta":{"a":1,"signature":"s"}}}]');
  });

  it('say of a refusal that it is one', () => {
    expect(chunksOf(said('refusal', 'a', 'No.')).at(-1)).toBe('["text-end","text-0-1",{"rx-tool-loop":{"kind":"refusal"}}]');
  });

  it('keep apart blocks of one kind, and kinds of one block', () => {
    expect(chunksOf(said('text', 'a', 'x'), said('text', 'b', 'y'), said('refusal', 'b', 'z')).filter((chunk) => chunk.includes('-start'))).toHaveLength(3);
  });

  it('have no end once they were withdrawn', () => {
    const speech = new UiSpeech();
    expect([...speech.say(0, said('text', 'a', 'x'))]).toHaveLength(2);
    speech.forget();
    expect([...speech.close()]).toEqual([]);
  });
});
