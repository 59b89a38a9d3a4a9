import { describe, expect, it } from '@jest/globals';
import { EMPTY, NEVER, Subject, throwError } from 'rxjs';
import { HookError } from '../../lib/control-errors.ts';
import type { CallContext } from '../../lib/invoke/call-context.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import type { Settled } from '../../lib/invoke/call-record.ts';
import { abandonNested, finishCall, parkedCall, PARKED } from '../../lib/invoke/finish-call.ts';
import { toolCall } from '../../lib/message.ts';
import type { ToolResult } from '../../lib/message.ts';
import type { Surroundings } from '../../lib/nesting.ts';
import { checkpoint } from '../support/examples.ts';
import { hear, invokeContext } from '../support/invoke-context.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const call = toolCall('c', 'add', '{}');
const result = (text: string): ToolResult => ({ callId: 'c', name: 'add', content: [{ type: 'text', text }], isError: false });
const settled = (change: Partial<Settled> = {}): Settled => ({ call, result: result('1'), elapsedMs: 3, ran: true, ...change });

function finished(change: Partial<CallContext>, given = settled(), record = new CallRecord(call)) {
  const heard = hear(finishCall(record, given, invokeContext([], change)));
  return { heard, record, said: () => heard.values.map((one) => (one.type === 'tool-result' ? one.result.content : one.type)) };
}

const commit = { type: 'tool-commit', runId: 'r', step: 0, callId: 'c', call };
const shown = (one: ToolResult, elapsedMs = 3): object => ({ type: 'tool-result', runId: 'r', step: 0, callId: 'c', call, result: one, elapsedMs });

describe('finishCall', () => {
  it('commits what ran, and says the result', () => {
    expect(finished({}).heard).toMatchObject({ values: [commit, shown(result('1'))], ended: true });
    expect(finished({}, settled({ ran: false })).heard.values).toEqual([shown(result('1'))]);
  });

  it('keeps the result in the record, where nothing is open any more', () => {
    const record = Object.assign(new CallRecord(call), { request: { id: 'q' }, nested: checkpoint });
    finished({}, settled(), record);
    expect([record.settled, record.request, record.nested]).toEqual([settled(), undefined, undefined]);
  });

  it('asks the hooks about what ran, or a client ran, and about nothing else', () => {
    const after = (): ToolResult => result('seen');
    expect(finished({ after }).said()).toEqual(['tool-commit', result('seen').content]);
    expect(finished({ after }, settled({ ran: false, answered: true })).said()).toEqual([result('seen').content]);
    expect(finished({ after }, settled({ ran: false })).said()).toEqual([result('1').content]);
  });

  it('does not ask about a result that a resumed run brings, unless no hook has seen it', () => {
    const after = (): ToolResult => result('seen');
    const known = Object.assign(new CallRecord(call), { settled: settled() });
    expect(finished({ after }, settled(), known).said()).toEqual(['tool-commit', result('1').content]);
    const unseen = Object.assign(new CallRecord(call), { settled: settled({ unseen: true }) });
    expect(finished({ after }, settled({ unseen: true }), unseen).said()).toEqual(['tool-commit', result('seen').content]);
    expect(unseen.settled).not.toHaveProperty('unseen');
  });

  it('waits for a hook, and fails as it does', () => {
    const after$ = new Subject<ToolResult>();
    const { heard, said } = finished({ after: () => after$ });
    expect(said()).toEqual([]);
    after$.next(result('seen'));
    expect([said(), heard.ended]).toEqual([['tool-commit', result('seen').content], true]);
    expect(finished({ after: () => throwError(() => new HookError('boom')) }).heard.error).toMatchObject({ code: 'hook' });
  });

  it('writes a checkpoint once the record has the result, and waits for it', () => {
    const written$ = new Subject<never>();
    const record = new CallRecord(call);
    const seen: unknown[] = [];
    const { said } = finished({ settled: () => (seen.push(record.settled), written$) }, settled(), record);
    expect([seen, said()]).toEqual([[settled()], []]);
    written$.complete();
    expect(said()).toEqual(['tool-commit', result('1').content]);
  });

  it('writes none for a result that a resumed run brings', () => {
    const known = Object.assign(new CallRecord(call), { settled: settled() });
    expect(finished({ settled: () => NEVER }, settled(), known).said()).toHaveLength(2);
  });

  // prettier-ignore
  it('gives a checkpoint and a hook the grace of a body when the run is stopped', loopMarbles(({ cold, scheduler, time, expectValues }) => {
    const stop$ = cold('     --x     ');
    const graceMs = time('     ---|  ');
    const kept = '           -----(cr|)';
    const letters = { c: expect.objectContaining({ type: 'tool-commit' }), r: expect.objectContaining({ result: result('1') }), e: expect.objectContaining({ result: expect.objectContaining({ isError: true, error: expect.objectContaining({ kind: 'cancelled' }) }) }) };
    const context = invokeContext([], { stop$, graceMs, scheduler });

    expectValues(finishCall(new CallRecord(call), settled(), { ...context, settled: () => NEVER }) as never).toBe(kept, letters);
    expectValues(finishCall(new CallRecord(call), settled(), { ...context, after: () => NEVER }) as never).toBe('-----(ce|)', letters);
  }));
});

describe('parkedCall', () => {
  const parked = (change: Partial<CallContext>, record = new CallRecord(call)) => {
    const seen: Settled[] = [];
    const heard = hear(parkedCall(record, invokeContext([], change), (one) => (seen.push(one), EMPTY)));
    return { seen, heard };
  };

  it('waits for nobody, until a stop settles it', () => {
    const stop$ = new Subject<void>();
    const { seen, heard } = parked({ stop$ });
    expect([heard.values, heard.ended, seen]).toEqual([[PARKED], false, []]);
    stop$.next();
    expect([seen, heard.ended]).toMatchObject([[{ ran: false, result: { isError: true, error: { kind: 'cancelled' } } }], true]);
  });

  it('is settled at once in a run that is stopped', () => {
    const { seen, heard } = parked({ isStopped: () => true }, Object.assign(new CallRecord(call), { startedAt: 1 }));
    expect([heard.values, seen]).toMatchObject([[], [{ ran: true }]]);
  });

  it('counts what the run inside has used when it does not go on', () => {
    const counted: unknown[] = [];
    const around = { count: (usage) => counted.push(usage) } as Partial<Surroundings> as Surroundings;
    const nested = { ...checkpoint, usage: { inputTokens: 7 }, batch: undefined } as never;
    parked({ isStopped: () => true, around }, Object.assign(new CallRecord(call), { nested }));
    expect(counted).toEqual([{ inputTokens: 7 }]);
    abandonNested(new CallRecord(call), { around });
    expect(counted).toHaveLength(1);
  });
});
