import { describe, expect, it } from '@jest/globals';
import { NEVER, of } from 'rxjs';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import { batchContext } from '../../lib/loop/batch-context.ts';
import { toolCall } from '../../lib/message.ts';
import { loopUnit } from '../support/loop-unit.ts';

describe('batchContext', () => {
  it('lets so many bodies start as the budget says', () => {
    const { run, state } = loopUnit({ budget: { maxToolCalls: 1 } });
    const { mayNotStart } = batchContext(run, state);
    expect([mayNotStart(), mayNotStart(), run.started]).toEqual([undefined, 'Not executed: the run may call 1 tools, and has.', 1]);
  });

  it('hears the stops of the run, and stops it', () => {
    const { run, state } = loopUnit({ abort$: NEVER });
    const { isStopped, stopRun, stop$, hard$ } = batchContext(run, state);
    expect([stop$, hard$, isStopped()]).toEqual([run.stops?.stop$, run.stops?.hard$, false]);
    stopRun?.(new CallRecord(toolCall('c', 'add', ''), 2), 'Enough.');
    expect([isStopped(), run.stops?.stopped]).toEqual([true, { reason: 'stopped', text: 'Enough.', callId: 'c', index: 2 }]);
    expect(batchContext(loopUnit().run, state).isStopped()).toBe(false);
  });

  it('asks hooks only where there are some', () => {
    const { run, state } = loopUnit({ hooks: { beforeTool: () => undefined } });
    expect([batchContext(run, state).before !== undefined, batchContext(run, state).after]).toEqual([true, undefined]);
  });

  it('counts what runs inside use, and says what comes late beside the phases', () => {
    const { run, state } = loopUnit();
    const { around, later } = batchContext(run, state);
    around?.count({ inputTokens: 1 });
    around?.count({ inputTokens: 2 });
    expect(run.nested).toEqual({ inputTokens: 3 });
    const said: unknown[] = [];
    run.aside.events$.subscribe((event) => said.push(event));
    const dropped = { type: 'tool-dropped', runId: 'r', step: 0, callId: 'c', elapsedMs: 1, reason: 'late' } as const;
    later('c', of(dropped));
    expect(said).toEqual([dropped]);
  });
});
