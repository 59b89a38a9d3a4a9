import { describe, expect, it } from '@jest/globals';
import { agUiAnswers } from '../../lib/projections/ag-ui-answers.ts';
import type { ToolResult } from '../../lib/index.ts';
import { approval, nestedApproval, Told, waiting } from '../support/hosted-runs.ts';

const { checkpoint } = approval();
const run = new Told();
const inputs = waiting('run', [run.request('q1', 'input', 'c1', 'ask')]);
const shot: ToolResult = { callId: 'c2', name: 'screenshot', content: [{ type: 'text', text: 'a picture' }], isError: false };
const none = new Map<string, ToolResult>();
const resolved = (payload: unknown, interruptId = 'q1'): object => ({ interruptId, status: 'resolved', payload });

describe('the answers of an input', () => {
  it.each<[string, unknown, object]>([
    ['approve', { approved: true }, { type: 'approve' }],
    ['approve with changes', { approved: true, editedArgs: { n: 2 } }, { type: 'approve', arguments: { n: 2 } }],
    ['decline', { approved: false }, { type: 'decline' }],
    ['decline with a reason', { approved: false, reason: 'No.' }, { type: 'decline', reason: 'No.' }],
  ])('%s a call, with a checkpoint and without', (_name, payload, answer) => {
    expect(agUiAnswers([resolved(payload)], checkpoint, none)).toEqual({ q1: answer });
    expect(agUiAnswers([resolved(payload)], undefined, none)).toEqual({ q1: answer });
  });

  it('decline what was abandoned', () => {
    expect(agUiAnswers([{ interruptId: 'q1', status: 'cancelled' }], checkpoint, none)).toEqual({ q1: { type: 'decline' } });
  });

  it('give the value that a tool wants, whatever it looks like', () => {
    expect(agUiAnswers([resolved({ approved: true })], inputs, none)).toEqual({ q1: { type: 'input', value: { approved: true } } });
    expect(agUiAnswers([resolved(7)], undefined, none)).toEqual({ q1: { type: 'input', value: 7 } });
  });

  it("give the results of the client's own tools", () => {
    expect(agUiAnswers([], checkpoint, new Map([['c2', shot]]))).toEqual({ q2: { type: 'result', content: shot.content, isError: false } });
    expect(agUiAnswers([resolved({ approved: true }), resolved({ a: 1 }, 'q2')], checkpoint, new Map([['c2', shot]]))).toMatchObject({ q2: { type: 'result', content: '{"a":1}' } });
    expect(agUiAnswers([resolved({ approved: true }), resolved('text', 'q2')], checkpoint, none)).toMatchObject({ q2: { type: 'result', content: 'text' } });
    expect(agUiAnswers([resolved({ approved: true }), resolved(undefined, 'q2')], checkpoint, none)).toMatchObject({ q2: { content: '' } });
  });

  it('reach the requests of nested runs', () => {
    expect(agUiAnswers([resolved({ approved: true })], nestedApproval().checkpoint, none)).toEqual({ q1: { type: 'approve' } });
  });

  it('are none where nothing is answered', () => {
    expect(agUiAnswers([], checkpoint, none)).toBeUndefined();
    expect(agUiAnswers([], undefined, new Map([['c2', shot]]))).toBeUndefined();
  });

  it.each<[string, unknown[]]>([
    ['resume[0] is of type number; it must be an object', [1]],
    ['resume[0].interruptId is missing; it must be a text', [{ status: 'resolved' }]],
    ['resume[0].interruptId is "old", which the run does not wait for', [resolved({ approved: true }, 'old')]],
    ['resume[1].interruptId is "q1", which an entry before it answers', [resolved({ approved: true }), resolved({ approved: false })]],
    ['resume[0].status is "done"; it must be resolved or cancelled', [{ interruptId: 'q1', status: 'done' }]],
    ['resume[0].payload is missing; it must be an object', [resolved(undefined)]],
    ['resume[0].payload.approved must be true or false', [resolved({ approved: 'yes' })]],
    ['resume[0].payload.reason is of type number; it must be a text', [resolved({ approved: false, reason: 1 })]],
    ['resume has no entry for "q1"; every open interrupt needs one', [resolved('text', 'q2')]],
  ])('are refused where they are wrong: %s', (message, resume) => {
    expect(() => agUiAnswers(resume, checkpoint, none)).toThrow(`fromAgUi: input.${message}.`);
  });
});
