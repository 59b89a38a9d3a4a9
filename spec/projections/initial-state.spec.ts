import { describe, expect, it } from '@jest/globals';
import { initialState, userMessage } from '../../lib/index.ts';
import type { AssistantMessage, Message, ToolResult } from '../../lib/index.ts';
import { readMessages, settled } from '../../lib/projections/initial-state.ts';

const call = { id: 'c1', name: 'add', arguments: { a: 1 }, rawArguments: '{ "a": 1 }' };
const turn: AssistantMessage = { role: 'assistant', content: [{ type: 'text', text: 'hm', block: 'b' }, { type: 'tool-call', call }], finish: 'tool-use' };
const result: ToolResult = { callId: 'c1', name: 'add', content: [], isError: false, display: { text: '1' } };

describe('initialState', () => {
  it('is idle and empty without messages', () => {
    expect(initialState()).toEqual({ runId: '', status: 'idle', messages: [], calls: [], requests: [], plan: [], shared: {}, nested: {} });
  });

  it('shows the messages that a run is given, with their calls and results apart', () => {
    const { messages, calls } = initialState([userMessage('go'), turn, { role: 'tool', results: [result] }]);
    expect(messages).toEqual([
      { id: 'input.0', role: 'user', state: 'committed', blocks: [{ type: 'text', text: 'go' }] },
      { id: 'input.1', role: 'assistant', state: 'committed', finish: 'tool-use', blocks: [{ type: 'text', text: 'hm', block: 'b' }, { type: 'tool-call', callId: 'c1' }] },
    ]);
    expect(calls).toEqual([{ callId: 'c1', name: 'add', state: 'ok', argumentsText: '{ "a": 1 }', arguments: { a: 1 }, result, display: { text: '1' } }]);
  });

  it.each(['error', 'aborted'] as const)('says of a turn that ended with %s that it is broken', (finish) => {
    expect(initialState([{ ...turn, finish }]).messages[0]).toMatchObject({ state: 'broken', finish });
  });
});

describe('readMessages', () => {
  it('names messages as it is told, and writes arguments that have no text', () => {
    const given: Message[] = [{ role: 'assistant', content: [{ type: 'tool-call', call: { id: 'x', name: 'mul', arguments: { b: [2] } } }] }];
    const { messages, calls } = readMessages(given, (n) => `m${n}`);
    expect(messages[0]?.id).toBe('m0');
    expect(calls).toEqual([{ callId: 'x', name: 'mul', state: 'asked', argumentsText: '{"b":[2]}', arguments: { b: [2] } }]);
  });
});

describe('settled', () => {
  const open = { callId: 'c1', name: 'add', state: 'running', argumentsText: '' } as const;

  it('leaves a call without a result as it is', () => {
    expect(settled(open, undefined)).toBe(open);
  });

  it('tells a failure from a success, and has a display only where there is one', () => {
    const { display, ...plain } = result;
    expect(settled(open, result)).toEqual({ ...open, state: 'ok', result, display });
    expect(settled(open, { ...plain, isError: true })).toStrictEqual({ ...open, state: 'error', result: { ...plain, isError: true } });
  });
});
