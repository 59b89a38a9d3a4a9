import { describe, expect, it } from '@jest/globals';
import { EMPTY, NEVER, Subject, throwError } from 'rxjs';
import type { ApprovalAnswer, ApprovalPort, ApprovalRequest } from '../../lib/approval.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import { answered, ask, checkAnswer, openRequest, requestEvent, told } from '../../lib/invoke/desk.ts';
import { toolCall } from '../../lib/message.ts';
import { desk, hear } from '../support/invoke-context.ts';

const call = toolCall('c', 'add', '{}');
const at = { runId: 'r', step: 2 };
const request = (kind: ApprovalRequest['kind'] = 'approval'): ApprovalRequest => openRequest(desk(), new CallRecord(call), at, { kind });

describe('openRequest', () => {
  it('is about the call as it would run', () => {
    const record = new CallRecord(call);
    record.effective = { ...call, arguments: { a: 1 } };
    expect(openRequest(desk(), record, at, { kind: 'approval', reason: 'Because.', schema: {} })).toEqual({
      id: 'q1', kind: 'approval', runId: 'r', step: 2, callId: 'c', call: record.effective, reason: 'Because.', schema: {},
    });
    expect(Object.keys(openRequest(desk(), record, at, { kind: 'result' }))).toEqual(['id', 'kind', 'runId', 'step', 'callId', 'call']);
  });

  it('is an event, field for field', () => {
    const asked = request();
    expect(requestEvent(asked)).toEqual({ type: 'approval-request', ...asked });
  });
});

describe('ask', () => {
  it('asks the port once for each subscription, and not before', () => {
    const asked: ApprovalRequest[] = [];
    const said$ = ask(desk((one) => void asked.push(one)), request());
    expect(asked).toEqual([]);
    hear(said$);
    expect(asked).toEqual([request()]);
  });

  it.each([
    ['no port', undefined],
    ['a port without an opinion', () => undefined],
    ['a port that says null', () => null],
    ['a port that is empty', () => EMPTY],
  ])('takes %s for suspending', (_name, port) => {
    expect(hear(ask(desk(port as ApprovalPort), request()))).toMatchObject({ values: [{ type: 'suspend' }], ended: true });
  });

  it('waits for an answer, takes the first, and leaves with its reader', () => {
    const answer$ = new Subject<ApprovalAnswer>();
    const [heard, left] = [hear(ask(desk(() => answer$), request())), hear(ask(desk(() => answer$), request()))];
    left.leave();
    answer$.next({ type: 'approve' });
    expect([heard, left, answer$.observed]).toMatchObject([{ values: [{ type: 'approve' }], ended: true }, { values: [] }, false]);
    expect(hear(ask(desk(() => NEVER), request()))).toMatchObject({ values: [], ended: false });
  });

  it('takes an answer that was given beforehand, once; then it asks the port', () => {
    const one = desk(() => ({ type: 'decline' }), new Map([['q1', { type: 'approve' }]]));
    expect(hear(ask(one, request())).values).toEqual([{ type: 'approve' }]);
    expect(hear(ask(one, request())).values).toEqual([{ type: 'decline' }]);
  });

  it.each([
    ['throws', () => { throw new Error('boom'); }],
    ['fails later', () => throwError(() => new Error('boom'))],
  ])('fails where the port %s, naming the request', (_name, port) => {
    expect(hear(ask(desk(port), request())).error).toMatchObject({
      code: 'approval', requestId: 'q1', message: 'The approvals of the run failed for request "q1" (approval, call "c" of tool "add"): boom', cause: { message: 'boom' },
    });
  });

  it('keeps the answer as JSON has it, and refuses one that has none', () => {
    const value = { at: new Date(0), fn: () => 1 };
    expect(hear(ask(desk(() => ({ type: 'input', value })), request('input'))).values).toEqual([{ type: 'input', value: { at: '1970-01-01T00:00:00.000Z' } }]);
    expect(hear(ask(desk(() => ({ type: 'input', value: 1n })), request('input'))).error).toMatchObject({ code: 'approval', message: expect.stringMatching(/cannot be kept: .*bigint/) });
  });
});

describe('checkAnswer', () => {
  const all: readonly ApprovalAnswer['type'][] = ['approve', 'decline', 'result', 'input', 'suspend', 'stop'];
  const fits = (kind: ApprovalRequest['kind']) => all.filter((type) => {
    try {
      checkAnswer(request(kind), { type, content: '' } as ApprovalAnswer);
      return true;
    } catch {
      return false;
    }
  });

  it('takes what fits the kind of request', () => {
    expect(fits('approval')).toEqual(['approve', 'decline', 'suspend', 'stop']);
    expect(fits('result')).toEqual(['decline', 'result', 'suspend', 'stop']);
    expect(fits('input')).toEqual(['decline', 'input', 'suspend', 'stop']);
  });

  it.each([[null, 'null'], [undefined, 'undefined'], ['approve', 'approve'], [true, 'true'], [{}, 'undefined'], [{ type: 'yes' }, '"yes"']])('refuses %j, and says what it takes', (said, name) => {
    expect(() => checkAnswer(request(), said as never)).toThrow(
      `The request "q1" (approval, call "c" of tool "add") was answered with ${name}; give an object whose type is one of approve, decline, suspend, stop.`,
    );
  });

  it('refuses a result without content', () => {
    expect(() => checkAnswer(request('result'), { type: 'result' } as never)).toThrow('has no content; give a text, or a list of parts.');
  });
});

describe('answered', () => {
  it('says the answer, then hands it on', () => {
    const order: string[] = [];
    answered(request(), { type: 'approve' }, () => order.push('taken')).subscribe(({ type }) => order.push(type));
    expect(order).toEqual(['approval-answer', 'taken']);
    expect(hear(answered(request(), { type: 'approve' }, () => undefined)).values).toEqual([
      { type: 'approval-answer', runId: 'r', step: 2, callId: 'c', id: 'q1', kind: 'approval', answer: { type: 'approve' } },
    ]);
  });

  it('says nothing of a suspending', () => {
    const taken: ApprovalAnswer[] = [];
    expect(hear(answered(request(), { type: 'suspend' }, (one) => taken.push(one))).values).toEqual([]);
    expect(taken).toEqual([{ type: 'suspend' }]);
  });
});

describe('told', () => {
  it('is how an error names a request', () => {
    expect(told(request('input'))).toBe('request "q1" (input, call "c" of tool "add")');
  });
});
