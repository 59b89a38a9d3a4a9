import { describe, expect, it } from '@jest/globals';
import { EMPTY, NEVER, of } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { Checkpoint } from '../../lib/index.ts';
import { loopRunner } from '../../lib/serve/loop-runner.ts';
import type { RunControls } from '../../lib/serve/loop-runner.ts';
import { allOf } from './door.ts';

function controls(kept: Checkpoint[]): RunControls {
  return {
    runId: 'r1', threadId: 't1', abort$: NEVER, steering$: NEVER, demand: { ready: () => of(undefined) }, approvals: () => EMPTY,
    onCheckpoint: (checkpoint) => (kept.push(checkpoint), of(undefined)),
  };
}

describe('loopRunner', () => {
  it('makes runs of toolLoop that keep checkpoints', async () => {
    const kept: Checkpoint[] = [];
    const events = await allOf(loopRunner.start({ model: scripted([{ text: 'ok' }]), prompt: 'hi' }, controls(kept)));
    expect(events[0]).toEqual({ type: 'run-start', runId: 'r1', threadId: 't1' });
    expect(kept).toMatchObject([{ runId: 'r1', step: 0, attempt: 1 }]);
  });

  it('resumes them', async () => {
    const kept: Checkpoint[] = [];
    const setup = { model: scripted([{ text: 'ok' }, { text: 'ok' }]), prompt: 'hi' };
    await allOf(loopRunner.start(setup, controls(kept)));
    const events = await allOf(loopRunner.resume(kept[0] as Checkpoint, {}, setup, controls([])));
    expect(events.map(({ type }) => type)).toEqual(['run-start', 'step-start', 'delta', 'delta', 'step-end', 'done']);
    expect(events[0]).toMatchObject({ resumed: true });
  });
});
