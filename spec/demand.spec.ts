import { describe, expect, it } from '@jest/globals';
import { of, Subject, take } from 'rxjs';
import { onDemand } from '../lib/demand.ts';

describe('onDemand', () => {
  it('is nothing at all without a demand', () => {
    const values$ = of(1);
    expect(onDemand<number>(undefined)(values$)).toBe(values$);
  });

  it('asks before each value and keeps their order', () => {
    const gates: Subject<void>[] = [];
    const ready = () => { const gate = new Subject<void>(); gates.push(gate); return gate.pipe(take(1)); };
    const seen: (number | string)[] = [];
    of(1, 2).pipe(onDemand({ ready })).subscribe({ next: (value) => seen.push(value), complete: () => seen.push('end') });
    expect([seen, gates.length]).toEqual([[], 1]);
    gates[0]?.next();
    expect([seen, gates.length]).toEqual([[1], 2]);
    gates[1]?.next();
    expect(seen).toEqual([1, 2, 'end']);
  });
});
