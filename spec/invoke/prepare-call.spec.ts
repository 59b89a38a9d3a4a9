import { describe, expect, it } from '@jest/globals';
import { of, Subject } from 'rxjs';
import type { CallContext } from '../../lib/invoke/call-context.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import { prepareCall } from '../../lib/invoke/prepare-call.ts';
import { toolCall } from '../../lib/message.ts';
import type { Tool } from '../../lib/tool.ts';
import { fakeTool } from '../../marbles/index.ts';
import { desk, hear, invokeContext } from '../support/invoke-context.ts';

const call = toolCall('c', 'add', '{"a":1}');
const tool = (change: Partial<Tool> = {}): Tool => ({ ...fakeTool(of(1)), needsApproval: true, ...change });
const checking = (validate: () => unknown): Tool => tool({ input: { '~standard': { version: 1, vendor: 'x', validate: validate as never, jsonSchema: { input: () => ({}) } } } });

function prepared(one: Tool, { change = {}, record = new CallRecord(call) }: { change?: Partial<CallContext>; record?: CallRecord } = {}) {
  const heard = hear(prepareCall(record, invokeContext([one], { desk: desk(), ...change })));
  return { heard, record };
}

describe('prepareCall', () => {
  it('opens the request that is known beforehand', () => {
    const { heard, record } = prepared(tool());
    expect(heard.values).toMatchObject([{ type: 'approval-request', id: 'q1', kind: 'approval', call, schema: { type: 'object' } }]);
    expect(record.request).toMatchObject({ id: 'q1' });
    expect(prepared(tool({ runsOn: 'client' })).heard.values).toMatchObject([{ kind: 'result' }]);
  });

  it('lets the tool decide by the arguments', () => {
    const needsApproval = ({ a }: { a: number }): boolean => a > 1;
    expect(prepared(tool({ needsApproval })).heard.values).toEqual([]);
    expect(prepared(tool({ needsApproval }), { record: new CallRecord(toolCall('c', 'add', '{"a":2}')) }).heard.values).toHaveLength(1);
  });

  it.each<[string, (record: CallRecord) => unknown]>([
    ['is asked about already', (record) => (record.request = {} as never)],
    ['has settled', (record) => (record.settled = {} as never)],
    ['has been approved', (record) => (record.approved = true)],
    ['has a result', (record) => (record.verdict = {} as never)],
    ['runs already', (record) => (record.running = {} as never)],
  ])('asks nothing about a call that %s', (_name, change) => {
    const record = new CallRecord(call);
    change(record);
    expect(prepared(tool(), { record }).heard.values).toEqual([]);
  });

  it('asks nothing about an unknown tool, in a run that was stopped, or where there is no desk', () => {
    expect(prepared(tool({ name: 'other' })).heard.values).toEqual([]);
    expect(prepared(tool(), { change: { isStopped: () => true } }).heard.values).toEqual([]);
    expect(prepared(tool(), { change: { desk: undefined } }).heard.values).toEqual([]);
  });

  it('waits for a schema that answers later', () => {
    const said = new Subject<unknown>();
    const { heard } = prepared(checking(() => said));
    expect(heard.values).toEqual([]);
    said.next({ value: {} });
    expect(heard).toMatchObject({ values: [{ kind: 'approval' }], ended: true });
  });

  it.each([
    ['refuses', () => ({ issues: [{ message: 'no' }] })],
    ['refuses later', () => of({ issues: [{ message: 'no' }] })],
    ['throws', () => { throw new Error('bug'); }],
  ])('leaves a schema that %s to the turn of the call', (_name, validate) => {
    const { heard, record } = prepared(checking(validate));
    expect([heard, record.request]).toMatchObject([{ values: [], ended: true, error: undefined }, undefined]);
  });

  it('leaves a schema that rejects to the turn of the call', async () => {
    const { heard } = prepared(checking(() => Promise.reject(new Error('bug'))));
    await new Promise(setImmediate);
    expect(heard).toMatchObject({ values: [], ended: true, error: undefined });
  });

  it('does not wait for a schema past a stop', () => {
    const stop$ = new Subject<void>();
    const { heard } = prepared(checking(() => new Subject()), { change: { stop$ } });
    expect(heard.ended).toBe(false);
    stop$.next();
    expect(heard).toMatchObject({ values: [], ended: true });
  });
});
