import { describe, expect, it } from '@jest/globals';
import { concat, NEVER, of, Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import type { LoopEvent } from '../../lib/event.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import { concurrently } from '../../lib/invoke/concurrently.ts';
import { PARKED } from '../../lib/invoke/finish-call.ts';
import type { CallSaid } from '../../lib/invoke/finish-call.ts';
import { SUSPENDED } from '../../lib/invoke/suspended.ts';
import { toolCall } from '../../lib/message.ts';
import { hear } from '../support/invoke-context.ts';

const event = (text: string): LoopEvent => ({ type: 'status', runId: 'r', text });
const records = (count: number): CallRecord[] => Array.from({ length: count }, (_, at) => new CallRecord(toolCall(`c${at}`, 'add', '{}'), at));

function group(bound: number, ...calls: (CallSaid | Observable<CallSaid>)[]) {
  const started: number[] = [];
  const start = ({ index }: CallRecord): CallSaid | Observable<CallSaid> => (started.push(index), calls[index] as CallSaid);
  const placed = (one: unknown, { index }: CallRecord) => ({ index, event: one as LoopEvent, held: false, last: false });
  const heard = hear(concurrently({ records: records(calls.length), bound }, start, placed, () => of(SUSPENDED)));
  const said = (): unknown[] => heard.values.map(({ event: one }) => ('text' in one ? one.text : one.type));
  return { started, heard, said };
}

describe('concurrently', () => {
  it('starts as many as the bound lets it, and the next when one has ended', () => {
    const first = new Subject<CallSaid>();
    const { started, heard, said } = group(2, first, NEVER, event('third'));
    expect(started).toEqual([0, 1]);
    first.next(event('first'));
    first.complete();
    expect([started, said(), heard.ended]).toEqual([[0, 1, 2], ['first', 'third'], false]);
  });

  it('places what each call says', () => {
    expect(group(1, of(event('a')), of(event('b'))).heard.values.map(({ index }) => index)).toEqual([0, 1]);
  });

  it('is stuck when every call that can run waits for an answer', () => {
    const parked$ = concat(of(PARKED), NEVER);
    expect(group(1, parked$).said()).toEqual(['suspended']);
    expect(group(2, parked$, of(event('b'))).said()).toEqual(['b', 'suspended']);
    expect(group(1, parked$, of(event('b')))).toMatchObject({ started: [0] });
    expect(group(1, parked$, of(event('b'))).said()).toEqual(['suspended']);
    expect(group(2, parked$, parked$, of(event('c'))).said()).toEqual(['suspended']);
  });

  it('is not stuck while a call runs', () => {
    const running = new Subject<CallSaid>();
    const { said } = group(2, concat(of(PARKED), NEVER), running);
    expect(said()).toEqual([]);
    running.complete();
    expect(said()).toEqual(['suspended']);
  });

  it('is not stuck by a call that a stop has settled after all', () => {
    const parked = new Subject<CallSaid>();
    const running = new Subject<CallSaid>();
    const { said, heard } = group(2, parked, running);
    parked.next(PARKED);
    parked.next(event('stopped'));
    parked.complete();
    running.complete();
    expect([said(), heard.ended]).toEqual([['stopped'], true]);
  });

  it('leaves the calls with its reader', () => {
    const call = new Subject<CallSaid>();
    const { heard } = group(1, call);
    heard.leave();
    expect(call.observed).toBe(false);
  });
});
