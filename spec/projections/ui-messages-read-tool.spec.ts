import { describe, expect, it } from '@jest/globals';
import { UiNode } from '../../lib/projections/ui-messages-read.ts';
import { readTool } from '../../lib/projections/ui-messages-read-tool.ts';

const read = (fields: object) => readTool(new UiNode({ type: 'tool-add', toolCallId: 'c1', input: { a: 1 }, ...fields }, 'messages[0].parts[0]'), 'add');
const call = { type: 'tool-call', call: { id: 'c1', name: 'add', arguments: { a: 1 } } };
const failed = (kind: string, message: string) => ({ callId: 'c1', name: 'add', content: [{ type: 'text', text: message }], isError: true, error: { kind, message, retryable: false } });
const own = (value: object) => ({ 'rx-tool-loop': value });

describe('a tool part', () => {
  it.each<[string, object, object]>([
    ['with an output', { state: 'output-available', output: 3 }, { callId: 'c1', name: 'add', content: [{ type: 'text', text: '3' }], isError: false, output: 3 }],
    ['with a text', { state: 'output-available', output: 'three' }, { callId: 'c1', name: 'add', content: [{ type: 'text', text: 'three' }], isError: false, output: 'three' }],
    ['without an output', { state: 'output-available' }, { callId: 'c1', name: 'add', content: [], isError: false }],
    ['that failed', { state: 'output-error', errorText: 'No.' }, failed('other', 'No.')],
    ['that was denied', { state: 'output-denied', approval: { id: 'q', approved: false, reason: 'Never.' } }, failed('refused', 'Never.')],
    ['that is declined', { state: 'approval-responded', approval: { id: 'q', approved: false } }, failed('refused', 'The call was declined.')],
    ['that is approved', { state: 'approval-responded', approval: { id: 'q', approved: true } }, failed('cancelled', 'The call was approved, but it has not run.')],
    ['that waits', { state: 'approval-requested', approval: { id: 'q' } }, failed('cancelled', 'The call was not approved, and has not run.')],
    ['that nobody answered', { state: 'input-available' }, failed('cancelled', 'The call was not answered.')],
    ['that went on waiting', { state: 'output-available', output: { waiting: true }, resultProviderMetadata: own({ waiting: true }) }, failed('cancelled', 'The call did not come to an end.')],
    ['that was cut', { state: 'output-available', output: 'half', preliminary: true }, failed('cancelled', 'The call did not come to an end.')],
  ])('%s has one result', (_name, fields, result) => {
    expect(read(fields)).toMatchObject({ parts: [call], result });
  });

  it('that was never finished leaves no trace', () => {
    expect(read({ state: 'input-streaming' })).toEqual({ parts: [] });
    expect(read({ state: 'output-error', errorText: 'x', resultProviderMetadata: own({ incomplete: true }) })).toEqual({ parts: [] });
  });

  it.each<[string, object, unknown]>([
    ['a text that is no JSON', { input: '{"a":' }, { input: '{"a":' }],
    ['a raw text', { input: undefined, rawInput: '{"a":' }, { input: '{"a":' }],
    ['a list', { input: [1] }, { input: [1] }],
    ['nothing', { input: undefined }, {}],
  ])('has an object for arguments, also of %s', (_name, fields, args) => {
    expect(read({ state: 'output-error', errorText: 'x', ...fields }).parts).toEqual([{ type: 'tool-call', call: { id: 'c1', name: 'add', arguments: args } }]);
  });

  it('brings back what its provider wants back, and what the model reads', () => {
    const content = [{ type: 'image', data: 'aGk=', mediaType: 'image/png' }];
    const { parts, result } = read({ state: 'output-available', output: 1, callProviderMetadata: own({ meta: { signature: 's' } }), resultProviderMetadata: own({ settled: true, content }) });
    expect(parts[0]).toMatchObject({ call: { meta: { signature: 's' } } });
    expect(result?.content).toEqual(content);
  });

  it.each([[[{ type: 'text' }]], ['text'], [[{ type: 'file', data: 'x' }]], [[null]]])('is not taken in by a content that is none: %j', (content) => {
    expect(read({ state: 'output-available', output: 1, resultProviderMetadata: own({ content }) }).result?.content).toEqual([{ type: 'text', text: '1' }]);
  });

  it('of the provider is its call and what came of it', () => {
    expect(read({ state: 'output-available', output: [1], providerExecuted: true })).toEqual({
      parts: [{ type: 'server-tool', id: 'c1', name: 'add', phase: 'call', data: { a: 1 } }, { type: 'server-tool', id: 'c1', name: 'add', phase: 'result', data: [1] }],
    });
    expect(read({ state: 'input-available', providerExecuted: true }).parts).toHaveLength(1);
  });

  it.each<[object, string]>([
    [{ state: 'odd' }, 'messages[0].parts[0].state is "odd", which no tool part has'],
    [{}, 'messages[0].parts[0].state is missing'],
    [{ state: 'approval-responded', approval: { id: 'q' } }, 'messages[0].parts[0].approval.approved is neither true nor false'],
    [{ state: 'output-error' }, 'messages[0].parts[0].errorText is missing'],
  ])('that is wrong is refused with its place: %j', (fields, message) => {
    expect(() => read(fields)).toThrow(message);
  });
});

describe('an answer', () => {
  it('is an approval or a refusal, by the id that was asked', () => {
    expect(read({ state: 'approval-responded', approval: { id: 'q', approved: true } }).answer).toEqual(['q', { type: 'approve' }]);
    expect(read({ state: 'approval-responded', approval: { id: 'q', approved: false, reason: 'No.' } }).answer).toEqual(['q', { type: 'decline', reason: 'No.' }]);
  });

  const asked = { callProviderMetadata: own({ request: 'q' }) };

  it('is a result of the client, good or bad', () => {
    expect(read({ state: 'output-available', output: { a: 1 }, ...asked }).answer).toEqual(['q', { type: 'result', content: [{ type: 'text', text: '{"a":1}' }] }]);
    expect(read({ state: 'output-error', errorText: 'No.', ...asked }).answer).toEqual(['q', { type: 'result', content: 'No.', isError: true }]);
  });

  it('is none once the server has said the result, nor before there is one', () => {
    expect(read({ state: 'output-available', output: 1, ...asked, resultProviderMetadata: own({ settled: true }) }).answer).toBeUndefined();
    expect(read({ state: 'input-available', ...asked }).answer).toBeUndefined();
    expect(read({ state: 'output-available', output: 1, preliminary: true, ...asked }).answer).toBeUndefined();
  });

  it('is all that is read of a call of a run below', () => {
    expect(read({ state: 'approval-responded', approval: { id: 'q', approved: true }, callProviderMetadata: own({ nested: 'run2' }) })).toEqual({ parts: [], answer: ['q', { type: 'approve' }] });
  });
});
