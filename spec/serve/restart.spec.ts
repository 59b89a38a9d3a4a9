import { describe, expect, it } from '@jest/globals';
import type { Checkpoint, LoopEvent } from '../../lib/index.ts';
import { Restart } from '../../lib/serve/restart.ts';

const call = { id: 'c1', name: 'add', arguments: {} };
const result = { callId: 'c1', name: 'add', content: [], isError: false };
const request = { id: 'q1', kind: 'approval', call };

function checkpoint(more: object = {}): Checkpoint {
  return {
    version: 1, runId: 'r1', step: 0, attempt: 1, messages: [], input: 0, model: 0, steps: [], completion: { text: '', toolCalls: [] },
    counters: { calls: 0 }, ids: { calls: ['c0'], blocks: ['b0'] }, ...more,
  } as unknown as Checkpoint;
}

const inBatch = (more: object = {}): Checkpoint => checkpoint({ batch: { turn: { role: 'assistant', content: [] }, announced: true, calls: [{ call, ...more }] } });

/** The log of a run: events up to the checkpoint, and those past it. */
function restarted(at: Checkpoint, before: readonly object[], past: readonly object[]) {
  const restart = new Restart('r1', at, before.length);
  for (const [index, event] of [...before, ...past].entries()) restart.see({ event: { runId: 'r1', step: 0, ...event } as LoopEvent }, index + 1);
  return restart.end(1_000);
}

const start = { type: 'run-start' };
const toolStart = { type: 'tool-start', callId: 'c1', call, startedAt: 900 };

describe('Restart', () => {
  it('has nothing to close where nothing is past the checkpoint', () => {
    const at = checkpoint();
    expect(restarted(at, [start], [])).toEqual({ closing: [], checkpoint: at, answers: {}, logged: new Set(['run-start']) });
  });

  it('withdraws an attempt that was open, and the next one counts on', () => {
    const deltas = [
      { type: 'delta', delta: { type: 'text', block: 'b1', text: 'a' } },
      { type: 'delta', delta: { type: 'tool-call-start', index: 0, id: 'c1', name: 'add' } },
      { type: 'delta', delta: { type: 'usage', usage: { inputTokens: 3 } } },
    ];
    const { closing, checkpoint: next } = restarted(checkpoint(), [start], [{ type: 'step-start', attempt: 1 }, ...deltas]);
    expect(closing).toEqual([{ type: 'step-retract', runId: 'r1', step: 0, attempt: 1, reason: 'restarted', blocks: ['b1'], callIds: ['c1'], usage: { inputTokens: 3, partial: true } }]);
    expect(next).toMatchObject({ attempt: 2, usage: { partial: true }, counters: { calls: 1 }, ids: { calls: ['c0', 'c1'], blocks: ['b0', 'b1'] } });
  });

  it('counts attempts that were withdrawn already', () => {
    const past = [{ type: 'step-start', attempt: 1 }, { type: 'step-retract', attempt: 1 }, { type: 'step-start', attempt: 2 }];
    const { closing, checkpoint: next } = restarted(checkpoint(), [start], past);
    expect(closing).toMatchObject([{ type: 'step-retract', attempt: 2 }]);
    expect(next).toMatchObject({ attempt: 3, counters: { calls: 2 } });
  });

  it.each([['past the checkpoint', [], [toolStart]], ['before it', [toolStart], []]])('drops a call that ran, begun %s', (_name, before, past) => {
    const { closing, checkpoint: next } = restarted(inBatch(), before, past);
    expect(closing).toEqual([{ type: 'tool-dropped', runId: 'r1', step: 0, callId: 'c1', elapsedMs: 100, reason: 'restarted' }]);
    expect(next.batch?.calls).toEqual([{ call }]);
  });

  it('takes a call for settled whose result is in the log', () => {
    const past = [toolStart, { type: 'tool-commit', callId: 'c1', call }, { type: 'tool-result', callId: 'c1', call, result, elapsedMs: 7 }];
    const { closing, checkpoint: next, logged } = restarted(inBatch(), [], past);
    expect(closing).toEqual([]);
    expect(next.batch?.calls).toEqual([{ call, settled: { call, result, elapsedMs: 7, ran: true }, released: true }]);
    expect([...logged]).toEqual(['tool-commit r1 c1', 'tool-result r1 c1']);
  });

  it('leaves a call alone that has settled and is not shown yet', () => {
    const settled = { settled: { call, result, elapsedMs: 7, ran: true } };
    const { closing, checkpoint: next } = restarted(inBatch(settled), [toolStart], []);
    expect(closing).toEqual([]);
    expect(next.batch?.calls).toEqual([{ call, ...settled }]);
  });

  it('knows requests and answers that came after the checkpoint', () => {
    const asked = { type: 'approval-request', callId: 'c1', ...request };
    const answered = { type: 'approval-answer', callId: 'c1', id: 'q1', kind: 'approval', answer: { type: 'approve' } };
    expect(restarted(inBatch(), [], [asked]).checkpoint.batch?.calls).toEqual([{ call, request: { runId: 'r1', step: 0, callId: 'c1', ...request } }]);
    expect(restarted(inBatch(), [], [asked]).answers).toEqual({});
    expect(restarted(inBatch(), [], [asked, answered]).answers).toEqual({ q1: { type: 'approve' } });
    expect(restarted(inBatch({ request: { ...request, runId: 'r1' } }), [asked], [answered]).answers).toEqual({ q1: { type: 'approve' } });
  });

  it('forgets what a body had asked for: it will ask again', () => {
    const asked = { type: 'approval-request', callId: 'c1', id: 'q1', kind: 'input', call };
    const { closing, checkpoint: next } = restarted(inBatch(), [], [toolStart, asked]);
    expect(closing).toMatchObject([{ type: 'tool-dropped' }]);
    expect(next.batch?.calls).toEqual([{ call }]);
  });

  it('leaves nested runs to the call that they belong to', () => {
    const nested = { runId: 'n1', parent: { runId: 'r1', callId: 'c1' } };
    const { closing } = restarted(inBatch(), [], [toolStart, { type: 'step-start', attempt: 1, ...nested }, { ...toolStart, callId: 'n', ...nested }]);
    expect(closing).toMatchObject([{ type: 'tool-dropped', callId: 'c1' }]);
  });
});
