import { describe, expect, it } from '@jest/globals';
import type { CheckpointCall } from '../../lib/checkpoint.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import type { Settled } from '../../lib/invoke/call-record.ts';
import { Latch } from '../../lib/latch.ts';
import { toolCall } from '../../lib/message.ts';
import { checkpoint } from '../support/examples.ts';

const call = toolCall('c', 'add', '{"a":1}');
const settled: Settled = { call, result: { callId: 'c', name: 'add', content: [], isError: false }, elapsedMs: 3, ran: true };
const request = { id: 'q', kind: 'approval', runId: 'r', step: 0, callId: 'c', call } as const;

describe('CallRecord', () => {
  it('begins with the call alone', () => {
    expect(new CallRecord(call).save()).toEqual({ call });
    expect(new CallRecord(call, 2)).toMatchObject({ index: 2, effective: call });
  });

  it('keeps every field, through JSON too', () => {
    const known = checkpoint.batch?.calls[0] as CheckpointCall;
    const saved = { ...known, effective: { ...known.call, arguments: { a: 2 } } };
    const kept = CallRecord.from(saved, 0).save();
    expect(kept).toEqual(saved);
    expect(CallRecord.from(JSON.parse(JSON.stringify(kept)) as CheckpointCall, 0).save()).toEqual(kept);
  });

  it('does not keep what is as it was', () => {
    const record = CallRecord.from({ call }, 0);
    expect(record.effective).toBe(call);
    expect(Object.keys(record.save())).toEqual(['call']);
  });

  it('keeps an answer that was taken before its turn, but no suspending', () => {
    const record = new CallRecord(call);
    record.request = request;
    record.answer.set({ type: 'suspend' });
    expect(record.save()).toEqual({ call, request });
    record.answer = new Latch();
    record.answer.set({ type: 'approve' });
    expect(record.save()).toEqual({ call, request, answer: { type: 'approve' } });
    const again = CallRecord.from(record.save(), 0);
    expect([again.answer.isSet, again.answer.value]).toEqual([true, { type: 'approve' }]);
  });

  it('keeps what an early call came to, as unseen by the hooks', () => {
    const record = new CallRecord(call);
    record.running = new Latch();
    expect(record.save()).toEqual({ call });
    record.running.set(settled);
    expect(record.save()).toEqual({ call, settled: { ...settled, unseen: true } });
    record.settled = settled;
    expect(record.save()).toEqual({ call, settled });
  });

  it('keeps when it started only for a run inside that goes on', () => {
    const record = new CallRecord(call);
    record.startedAt = 5;
    expect(record.save()).toEqual({ call });
    record.nested = checkpoint;
    expect(record.save()).toEqual({ call, startedAt: 5, nested: checkpoint });
  });
});
