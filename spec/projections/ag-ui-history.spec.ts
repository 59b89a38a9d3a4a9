import { describe, expect, it } from '@jest/globals';
import { agUiHistory } from '../../lib/projections/ag-ui-history.ts';

const user = { id: 'u', role: 'user', content: 'go' };
const call = (id: string, more: object = {}): object => ({ id, type: 'function', function: { name: 'add', arguments: '{"a":1}' }, ...more });
const asks = (id: string, content: string | undefined, ...calls: readonly object[]): object => ({ id, role: 'assistant', ...(content !== undefined && { content }), toolCalls: calls });
const result = (toolCallId: string, more: object = {}): object => ({ id: `r-${toolCallId}`, role: 'tool', toolCallId, content: '3', ...more });
const said = { role: 'user', content: [{ type: 'text', text: 'go' }] };
const called = (id: string): object => ({ type: 'tool-call', call: { id, name: 'add', arguments: { a: 1 }, rawArguments: '{"a":1}' } });
const answered = (callId: string): object => ({ callId, name: 'add', content: [{ type: 'text', text: '3' }], isError: false });
const read = (...messages: readonly unknown[]): unknown => agUiHistory(messages).messages;

describe('the conversation of a client', () => {
  it('is turns and their results', () => {
    expect(read(user, asks('a', 'See', call('c'), call('d')), result('c'), result('d'), { id: 'b', role: 'assistant', content: 'So.' })).toEqual([
      said,
      { role: 'assistant', content: [{ type: 'text', text: 'See' }, called('c'), called('d')] },
      { role: 'tool', results: [answered('c'), answered('d')] },
      { role: 'assistant', content: [{ type: 'text', text: 'So.' }] },
    ]);
  });

  it('joins what follows one another to one turn, with its reasoning', () => {
    const thought = { id: 'k', role: 'reasoning', content: 'Hm', encryptedValue: '{"signature":"s"}' };
    expect(read(thought, { id: 'a', role: 'assistant', content: 'One' }, asks('b', undefined, call('c')), result('c'))).toEqual([
      { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm', meta: { signature: 's' } }, { type: 'text', text: 'One' }, called('c')] },
      { role: 'tool', results: [answered('c')] },
    ]);
  });

  it('has results in call order, wherever the client has them', () => {
    expect(read(asks('a', 'x', call('c'), call('d')), user, result('d'), result('c'))).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'x' }, called('c'), called('d')] }, { role: 'tool', results: [answered('c'), answered('d')] }, said,
    ]);
  });

  it('closes a call that nobody answered', () => {
    expect(read(asks('a', undefined, call('c')), user)).toEqual([
      { role: 'assistant', content: [called('c')] },
      { role: 'tool', results: [{ callId: 'c', name: 'add', content: [{ type: 'text', text: 'This call was not answered.' }], isError: true, error: { kind: 'cancelled', message: 'This call was not answered.', retryable: false } }] },
      said,
    ]);
  });

  it.each<[string, object, object]>([
    ['by its own field', { error: 'No file.' }, { kind: 'other', message: 'No file.', retryable: false }],
    ['by the metadata of its event', { metadata: { isError: true, kind: 'timeout', retryable: true } }, { kind: 'timeout', message: '3', retryable: true }],
    ['of a kind that is not known', { metadata: { isError: true, kind: 'odd' } }, { kind: 'other', message: '3', retryable: false }],
  ])('knows a failure %s', (_name, more, error) => {
    expect(agUiHistory([asks('a', undefined, call('c')), result('c', more)]).results.get('c')).toEqual({ ...answered('c'), isError: true, error });
  });

  it('keeps a refusal, sealed blocks and what another agent has sealed', () => {
    expect(read(
      { id: 'o', role: 'reasoning', content: '', metadata: { opaque: true }, encryptedValue: '{"data":"x","meta":{"by":"a"}}' },
      { id: 'k', role: 'reasoning', content: 'Hm', encryptedValue: 'not ours' },
      { id: 'l', role: 'reasoning', content: 'So', encryptedValue: '[1]' },
      { id: 'n', role: 'assistant', content: 'No.', metadata: { refusal: true } },
      asks('a', '', call('c', { encryptedValue: '{"providerId":"p"}' })),
    )).toMatchObject([{ content: [
      { type: 'opaque', data: 'x', meta: { by: 'a' } }, { type: 'reasoning', meta: { encryptedValue: 'not ours' } }, { type: 'reasoning', meta: { encryptedValue: '[1]' } },
      { type: 'refusal', text: 'No.' }, { type: 'tool-call', call: { meta: { providerId: 'p' } } },
    ] }, { role: 'tool' }]);
  });

  it('leaves out activities, what sub-agents said, and reasoning that led to nothing', () => {
    expect(read({ id: 'p', role: 'activity', activityType: 'PLAN', content: {} }, { id: 's', role: 'assistant', content: 'In', subagentRunId: 'child' }, { id: 'k', role: 'reasoning', content: 'Hm' }, user)).toEqual([said]);
  });

  it('keeps what is called system apart', () => {
    expect(agUiHistory([{ id: 's', role: 'system', content: 'Be brief.' }, user, { id: 'd', role: 'developer', content: 'Be kind.' }])).toMatchObject({ system: 'Be brief.\n\nBe kind.', messages: [said] });
    expect(agUiHistory([user])).not.toHaveProperty('system');
  });

  it.each<[string, unknown[]]>([
    ['messages[0] is of type string; it must be an object', ['hi']],
    ['messages[1].role is "robot"; it must be user, assistant, reasoning, tool, system, developer or activity', [user, { role: 'robot' }]],
    ['messages[0].content is null; it must be a text', [{ role: 'system', content: null }]],
    ['messages[0].content is a list; it must be a text', [{ role: 'assistant', content: [] }]],
    ['messages[0].content is missing; it must be a text', [{ role: 'reasoning' }]],
    ['messages[0].toolCalls is of type object; it must be a list', [{ role: 'assistant', toolCalls: {} }]],
    ['messages[0].toolCalls[0].function is missing; it must be an object', [{ role: 'assistant', toolCalls: [{ id: 'c' }] }]],
    ['messages[0].toolCalls[0].function.arguments is of type object; it must be a text', [{ role: 'assistant', toolCalls: [{ id: 'c', function: { name: 'add', arguments: {} } }] }]],
    ['messages[0].toolCalls[1].id is "c", which a call before it has', [asks('a', '', call('c'), call('c'))]],
    ['messages[0].encryptedValue is of type number; it must be a text', [{ role: 'reasoning', content: '', encryptedValue: 1 }]],
    ['messages[0].toolCallId is "c", and no call before it has this id', [result('c')]],
    ['messages[2].toolCallId is "c", and this call has a result already', [asks('a', '', call('c')), result('c'), result('c')]],
    ['messages[1].error is null; it must be a text', [asks('a', '', call('c')), result('c', { error: null })]],
  ])('is refused where it is wrong: %s', (message, messages) => {
    expect(() => agUiHistory(messages)).toThrow(`fromAgUi: input.${message}.`);
  });
});
