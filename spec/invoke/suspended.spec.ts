import { describe, expect, it } from '@jest/globals';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import type { Settled } from '../../lib/invoke/call-record.ts';
import { SUSPENDED, whenSettled } from '../../lib/invoke/suspended.ts';
import { Latch } from '../../lib/latch.ts';
import { toolCall } from '../../lib/message.ts';
import { hear } from '../support/invoke-context.ts';

const record = (running?: Latch<Settled>): CallRecord => Object.assign(new CallRecord(toolCall('c', 'add', '{}')), { running });
const settled = {} as Settled;

describe('whenSettled', () => {
  it('is at once where no call runs', () => {
    expect(hear(whenSettled([record()], { isStopped: () => false }))).toMatchObject({ values: [SUSPENDED], ended: true });
  });

  it('waits for the calls that were started early, all of them', () => {
    const [a, b] = [new Latch<Settled>(), new Latch<Settled>()];
    const heard = hear(whenSettled([record(a), record(), record(b)], { isStopped: () => false }));
    a.set(settled);
    expect(heard.values).toEqual([]);
    b.set(settled);
    expect(heard).toMatchObject({ values: [SUSPENDED], ended: true });
  });

  it('does not wait for a call whose result is known', () => {
    const known = record(new Latch<Settled>());
    known.settled = settled;
    const set = new Latch<Settled>();
    set.set(settled);
    expect(hear(whenSettled([known, record(set)], { isStopped: () => false })).values).toEqual([SUSPENDED]);
  });

  it('says nothing where a stop has settled them: then the run ends by it', () => {
    const a = new Latch<Settled>();
    let isStopped = false;
    const heard = hear(whenSettled([record(a)], { isStopped: () => isStopped }));
    isStopped = true;
    a.set(settled);
    expect(heard).toMatchObject({ values: [], ended: true });
  });
});
