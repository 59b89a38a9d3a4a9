import { describe, expect, it } from '@jest/globals';
import { userMessage } from '../../lib/index.ts';
import { answersRequest, runRequest, steerRequest } from '../../lib/serve/run-request.ts';

const refused = (message: RegExp) => expect.objectContaining({ status: 400, code: 'invalid-body', message: expect.stringMatching(message) });

describe('runRequest', () => {
  it.each([
    { prompt: 'hi' },
    { messages: [userMessage('hi')] },
    { prompt: 'hi', messages: [] },
    { prompt: 'hi', onRequest: 'suspend', clientTools: [{ name: 'look', description: 'Looks.' }] },
    { prompt: 'hi', threadId: 't', runId: 'r_1-2', more: { of: 'the host' } },
    { messages: [userMessage('hi'), { role: 'assistant', content: [{ type: 'text', text: 'ho' }] }] },
  ])('takes %j as it is', (body) => expect(runRequest(body)).toBe(body));

  it.each<[unknown, RegExp]>([
    [null, /^The body must be an object/], [[], /^The body must be/], ['x', /^The body must be/], [{}, /^Prompt and messages are both missing/],
    [{ prompt: '' }, /^Prompt must be a text/], [{ prompt: 3 }, /^Prompt must be a text/], [{ messages: [] }, /^Messages must be a list/], [{ messages: {} }, /^Messages must be a list/],
    [{ messages: [userMessage('hi'), { role: 'user', content: [{ type: 'text' }] }] }, /^Messages\.1\.content\.0\.text is wrong/],
    [{ messages: [{ role: 'system', content: [] }] }, /^Messages\.0\.role is wrong/],
    [{ prompt: 'hi', threadId: '' }, /^ThreadId must be/], [{ prompt: 'hi', onRequest: 'hang' }, /^OnRequest must be/], [{ prompt: 'hi', clientTools: {} }, /^ClientTools must be a list/], [{ prompt: 'hi', runId: '../x' }, /^RunId must be/],
  ])('refuses %j', (body, message) => expect(() => runRequest(body)).toThrow(refused(message)));
});

describe('steerRequest', () => {
  it('takes a text or a message of the user', () => {
    expect(steerRequest({ message: 'hi' })).toEqual(userMessage('hi'));
    expect(steerRequest({ message: userMessage('hi') })).toEqual(userMessage('hi'));
  });

  it.each([{}, { message: ' ' }, { message: { role: 'assistant', content: [] } }, { message: 3 }, 3])('refuses %j', (body) => expect(() => steerRequest(body)).toThrow(refused(/must be/)));
});

describe('answersRequest', () => {
  it.each([{ type: 'approve' }, { type: 'approve', arguments: {} }, { type: 'decline', reason: 'no' }, { type: 'result', content: 'x' }, { type: 'result', content: [{ type: 'text', text: 'x' }], isError: true }, { type: 'input', value: null }, { type: 'stop' }])(
    'takes %j',
    (answer) => expect([...answersRequest({ answers: { q: answer } })]).toEqual([['q', answer]]),
  );

  it.each([{ type: 'suspend' }, { type: 'toString' }, {}, 3, null, { type: 'result' }, { type: 'result', content: 3 }, { type: 'result', content: 'x', isError: 1 }, { type: 'input' }, { type: 'decline', reason: 3 }])(
    'refuses %j',
    (answer) => expect(() => answersRequest({ answers: { q: answer } })).toThrow(refused(/answer/i)),
  );

  it.each([{}, { answers: {} }, { answers: [] }, { answers: null }])('refuses %j', (body) => expect(() => answersRequest(body)).toThrow(refused(/answers/i)));
});
