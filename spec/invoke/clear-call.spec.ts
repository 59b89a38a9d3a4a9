import { describe, expect, it } from '@jest/globals';
import { of, Subject } from 'rxjs';
import type { ApprovalAnswer } from '../../lib/approval.ts';
import type { CallContext } from '../../lib/invoke/call-context.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import { clearCall, needsAnswer, put } from '../../lib/invoke/clear-call.ts';
import type { HookVerdict } from '../../lib/invoke/clear-call.ts';
import { toolCall } from '../../lib/message.ts';
import type { ToolCall } from '../../lib/message.ts';
import type { Tool } from '../../lib/tool.ts';
import { fakeTool } from '../../marbles/index.ts';
import { desk, hear, invokeContext } from '../support/invoke-context.ts';

const call = toolCall('c', 'add', '{"a":1}');
const numeric = (value: unknown): unknown => (typeof (value as { a?: unknown }).a === 'number' ? { value } : { issues: [{ message: 'no number', path: ['a'] }] });
const tool = (change: Partial<Tool> = {}, validate = numeric): Tool => ({
  ...fakeTool(of(1)), input: { '~standard': { version: 1, vendor: 'x', validate: validate as never, jsonSchema: { input: () => ({}) } } }, ...change,
});

function cleared(one: Tool, change: Partial<CallContext> = {}, record = new CallRecord(call)) {
  const stops: unknown[] = [];
  const heard = hear(clearCall(record, one, invokeContext([one], { stopRun: (_record, reason) => stops.push(reason), ...change })));
  return { heard, stops, record, said: () => heard.values.map(({ type }) => type), last: () => heard.values.at(-1) };
}

const before = (answer: HookVerdict['answer'], rewrite?: unknown) => (one: ToolCall): HookVerdict => ({ call: rewrite === undefined ? one : { ...one, arguments: rewrite }, answer });
const answering = (answer: ApprovalAnswer) => ({ desk: desk(() => answer) });
const refusal = (kind: string, message?: string) => ({ type: 'result', result: { isError: true, error: { kind, ...(message !== undefined && { message }) } } });

describe('needsAnswer', () => {
  it('is what the tool says, by its arguments too', () => {
    const asks = (change: Partial<Tool>) => needsAnswer(tool(change), { a: 1 });
    expect([asks({}), asks({ needsApproval: true }), asks({ needsApproval: false }), asks({ runsOn: 'client' })]).toEqual([undefined, 'approval', undefined, 'result']);
    expect([asks({ needsApproval: () => true }), asks({ needsApproval: () => false })]).toEqual(['approval', undefined]);
    expect(asks({ needsApproval: () => { throw new Error('boom'); } })).toBe('approval');
  });
});

