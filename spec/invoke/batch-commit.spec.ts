import { describe, expect, it } from '@jest/globals';
import { NEVER, of, Subject } from 'rxjs';
import { batch, callContext, mayBeEager } from '../../lib/invoke/batch.ts';
import type { BatchContext } from '../../lib/invoke/batch.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import type { BatchEvent } from '../../lib/invoke/suspended.ts';
import { toolCall } from '../../lib/message.ts';
import { presets } from '../../lib/policy.ts';
import { concurrent, dependencyTiers, sequential } from '../../lib/schedule.ts';
import type { Tool } from '../../lib/tool.ts';
import { fakeTool } from '../../marbles/index.ts';
import { desk, hear, invokeContext } from '../support/invoke-context.ts';

// Batches that commit together, that wait for answers, and that go on.

const calls = [toolCall('a', 'first', '{}'), toolCall('b', 'second', '{}')];
const tools = (first: Partial<Tool> = {}, second: Partial<Tool> = {}): Tool[] => [{ ...fakeTool(of(1), { name: 'first' }), ...first }, { ...fakeTool(of(2), { name: 'second' }), ...second }];
const context = (given: readonly Tool[], change: Partial<BatchContext> = {}): BatchContext => ({ ...invokeContext(given), policy: { toolErrorText: 'whole' }, schedule: sequential, ...change });
const run = (given: readonly Tool[], change?: Partial<BatchContext>, notRun?: string) => {
  const heard = hear(batch(calls, context(given, change), notRun));
  const shape = (event: BatchEvent): string => ('callId' in event ? `${event.type} ${event.callId}` : event.type);
  return { heard, said: () => heard.values.map(shape), results: () => heard.values.flatMap((event) => (event.type === 'tool-result' ? [event.result] : [])) };
};
const together = { policy: { toolErrorText: 'whole', toolCommit: 'batch' } } as const;

describe('a batch that commits together', () => {
  it('shows all results when the last call has settled, in call order', () => {
    const [first, second] = [new Subject(), new Subject()];
    const { said } = run(tools({ run: () => first }, { run: () => second }), { ...together, schedule: concurrent(2) });
    second.complete();
    expect(said().filter((one) => /commit|result/.test(one))).toEqual([]);
    first.complete();
    expect(said().slice(-4)).toEqual(['tool-commit a', 'tool-result a', 'tool-commit b', 'tool-result b']);
  });

  it('commits nothing where it was stopped: every call says so', () => {
    let isStopped = false;
    const { said, results } = run(tools({ run: () => ((isStopped = true), 1) }), { ...together, isStopped: () => isStopped });
    expect(said().filter((one) => one.startsWith('tool-commit'))).toEqual([]);
    expect(results()).toMatchObject([{ isError: true, error: { kind: 'cancelled', message: expect.stringContaining('Not committed') } }, { isError: true, error: { message: expect.stringContaining('Not committed') } }]);
  });

  it('has nothing to commit where none of its calls runs', () => {
    expect(run(tools(), together, 'Not executed.').results()).toMatchObject([{ error: { message: 'Not executed.' } }, { error: { message: 'Not executed.' } }]);
  });
});

describe('a batch whose calls need others', () => {
  it('runs no call that needs one which failed', () => {
    const given = [toolCall('a', 'first', '{}'), toolCall('b', 'second', '{"of":"a"}')];
    const failing = tools({ run: () => { throw new Error('boom'); } });
    const heard = hear(batch(given, context(failing, { schedule: dependencyTiers(2) })));
    expect(heard.values.at(-1)).toMatchObject({ type: 'tool-result', callId: 'b', result: { isError: true, error: { kind: 'cancelled', message: 'Not executed: it needs the call "a" of tool "first", which failed.' } } });
  });
});

describe('a batch with open requests', () => {
  const careful = { needsApproval: true } as const;

  it('makes those that are known beforehand right after its calls, in call order', () => {
    expect(run(tools(careful, careful), { desk: desk(() => NEVER) }).said()).toEqual(['tool-call a', 'tool-call b', 'approval-request a', 'approval-request b']);
  });

  it('takes the answers in any order; a call waits for its turn', () => {
    const answers = new Map([['a', new Subject<{ type: 'approve' }>()], ['b', new Subject<{ type: 'approve' }>()]]);
    const { said, heard } = run(tools(careful, careful), { desk: desk(({ callId }) => answers.get(callId)) });
    answers.get('b')?.next({ type: 'approve' });
    expect(said().at(-1)).toBe('approval-answer b');
    answers.get('a')?.next({ type: 'approve' });
    expect(said().slice(5)).toEqual(['approval-answer a', 'tool-start a', 'tool-commit a', 'tool-result a', 'tool-start b', 'tool-commit b', 'tool-result b']);
    expect(heard.ended).toBe(true);
  });

  it('is suspended when nothing can move; calls that the schedule does not put behind it run', () => {
    expect(run(tools(careful), { desk: desk() }).said()).toEqual(['tool-call a', 'tool-call b', 'approval-request a', 'suspended']);
    expect(run(tools(careful), { desk: desk(), schedule: concurrent(2) }).said()).toEqual(['tool-call a', 'tool-call b', 'approval-request a', 'tool-start b', 'suspended']);
    expect(run(tools({}, careful), { desk: desk() }).said().slice(-2)).toEqual(['tool-result a', 'suspended']);
  });

  it('asks nobody where whoever is told of a request stops the run', () => {
    let isStopped = false;
    const asked: string[] = [];
    const stop$ = new Subject<void>();
    const given = context(tools(careful), { desk: desk(({ callId }) => void asked.push(callId)), isStopped: () => isStopped, stop$ });
    const seen: string[] = [];
    batch(calls, given).subscribe((event) => {
      seen.push(event.type);
      if (event.type === 'approval-request') isStopped = true;
    });
    expect([asked, seen.filter((type) => type === 'tool-result').length]).toEqual([[], 2]);
  });

  it('goes on with an answer that had been taken before: nobody is asked, and it is not said again', () => {
    const records = calls.map((call, at) => new CallRecord(call, at));
    const [record] = records as [CallRecord];
    record.request = { id: 'q', kind: 'approval', runId: 'r', step: 0, callId: 'a', call: record.call };
    record.answer.set({ type: 'approve' });
    const { said } = run(tools(careful), { records, announced: true, desk: desk(() => { throw new Error('asked'); }) });
    expect(said()).toEqual(['tool-start a', 'tool-commit a', 'tool-result a', 'tool-start b', 'tool-commit b', 'tool-result b']);
  });
});

describe('what a policy decides about a call', () => {
  it('is whose stop fires its signal, and what the model reads of a fault', () => {
    const [stop$, hard$] = [NEVER, new Subject()];
    const policy = (onStop: 'abort' | 'drain') => callContext(context([], { policy: { toolErrorText: 'redacted', onStop }, stop$, hard$ }));
    expect([policy('abort').signal$, policy('drain').signal$]).toEqual([stop$, hard$]);
    expect(policy('abort').errorText({ kind: 'network', message: 'secret', retryable: true })).toBe('The tool failed (network). Trying again may help.');
  });

  it('is whether it may start before the step ends', () => {
    const { policy } = presets.resilient;
    expect([mayBeEager(policy), mayBeEager({ ...policy, toolCommit: 'batch' }), mayBeEager({ ...policy, invalidScope: 'turn' })]).toEqual([true, false, false]);
  });
});
