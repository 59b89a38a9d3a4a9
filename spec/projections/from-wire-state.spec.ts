import { describe, expect, it } from '@jest/globals';
import { initialState, userMessage } from '../../lib/index.ts';
import { fromWireState } from '../../lib/projections/from-wire-state.ts';
import { toWireState } from '../../lib/projections/to-wire-state.ts';

describe('fromWireState', () => {
  it('is the inverse of toWireState, also through JSON', () => {
    const call = { id: 'c', name: 'add', arguments: { a: 1 } };
    const result = { callId: 'c', name: 'add', content: [], isError: false, display: { text: 'x' } };
    const state = initialState([userMessage('go'), { role: 'assistant', content: [{ type: 'text', text: 'hm' }, { type: 'tool-call', call }] }, { role: 'tool', results: [result] }]);
    expect(fromWireState(toWireState(state))).toEqual(state);
    expect(fromWireState(JSON.parse(JSON.stringify(toWireState(state))) as ReturnType<typeof toWireState>)).toEqual(state);
  });

  it('reads the arguments of a call that is still written', () => {
    const wire = { ...toWireState(initialState()), calls: [{ callId: 'c', name: 'add', state: 'writing', argumentsText: ['{"a":', '[1'] }] } as const;
    expect(fromWireState(wire).calls).toEqual([{ callId: 'c', name: 'add', state: 'writing', argumentsText: '{"a":[1', arguments: { a: [] } }]);
  });

  it('gives a state that shares nothing with the document', () => {
    const wire = { ...toWireState(initialState()), shared: { list: [1] } };
    const state = fromWireState(wire);
    wire.shared.list.push(2);
    expect(state.shared).toEqual({ list: [1] });
  });
});
