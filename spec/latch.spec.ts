import { describe, expect, it } from '@jest/globals';
import { Latch } from '../lib/latch.ts';
import { hear } from './support/invoke-context.ts';

describe('Latch', () => {
  it('gives its value to whoever waits, and to whoever asks later', () => {
    const latch = new Latch<number>();
    const early = hear(latch.value$);
    expect([early.values, latch.isSet, latch.value]).toEqual([[], false, undefined]);
    latch.set(1);
    const late = hear(latch.value$);
    expect([early, late]).toMatchObject([{ values: [1], ended: true }, { values: [1], ended: true }]);
    expect([latch.isSet, latch.value]).toEqual([true, 1]);
  });

  it('keeps the first value', () => {
    const latch = new Latch<number>();
    latch.set(1);
    latch.set(2);
    expect(hear(latch.value$).values).toEqual([1]);
  });

  it('counts undefined as a value', () => {
    const latch = new Latch<void>();
    latch.set();
    expect([latch.isSet, hear(latch.value$)]).toMatchObject([true, { values: [undefined], ended: true }]);
  });

  it('gives nothing to who has left', () => {
    const latch = new Latch<number>();
    const left = hear(latch.value$);
    left.leave();
    latch.set(1);
    expect(left).toMatchObject({ values: [], ended: false });
  });

  it('reaches each who waited when it was set, whatever one of them does then', () => {
    const latch = new Latch<number>();
    const seen: string[] = [];
    latch.value$.subscribe(() => {
      second.unsubscribe();
      hear(latch.value$).values.forEach((value) => seen.push(`again ${value}`));
    });
    const second = latch.value$.subscribe((value) => seen.push(`second ${value}`));
    latch.value$.subscribe((value) => seen.push(`third ${value}`));
    latch.set(1);
    expect(seen).toEqual(['again 1', 'third 1']);
  });
});
