import { describe, expect, it } from '@jest/globals';
import { NEVER, of, Subject } from 'rxjs';
import type { Checkpoint } from '../../lib/checkpoint.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { runBatch } from '../../lib/loop/run-batch.ts';
import type { BatchPhase, RunState } from '../../lib/loop/run-state.ts';
import { Next } from '../../lib/loop/unfold.ts';
import { toolCall } from '../../lib/message.ts';
import type { AssistantMessage } from '../../lib/message.ts';
import { fakeTool } from '../../marbles/index.ts';
import { hear } from '../support/invoke-context.ts';
import { loopUnit } from '../support/loop-unit.ts';

const calls = [toolCall('a', 'add', '{}'), toolCall('b', 'add', '{}')];
const turn: AssistantMessage = { role: 'assistant', content: calls.map((call) => ({ type: 'tool-call', call })) };
const phase: BatchPhase = { type: 'batch', turn, calls, after: { type: 'step' } };

function running(options: Partial<ToolLoopOptions> = {}, change: Partial<BatchPhase> = {}) {
  const { run, state } = loopUnit({ tools: [fakeTool(of('1'))], ...options });
  const heard = hear(runBatch(run, state, { ...phase, ...change }));
  const events = (): string[] => heard.values.flatMap((one) => (one instanceof Next ? [] : ['callId' in one ? `${one.type} ${one.callId}` : one.type]));
  const next = (): RunState | undefined => heard.values.flatMap((one) => (one instanceof Next ? [one.state] : []))[0] as RunState | undefined;
  return { run, heard, events, next };
}

describe('runBatch', () => {
  it('runs the calls, then stores the turn with their results', () => {
    const { events, next } = running();
    expect(events()).toEqual(['tool-call a', 'tool-call b', 'tool-start a', 'tool-commit a', 'tool-result a', 'tool-start b', 'tool-commit b', 'tool-result b']);
    expect(next()).toMatchObject({ step: 1, phase: { type: 'boundary' } });
    expect(next()?.messages.slice(1)).toMatchObject([turn, { role: 'tool', results: [{ callId: 'a' }, { callId: 'b' }] }]);
  });

  it('keeps what a resumed run has shown before', () => {
    const records = calls.map((call, at) => new CallRecord(call, at));
    Object.assign(records[0] as CallRecord, { released: true, settled: { call: calls[0], result: { callId: 'a', name: 'add', content: [], isError: false, output: 'before' }, elapsedMs: 0, ran: true } });
    const { events, next } = running({}, { records, announced: true });
    expect(events()).toEqual(['tool-start b', 'tool-commit b', 'tool-result b']);
    expect(next()?.messages.at(-1)).toMatchObject({ results: [{ output: 'before' }, { output: '1' }] });
  });

  it('keeps where it stands: before the calls, and after each that has settled, before its result is shown', () => {
    const seen: unknown[] = [];
    const { heard } = running({
      onCheckpoint: ({ batch }: Checkpoint) => void seen.push([batch?.announced, batch?.calls.map(({ settled, released }) => (settled === undefined ? '-' : released === true ? 'shown' : 'settled')).join()]),
    });
    expect(seen).toEqual([[false, '-,-'], [true, 'settled,-'], [true, 'shown,settled']]);
    expect(heard.ended).toBe(true);
  });

  it('waits for that, but not past a stop and its grace', () => {
    const { run, heard, events, next } = running({ onCheckpoint: () => NEVER, timeouts: { graceMs: 0 } });
    expect(events()).toEqual([]);
    run.stops?.set({ reason: 'aborted' });
    expect(events()).toEqual(['tool-call a', 'tool-call b', 'tool-result a', 'tool-result b']);
    expect([heard.ended, next()?.messages.at(-1)]).toMatchObject([true, { results: [{ isError: true }, { isError: true }] }]);
  });

  it('keeps nothing of calls that never run', () => {
    const seen: unknown[] = [];
    running({ onCheckpoint: (one) => void seen.push(one) }, { notRun: 'Not executed.' });
    expect(seen).toEqual([]);
  });

  it('ends the run where nothing can move without an answer', () => {
    const { heard, next } = running({ tools: [{ ...fakeTool(of('1')), needsApproval: true }] });
    expect(heard.values.at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'suspended', checkpoint: { batch: { announced: true, calls: [{ request: { id: 'request-1' } }, { request: { id: 'request-2' } }] } } } });
    expect(next()).toBeUndefined();
  });

  it('closes the turn where a hook fails: every call has a result', () => {
    const failing = { afterTool: ({ id }: { id: string }): undefined => { if (id === 'b') throw new Error('boom'); } };
    const { heard, next } = running({ hooks: failing });
    expect(next()).toMatchObject({ phase: { type: 'failed', error: { code: 'hook' } } });
    expect(next()?.messages.at(-1)).toMatchObject({ results: [{ callId: 'a', isError: false }, { callId: 'b', isError: true, error: { kind: 'cancelled' } }] });
    expect(heard.ended).toBe(true);
  });

  it('leaves the calls with its reader', () => {
    const body = new Subject();
    const { heard } = running({ tools: [fakeTool(body)] });
    heard.leave();
    expect(body.observed).toBe(false);
  });
});
