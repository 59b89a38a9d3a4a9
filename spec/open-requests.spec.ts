import { describe, expect, it } from '@jest/globals';
import { openRequests } from '../lib/open-requests.ts';
import { approval, nestedApproval, Told, waiting } from './support/hosted-runs.ts';

describe('openRequests', () => {
  it('names what a suspended run waits for, in call order', () => {
    expect(openRequests(approval().checkpoint).map(({ id }) => id)).toEqual(['q1', 'q2']);
  });

  it('reaches into nested runs', () => {
    expect(openRequests(nestedApproval().checkpoint)).toMatchObject([{ id: 'q1', runId: 'child' }]);
  });

  it('leaves out a call that has settled', () => {
    const run = new Told();
    const checkpoint = waiting('run', [run.request('q1', 'approval', 'c1', 'add')]);
    const [call] = checkpoint.batch?.calls ?? [];
    const settled = { result: { callId: 'c1', name: 'add', content: [], isError: false }, elapsedMs: 1, ran: true, call: { id: 'c1', name: 'add', arguments: {} } };
    const after = { ...checkpoint, batch: { turn: { role: 'assistant' as const, content: [] }, announced: true, calls: [{ ...call!, settled }] } };
    expect(openRequests(after)).toEqual([]);
  });

  it('leaves out a request whose answer has come, though its call still waits', () => {
    const { checkpoint } = approval();
    const [first, ...others] = checkpoint.batch?.calls ?? [];
    const after = { ...checkpoint, batch: { ...checkpoint.batch!, calls: [{ ...first!, answer: { type: 'approve' as const } }, ...others] } };
    expect(openRequests(after).map(({ id }) => id)).toEqual(['q2']);
  });

  it('is empty between batches, and without a checkpoint', () => {
    const { batch, ...checkpoint } = approval().checkpoint;
    expect(openRequests(checkpoint)).toEqual([]);
    expect(openRequests(undefined)).toEqual([]);
  });
});
