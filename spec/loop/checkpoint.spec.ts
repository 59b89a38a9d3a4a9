import { describe, expect, it } from '@jest/globals';
import { NEVER, of, Subject, throwError } from 'rxjs';
import type { Checkpoint } from '../../lib/checkpoint.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import { checkpointOf, restored, saved } from '../../lib/loop/checkpoint.ts';
import { toolCall, userMessage } from '../../lib/message.ts';
import { checkpoint } from '../support/examples.ts';
import { hear } from '../support/invoke-context.ts';
import { loopUnit } from '../support/loop-unit.ts';

const copied = (value: Checkpoint): Checkpoint => JSON.parse(JSON.stringify(value)) as Checkpoint;
const resumed = (from: Checkpoint) => {
  const { run } = loopUnit({ messages: from.messages, prompt: undefined as never, runId: undefined as never, threadId: 't1' }, {}, { checkpoint: from, answers: {} });
  return { run, ...restored(run, from) };
};

describe('checkpointOf', () => {
  it('is where a run stands that has just begun', () => {
    const { run, state } = loopUnit({ threadId: 't' });
    expect(checkpointOf(run, state)).toEqual({
      version: 1, runId: 'r', threadId: 't', messages: [userMessage('go')], input: 1, step: 0, attempt: 1, model: 0, steps: [], completion: { text: '', toolCalls: [] },
      counters: { calls: 0, toolCalls: 0, failures: 0, repairs: 0, invalidCalls: 0, corrections: 0, repeats: state.repeats, warned: [], elapsedMs: 0 }, ids: { calls: [], blocks: [] },
    });
  });

  it('is not changed by what comes after it', () => {
    const { run, state } = loopUnit();
    const kept = checkpointOf(run, state);
    state.messages.push(userMessage('later'));
    run.warned.add('maxSteps');
    expect([kept.messages.length, kept.counters.warned]).toEqual([1, []]);
  });

  it('counts what runs inside have used and no step has counted yet', () => {
    const { run, state } = loopUnit({}, { usage: { inputTokens: 1 } });
    run.nested = { inputTokens: 10 };
    expect(checkpointOf(run, state)).toMatchObject({ usage: { inputTokens: 11 }, nestedUsage: { inputTokens: 10 } });
    expect(run.nested).toEqual({ inputTokens: 10 });
  });

  it('says what an attempt waits for', () => {
    const { run, state } = loopUnit();
    const next = { type: 'wait', wait: { delayMs: 5, retryAfter: true }, reason: 'Busy.', fresh: true, from: 0 } as const;
    expect(checkpointOf(run, state, { next }).wait).toEqual({ delayMs: 5, retryAfter: true, reason: 'Busy.', from: 0 });
    expect(checkpointOf(run, state, { next: { type: 'wait', wait: undefined, reason: 'Busy.', fresh: true } }).wait).toEqual({ reason: 'Busy.' });
    expect(checkpointOf(run, state, { next: { type: 'call', fresh: true } })).not.toHaveProperty('wait');
  });
});

describe('a checkpoint', () => {
  it('with every field comes back as it was, through JSON', () => {
    const { wait, ...inBatch } = checkpoint;
    const { run, state, phase } = resumed(copied(inBatch));
    if (phase.type !== 'batch') throw new Error('It goes on in its batch.');
    const { records = [], announced = false } = phase;
    const again = checkpointOf(run, state, {});
    const { state: after } = resumed(copied(inBatch));
    expect(again.counters).toEqual({ ...inBatch.counters });
    const full = checkpointOf(run, restored(run, copied(inBatch)).state, { batch: { phase, records, announced } });
    expect(copied(full)).toEqual(copied(inBatch));
    expect(after.step).toBe(inBatch.step);
  });

  it('of a batch goes on in it', () => {
    const { batch, wait, ...plain } = checkpoint;
    const call = toolCall('c', 'add', '{}');
    const turn = { role: 'assistant', content: [{ type: 'tool-call', call }] } as const;
    expect(resumed({ ...plain, batch: { turn, announced: true, calls: [{ call }] } }).phase).toMatchObject({ type: 'batch', turn, calls: [call], announced: true, after: { type: 'step' }, records: [expect.any(CallRecord)] });
  });

  it('before a step goes on at its boundary, which was saved', () => {
    const { batch, wait, ...plain } = checkpoint;
    expect(resumed({ ...plain, attempt: 1 }).phase).toEqual({ type: 'boundary', afterAnswer: false, isSaved: true });
  });

  it('before another attempt goes on with it, and with its wait', () => {
    const { batch, wait, ...plain } = checkpoint;
    expect(resumed({ ...plain, attempt: 2 }).phase).toEqual({ type: 'prepare', isSaved: true, then: { type: 'call', fresh: true } });
    expect(resumed({ ...plain, attempt: 2, wait: { delayMs: 5, reason: 'x', from: 0 } }).phase).toEqual({ type: 'prepare', isSaved: true, then: { type: 'wait', fresh: true, wait: { delayMs: 5, retryAfter: false }, reason: 'x', from: 0 } });
    expect(resumed({ ...plain, attempt: 2, wait: { reason: 'x' } }).phase).toMatchObject({ then: { wait: undefined, reason: 'x' } });
  });

  it('is a run of the same id that has used some of its time, and some ids', () => {
    const { run } = resumed(checkpoint);
    expect([run.runId, run.scheduler.now() - run.startedAt, run.started]).toEqual([checkpoint.runId, checkpoint.counters.elapsedMs, checkpoint.counters.toolCalls]);
    expect([run.claims.call(checkpoint.ids.calls[0] as string), run.claims.block(checkpoint.ids.blocks[0] as string)]).toEqual(['call-1', 'block-1']);
    expect(run.inbox.unread).toEqual(checkpoint.unread);
  });
});

describe('saved', () => {
  const asking = (onCheckpoint?: (one: Checkpoint) => unknown) => {
    const { run, state } = loopUnit(onCheckpoint === undefined ? {} : { onCheckpoint });
    let made = 0;
    return { heard: hear(saved(run, () => ((made += 1), checkpointOf(run, state)))), made: () => made };
  };

  it('makes nothing where nobody asks', () => {
    const { heard, made } = asking();
    expect([heard.ended, made()]).toEqual([true, 0]);
  });

  it('gives it once, and waits for the answer, whatever that is', () => {
    const written = new Subject<string>();
    const { heard, made } = asking(() => written);
    expect([heard.ended, made()]).toEqual([false, 1]);
    written.next('ok');
    expect([heard, written.observed]).toMatchObject([{ values: [], ended: true }, false]);
    expect(asking(() => NEVER).heard.ended).toBe(false);
    expect(asking(() => of()).heard.ended).toBe(true);
  });

  it('fails as the port does', () => {
    expect(asking(() => { throw new Error('full'); }).heard.error).toMatchObject({ code: 'hook', message: 'onCheckpoint failed: full' });
    expect(asking(() => throwError(() => new Error('full'))).heard.error).toMatchObject({ code: 'hook' });
  });
});
