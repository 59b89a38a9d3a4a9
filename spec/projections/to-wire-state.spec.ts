import { describe, expect, it } from '@jest/globals';
import { foldState, initialState, userMessage } from '../../lib/index.ts';
import type { CallState, LoopEvent, LoopState } from '../../lib/index.ts';
import { pieces, toWireState, wireBlock, wireCall, wireMessage } from '../../lib/projections/to-wire-state.ts';
import { start } from '../support/events.ts';

const call: CallState = { callId: 'c', name: 'add', state: 'ok', argumentsText: '{}', arguments: {}, display: { text: 'x' } };

describe('toWireState', () => {
  it('has the blocks of all messages in one list', () => {
    const state = initialState([userMessage('a'), { role: 'assistant', content: [{ type: 'text', text: 'b', block: 'x' }, { type: 'opaque', data: 1 }] }]);
    const wire = toWireState(state);
    expect(wire.messages.map(({ id, blocks }) => [id, blocks])).toEqual([['input.0', 1], ['input.1', 2]]);
    expect(wire.blocks).toEqual([{ type: 'text', text: ['a'] }, { type: 'text', text: ['b'], block: 'x' }, { type: 'opaque', data: 1 }]);
  });

  it('goes into nested runs', () => {
    const inner = { ...start(), runId: 'inner', parent: { runId: 'run1', callId: 'c' } } as LoopEvent;
    const state = [start(), inner].reduce<LoopState>(foldState, initialState());
    expect(toWireState(state).nested['inner']).toMatchObject({ runId: 'inner', messages: [], blocks: [] });
  });
});

describe('the parts of a wire state', () => {
  it('count the blocks of a message', () => {
    expect(wireMessage({ id: 'm', role: 'user', state: 'committed', blocks: [{ type: 'text', text: 'a' }] })).toEqual({ id: 'm', role: 'user', state: 'committed', blocks: 1 });
  });

  it('have a text in pieces, and a block without one as it is', () => {
    const image = { type: 'image', url: 'u' } as const;
    expect([wireBlock({ type: 'text', text: 'a' }), wireBlock(image)]).toEqual([{ type: 'text', text: ['a'] }, image]);
    expect(pieces('')).toEqual([]);
  });

  it('leave out of a call what the receiver reads for itself', () => {
    expect(wireCall(call)).toStrictEqual({ callId: 'c', name: 'add', state: 'ok', argumentsText: ['{}'], arguments: {} });
    expect(wireCall({ ...call, state: 'writing' })).toStrictEqual({ callId: 'c', name: 'add', state: 'writing', argumentsText: ['{}'] });
  });
});
