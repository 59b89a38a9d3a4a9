import { describe, expect, it } from '@jest/globals';
import type { Delta, DeltaEvent } from '../../lib/index.ts';
import { HeldDeltas } from '../../lib/projections/held-deltas.ts';
import { delta, end, start } from '../support/events.ts';

const event = (said: Delta, more: object = {}): DeltaEvent => ({ ...(delta(0, said) as DeltaEvent), ...more });
const text = (words: string, block = 'b'): Delta => ({ type: 'text', block, text: words });
const held = (first: Delta, ...others: Delta[]): DeltaEvent => {
  const all = new HeldDeltas(event(first));
  for (const other of others) expect(all.add(event(other))).toBe(true);
  return all.event;
};

describe('HeldDeltas', () => {
  it.each<[Delta, Delta, Delta]>([
    [text('a'), text('b'), text('ab')],
    [{ type: 'refusal', block: 'b', text: 'a' }, { type: 'refusal', block: 'b', text: 'b' }, { type: 'refusal', block: 'b', text: 'ab' }],
    [{ type: 'tool-call-arguments', index: 1, chunk: '{' }, { type: 'tool-call-arguments', index: 1, chunk: '}' }, { type: 'tool-call-arguments', index: 1, chunk: '{}' }],
  ])('makes one of two pieces: $type', (first, second, both) => {
    expect(held(first, second)).toEqual(event(both));
  });

  it('keeps what belongs to any of the pieces, the later entry where two have one name [#100]', () => {
    const reasoning = (words: string, meta?: Record<string, unknown>): Delta => ({ type: 'reasoning', block: 'r', text: words, ...(meta && { meta }) });
    expect(held(reasoning('a', { id: 1, signature: 'half' }), reasoning('b'), reasoning('', { signature: 'whole' })).delta).toEqual(reasoning('ab', { id: 1, signature: 'whole' }));
    expect(held(reasoning('a'), reasoning('b')).delta).toStrictEqual(reasoning('ab'));
  });

  it('passes a piece that came alone on as it came', () => {
    const one = event(text('a'));
    expect(new HeldDeltas(one).event).toBe(one);
  });

  it.each<[string, DeltaEvent]>([
    ['another block', event(text('b', 'c'))],
    ['another kind', event({ type: 'refusal', block: 'b', text: 'b' })],
    ['another step', event(text('b'), { step: 1 })],
    ['another run', event(text('b'), { runId: 'run2' })],
    ['a call', event({ type: 'tool-call-arguments', index: 0, chunk: '' })],
  ])('does not take in %s', (_what, other) => {
    const all = new HeldDeltas(event(text('a')));
    expect(all.add(other)).toBe(false);
    expect(all.event.delta).toEqual(text('a'));
  });

  it('holds pieces alone', () => {
    expect([event(text('a')), event({ type: 'usage', usage: {} }), event({ type: 'reasoning-replace', text: '' }), start(), end(0)].map(HeldDeltas.canHold)).toEqual([true, false, false, false, false]);
  });
});