describe('clearCall', () => {
  it('lets a call go that nothing holds back', () => {
    expect(cleared(tool()).heard.values).toEqual([{ type: 'go', args: { a: 1 } }]);
  });

  it('refuses arguments that do not fit, before anybody is asked', () => {
    const { said, last } = cleared(tool({ needsApproval: true }), { ...answering({ type: 'approve' }), before: () => { throw new Error('asked'); } }, new CallRecord(toolCall('c', 'add', '{}')));
    expect([said(), last()]).toMatchObject([['result'], refusal('invalid-input', 'Invalid arguments for tool "add": a: no number')]);
  });

  it.each<[string, HookVerdict['answer'], object]>([
    ['runs it', { type: 'run' }, { type: 'go', args: { a: 1 } }],
    ['skips it', { type: 'skip', reason: 'Done before.' }, { type: 'result', result: { isError: false, content: [{ text: 'Done before.' }] } }],
    ['blocks it', { type: 'block', reason: 'Not today.' }, refusal('refused', 'Not today.')],
    ['stops the run', { type: 'stop', reason: 'Enough.' }, { type: 'stopped' }],
  ])('does what a hook says that %s', (_name, answer, end) => {
    const { heard, stops, record } = cleared(tool(), { before: before(answer) });
    expect(heard.values).toMatchObject([end]);
    expect([stops, record.cleared]).toEqual([answer.type === 'stop' ? ['Enough.'] : [], true]);
  });

  it('checks rewritten arguments again', () => {
    const { last, record } = cleared(tool(), { before: before({ type: 'run' }, { a: 2 }) });
    expect([last(), record.effective.arguments]).toEqual([{ type: 'go', args: { a: 2 } }, { a: 2 }]);
    expect(cleared(tool(), { before: before({ type: 'run' }, { a: 'x' }) }).last()).toMatchObject(refusal('invalid-input'));
  });

  it('asks no hooks about a client\'s tool, nor about a call that was cleared', () => {
    const asked: unknown[] = [];
    const look = { before: (one: ToolCall): HookVerdict => (asked.push(one), { call: one, answer: { type: 'run' } }) };
    cleared(tool({ runsOn: 'client' }), { ...look, desk: desk() });
    cleared(tool(), look, Object.assign(new CallRecord(call), { cleared: true }));
    expect(asked).toEqual([]);
  });

  it('asks a person where a hook says so, with its reason', () => {
    const { heard } = cleared(tool(), { before: before({ type: 'ask', reason: 'Sure?' }), ...answering({ type: 'approve' }) });
    expect(heard.values).toMatchObject([{ type: 'approval-request', id: 'q1', reason: 'Sure?' }, { type: 'approval-answer' }, { type: 'go' }]);
  });

  it('does not count an approval for arguments that a hook has rewritten since', () => {
    const record = Object.assign(new CallRecord(call), { approved: true });
    expect(cleared(tool({ needsApproval: true }), { before: before({ type: 'run' }), ...answering({ type: 'decline' }) }, record).said()).toEqual(['go']);
    const again = Object.assign(new CallRecord(call), { approved: true });
    expect(cleared(tool(), { before: before({ type: 'ask' }, { a: 2 }), ...answering({ type: 'decline' }) }, again).said()).toEqual(['approval-request', 'approval-answer', 'result']);
  });

  it.each<[string, ApprovalAnswer, object]>([
    ['approve', { type: 'approve' }, { type: 'go', args: { a: 1 } }],
    ['approve with other arguments', { type: 'approve', arguments: { a: 5 } }, { type: 'go', args: { a: 5 } }],
    ['decline', { type: 'decline', reason: 'No.' }, refusal('refused', 'No.')],
    ['decline without a word', { type: 'decline' }, refusal('refused', 'The call was declined.')],
    ['suspend', { type: 'suspend' }, { type: 'parked' }],
    ['stop', { type: 'stop' }, { type: 'stopped' }],
  ])('does what the answer to an open request says: %s', (_name, answer, end) => {
    const { last, record } = cleared(tool({ needsApproval: true }), answering(answer));
    expect(last()).toMatchObject(end);
    expect(record.request !== undefined).toBe(answer.type === 'suspend');
  });

  it('fails for an approval whose arguments do not fit', () => {
    expect(cleared(tool({ needsApproval: true }), answering({ type: 'approve', arguments: { a: 'x' } })).heard.error).toMatchObject({
      code: 'approval', requestId: 'q1', message: expect.stringMatching(/^The answer to request "q1" .* has arguments that do not fit: Invalid arguments/),
    });
  });

  it('takes a client\'s result, a failed one too', () => {
    const client = tool({ runsOn: 'client' });
    expect(cleared(client, answering({ type: 'result', content: 'x' })).last()).toMatchObject({ type: 'result', isAnswer: true, result: { isError: false, content: [{ text: 'x' }] } });
    expect(cleared(client, answering({ type: 'result', content: 'x', isError: true })).last()).toMatchObject({ result: { isError: true, error: { kind: 'other' } } });
  });

  it('does not wait past a stop, for a schema, a hook or an answer', () => {
    const pending: readonly (readonly [Tool, Partial<CallContext>])[] = [
      [tool({}, () => new Subject()), {}],
      [tool(), { before: () => new Subject<HookVerdict>() }],
      [tool({ needsApproval: true }), { desk: desk(() => new Subject<ApprovalAnswer>()) }],
    ];
    for (const [one, change] of pending) {
      const stop$ = new Subject<void>();
      const { last } = cleared(one, { stop$, ...change });
      expect(last()?.type).not.toBe('stopped');
      stop$.next();
      expect(last()?.type).toBe('stopped');
    }
  });
});

describe('put', () => {
  it('keeps the answer for the call once it was said', () => {
    const record = new CallRecord(call);
    expect(() => put(record, desk(), undefined)).toThrow('There is no request to put.');
    record.request = { id: 'q', kind: 'approval', runId: 'r', step: 0, callId: 'c', call };
    expect(hear(put(record, desk(() => ({ type: 'approve' })), undefined)).values).toMatchObject([{ type: 'approval-answer', answer: { type: 'approve' } }]);
    expect(record.answer.value).toEqual({ type: 'approve' });
  });

  it('stops the run at once where the answer says so, whatever the turn of the call is', () => {
    const record = Object.assign(new CallRecord(call), { request: { id: 'q', kind: 'approval', runId: 'r', step: 0, callId: 'c', call } as const });
    const stops: unknown[] = [];
    hear(put(record, desk(() => ({ type: 'stop', reason: 'Enough.' })), (_record, reason) => stops.push(reason)));
    expect(stops).toEqual(['Enough.']);
  });
});
