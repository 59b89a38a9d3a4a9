import { describe, expect, it } from '@jest/globals';
import { Observable, of, Subject, VirtualTimeScheduler } from 'rxjs';
import type { CallContext } from '../../lib/invoke/call-context.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import type { Settled } from '../../lib/invoke/call-record.ts';
import { PARKED } from '../../lib/invoke/finish-call.ts';
import { runCall } from '../../lib/invoke/run-call.ts';
import { toolCall } from '../../lib/message.ts';
import { nestingOf } from '../../lib/nesting.ts';
import type { Surroundings } from '../../lib/nesting.ts';
import type { Tool, ToolContext } from '../../lib/tool.ts';
import { fakeTool } from '../../marbles/index.ts';
import { checkpoint } from '../support/examples.ts';
import { desk, hear, invokeContext } from '../support/invoke-context.ts';

const call = toolCall('c', 'add', '{"a":1}');

function ran(run: (context: ToolContext) => unknown, change: Partial<CallContext> = {}, { tool = {}, record = new CallRecord(call), isEager = false }: { tool?: Partial<Tool>; record?: CallRecord; isEager?: boolean } = {}) {
  const settled: Settled[] = [];
  const body: Tool = { ...fakeTool(of(1)), run: (_args, context) => run(context) as never, ...tool };
  const finish = (one: Settled): Observable<never> => new Observable((subscriber) => (settled.push(one), subscriber.complete()));
  const heard = hear(runCall(body, { a: 1 }, record, invokeContext([body], change), finish, isEager));
  return { heard, settled, record, said: () => heard.values.map(({ type }) => type) };
}

describe('runCall', () => {
  it('starts, and settles with what the body came to', () => {
    const { heard, settled } = ran(() => 'x');
    expect(heard.values).toEqual([{ type: 'tool-start', runId: 'r', step: 0, callId: 'c', call, startedAt: 0 }]);
    expect(settled).toEqual([{ call, result: { callId: 'c', name: 'add', content: [{ type: 'text', text: 'x' }], isError: false, output: 'x' }, elapsedMs: 0, ran: true }]);
  });

  it('says what a screen calls it, and that it starts early', () => {
    const { heard } = ran(() => 'x', {}, { tool: { title: () => 'Add', kind: 'think' }, isEager: true });
    expect(heard.values[0]).toMatchObject({ title: 'Add', kind: 'think', speculative: true });
  });

  it('says progress, host events and requests as events of its run', () => {
    const { heard } = ran((context) => (context.progress(1), context.status('s'), context.input({}).subscribe(), 'x'), { desk: desk() });
    expect(heard.values.slice(1)).toMatchObject([
      { type: 'tool-progress', callId: 'c', progress: 1 }, { type: 'status', runId: 'r', text: 's' },
      { type: 'approval-request', kind: 'input', callId: 'c' }, { type: 'approval-answer', answer: { type: 'decline' } },
    ]);
  });

  it('does not begin in a run that was stopped, or that may start no more', () => {
    const body = (): never => { throw new Error('ran'); };
    expect(ran(body, { isStopped: () => true })).toMatchObject({ settled: [{ ran: false, result: { error: { kind: 'cancelled' } } }], heard: { values: [] } });
    expect(ran(body, { mayNotStart: () => 'Enough.' })).toMatchObject({ settled: [{ ran: false, result: { error: { kind: 'other', message: 'Enough.' } } }] });
  });

  it('says how long it took, on the clock of the run', () => {
    const scheduler = new VirtualTimeScheduler();
    const body = new Subject();
    const { settled } = ran(() => body, { scheduler });
    scheduler.frame = 7;
    body.complete();
    expect(settled).toMatchObject([{ elapsedMs: 7 }]);
  });

  it('waits with the run inside, and keeps where that stands', () => {
    const around = {} as Surroundings;
    const { said, record, heard } = ran((context) => (nestingOf(context)?.suspend(checkpoint), new Subject()), { around });
    expect([said(), heard.ended]).toEqual([['tool-start', PARKED.type], false]);
    expect(record).toMatchObject({ nested: checkpoint, startedAt: 0 });
  });

  it('goes on with the run inside: no second start, no second count', () => {
    const record = Object.assign(new CallRecord(call), { nested: checkpoint, startedAt: -5 });
    const { said, settled } = ran((context) => nestingOf(context)?.checkpoint?.runId, { around: {} as Surroundings, mayNotStart: () => 'Enough.' }, { record });
    expect(said()).toEqual([]);
    expect(settled).toMatchObject([{ elapsedMs: 5, ran: true, result: { output: checkpoint.runId } }]);
  });
});
