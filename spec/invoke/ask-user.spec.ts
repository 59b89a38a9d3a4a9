import { describe, expect, it } from '@jest/globals';
import { NEVER, throwError } from 'rxjs';
import type { ApprovalPort } from '../../lib/approval.ts';
import type { LoopEvent } from '../../lib/event.ts';
import { askUser } from '../../lib/invoke/ask-user.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import { toolCall } from '../../lib/message.ts';
import { desk, hear, invokeContext } from '../support/invoke-context.ts';

const call = toolCall('c', 'add', '{}');

function asking(port: ApprovalPort | undefined, question: object = { reason: 'Who?' }) {
  const [events, stops]: [LoopEvent[], unknown[]] = [[], []];
  const context = invokeContext([], { stopRun: ({ call: { id } }, reason) => stops.push([id, reason]) });
  const heard = hear(askUser(desk(port), new CallRecord(call), context)(question, (event) => events.push(event)));
  return { events, stops, heard };
}

const answer = (said: object): object => ({ type: 'approval-answer', runId: 'r', step: 0, callId: 'c', id: 'q1', kind: 'input', answer: said });

describe('askUser', () => {
  it('says the question, asks, and says the answer before the body hears it', () => {
    const { events, heard } = asking(() => ({ type: 'input', value: 1 }));
    expect(events).toEqual([{ type: 'approval-request', id: 'q1', kind: 'input', runId: 'r', step: 0, callId: 'c', call, reason: 'Who?' }, answer({ type: 'input', value: 1 })]);
    expect(heard).toMatchObject({ values: [{ type: 'input', value: 1 }], ended: true });
  });

  it.each([
    ['nobody is there', undefined],
    ['the port suspends', () => ({ type: 'suspend' })],
  ])('declines where %s, because the body waits', (_name, port) => {
    const declined = { type: 'decline', reason: 'Nobody is there to answer.' };
    const { events, heard } = asking(port as ApprovalPort);
    expect([heard.values, events.at(-1)]).toEqual([[declined], answer(declined)]);
  });

  it.each([
    ['fails', () => throwError(() => new Error('boom'))],
    ['answers with what does not fit', () => ({ type: 'approve' })],
  ])('declines where the port %s', (_name, port) => {
    expect(asking(port as ApprovalPort).heard).toMatchObject({ values: [{ type: 'decline', reason: 'Nobody could be asked.' }], error: undefined });
  });

  it('stops the run where the answer says so', () => {
    const { stops, heard } = asking(() => ({ type: 'stop', reason: 'Enough.' }));
    expect([stops, heard.values]).toEqual([[['c', 'Enough.']], [{ type: 'stop', reason: 'Enough.' }]]);
  });

  it('asks for input, whatever the question says that it is', () => {
    expect(asking(undefined, { kind: 'approval' }).events[0]).toMatchObject({ kind: 'input' });
  });

  it('leaves the port with the body', () => {
    const { heard, events } = asking(() => NEVER);
    heard.leave();
    expect([events.length, heard.values]).toEqual([1, []]);
  });
});
