import { describe, expect, it } from '@jest/globals';
import { initialState, userMessage } from '../../lib/index.ts';
import { toWireState } from '../../lib/projections/to-wire-state.ts';
import { WireReader } from '../../lib/projections/wire-reader.ts';

/** A document that may be changed. */
const document = () => JSON.parse(JSON.stringify({
  ...toWireState(initialState([userMessage('one'), userMessage('two')])),
  calls: [{ callId: 'c', name: 'add', state: 'writing', argumentsText: ['{"a":1'] }],
  shared: { here: { x: 1 }, there: { y: 2 } },
})) as { blocks: { text: string[] }[]; calls: { argumentsText: string[] }[]; shared: { here: { x: number }; there: object }; messages: object[] };
const read = (reader: WireReader, wire: object) => reader.state(wire as never);

describe('WireReader', () => {
  it('reads what was not forgotten as the same objects', () => {
    const [reader, wire] = [new WireReader(), document()];
    const first = read(reader, wire);
    expect(read(reader, wire)).toBe(first);
    wire.shared.here.x = 9;
    for (const container of [wire, wire.shared, wire.shared.here]) reader.forget(container, false);
    const second = read(reader, wire);
    expect(second.shared).toEqual({ here: { x: 9 }, there: { y: 2 } });
    expect((second.shared as typeof wire.shared).there).toBe((first.shared as typeof wire.shared).there);
    expect([second.messages === first.messages, second.calls === first.calls]).toEqual([true, true]);
    expect((first.shared as typeof wire.shared).here.x).toBe(1);
  });

  it('reads on where a text has grown, and its message alone anew', () => {
    const [reader, wire] = [new WireReader(), document()];
    const first = read(reader, wire);
    const { blocks } = wire;
    const [, block] = blocks;
    if (block === undefined) throw new Error('There are two blocks.');
    block.text.push('!');
    for (const container of [wire, blocks, block]) reader.forget(container, false);
    reader.forget(block.text, true);
    const second = read(reader, wire);
    expect(second.messages.map((one) => one.blocks)).toEqual([[{ type: 'text', text: 'one' }], [{ type: 'text', text: 'two!' }]]);
    expect([second.messages[0] === first.messages[0], second.messages[1] === first.messages[1]]).toEqual([true, false]);
  });

  it('reads arguments on, and from the start where their pieces were replaced', () => {
    const [reader, wire] = [new WireReader(), document()];
    const [call] = wire.calls;
    if (call === undefined) throw new Error('There is a call.');
    const touch = (isAppended: boolean): unknown => {
      for (const container of [wire, wire.calls, call]) reader.forget(container, false);
      reader.forget(call.argumentsText, isAppended);
      return read(reader, wire).calls[0]?.arguments;
    };
    expect(read(reader, wire).calls[0]?.arguments).toEqual({});
    call.argumentsText.push(',"b":[2');
    expect(touch(true)).toEqual({ a: 1, b: [] });
    call.argumentsText[0] = '{"z":1';
    expect(touch(false)).toEqual({ z: 1, b: [] });
  });

  it('keeps an own member named __proto__', () => {
    const wire = { ...document(), shared: JSON.parse('{"__proto__":{"x":1}}') as object };
    expect(JSON.stringify(read(new WireReader(), wire).shared)).toBe('{"__proto__":{"x":1}}');
  });
});
