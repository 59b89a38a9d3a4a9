import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EventOf, LoopEvent, Outcome, Parent } from '../../lib/index.ts';
import { AgUiLane } from '../../lib/projections/ag-ui-lane.ts';
import { AgUiSubagents } from '../../lib/projections/ag-ui-subagents.ts';
import { deskOf } from '../support/ag-ui-of.ts';
import { nestedApproval, Told } from '../support/hosted-runs.ts';

const child = new Told('child', { runId: 'run', callId: 'c1' });
const inner = new Told('inner', { runId: 'child', callId: 'd1' });
let { desk } = deskOf();
let subagents = new AgUiSubagents(desk);
let root = new AgUiLane('run', false, desk);
beforeEach(() => {
  ({ desk } = deskOf());
  subagents = new AgUiSubagents(desk);
  root = new AgUiLane('run', false, desk);
});

const laneOf = (event: LoopEvent): AgUiLane | undefined => subagents.laneOf(event as LoopEvent & { parent: Parent }, root);
const done = (told: Told, more: Partial<Outcome>): void => subagents.done(told.done(more) as EventOf<'done'>);
const told = (): unknown[] => desk.take().filter(({ type }) => type.startsWith('SUBAGENT'));

describe('a nested run', () => {
  it('is a sub-agent, with the name of its tool where that is known', () => {
    root.announce({ id: 'c1', name: 'helper', arguments: {} });
    const lane = laneOf(child.start());
    expect(lane?.runId).toBe('child');
    expect(laneOf(child.step(0))).toBe(lane);
    laneOf(inner.start());
    expect(told()).toEqual([
      { type: 'SUBAGENT_STARTED', subagentRunId: 'child', name: 'helper', parentToolCallId: 'c1' },
      { type: 'SUBAGENT_STARTED', subagentRunId: 'inner', name: 'sub-agent', parentSubagentRunId: 'child', parentToolCallId: 'd1' },
    ]);
  });

  it('finishes with what it came to', () => {
    laneOf(child.start());
    told();
    done(child, { reason: 'output', completion: { text: 'Yes', json: { ok: true }, toolCalls: [] } });
    expect(told()).toEqual([{ type: 'SUBAGENT_FINISHED', subagentRunId: 'child', result: { reason: 'output', text: 'Yes', json: { ok: true } }, outcome: { type: 'success' } }]);
    expect(laneOf(child.step(1))).toBeUndefined();
  });

  it('that came to no answer has failed, and says by what', () => {
    laneOf(child.start());
    told();
    done(child, { reason: 'max-steps' });
    expect(told()).toEqual([{ type: 'SUBAGENT_ERROR', subagentRunId: 'child', message: 'The sub-agent ended without an answer (max-steps).', code: 'max-steps' }]);
  });

  it('that waits for a person names its own interrupts, and leaves its calls open', () => {
    const lane = laneOf(child.start());
    lane?.announce({ id: 'd1', name: 'remove', arguments: {} });
    told();
    const { checkpoint } = nestedApproval();
    const own = checkpoint.batch?.calls[0]?.nested;
    done(child, { reason: 'suspended', ...(own && { checkpoint: own }) });
    expect(told()).toEqual([{ type: 'SUBAGENT_FINISHED', subagentRunId: 'child', outcome: { type: 'suspended', interruptIds: ['q1'] } }]);
    expect(lane?.unanswered.has('d1')).toBe(true);
  });

  it('waits with the run around it, from the inside, each with its own interrupts', () => {
    const lane = laneOf(child.start());
    lane?.announce({ id: 'd1', name: 'helper', arguments: {} });
    laneOf(inner.start());
    laneOf(new Told('other', { runId: 'run', callId: 'c2' }).start());
    told();
    subagents.suspend([inner.request('q1', 'approval', 'e1', 'remove'), child.request('q2', 'input', 'd2', 'ask'), child.request('q3', 'result', 'd3', 'shot')]);
    expect(told()).toEqual([
      { type: 'SUBAGENT_FINISHED', subagentRunId: 'inner', outcome: { type: 'suspended', interruptIds: ['q1'] } },
      { type: 'SUBAGENT_FINISHED', subagentRunId: 'child', outcome: { type: 'suspended', interruptIds: ['q2'] } },
      { type: 'SUBAGENT_FINISHED', subagentRunId: 'other', outcome: { type: 'suspended', interruptIds: [] } },
    ]);
    expect(lane?.unanswered.has('d1')).toBe(true);
    subagents.close('suspended');
    expect(told()).toEqual([]);
  });

  it('is closed by the result of its call, with all that is nested in it, from the inside', () => {
    laneOf(child.start());
    laneOf(inner.start())?.announce({ id: 'e1', name: 'add', arguments: {} });
    laneOf(new Told('other', { runId: 'run', callId: 'c2' }).start());
    desk.take();
    subagents.close('error', { runId: 'run', callId: 'c1' });
    expect(desk.take()).toMatchObject([
      { type: 'TOOL_CALL_RESULT', toolCallId: 'e1', subagentRunId: 'inner' }, { type: 'SUBAGENT_ERROR', subagentRunId: 'inner' }, { type: 'SUBAGENT_ERROR', subagentRunId: 'child', code: 'error' },
    ]);
    subagents.close('ended');
    expect(told()).toMatchObject([{ subagentRunId: 'other', code: 'ended' }]);
    subagents.close('ended');
    expect(told()).toEqual([]);
  });
});
