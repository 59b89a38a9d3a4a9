import { describe, expect, it } from '@jest/globals';
import type { CallState } from '../../lib/index.ts';
import { readArguments } from '../../lib/projections/read-arguments.ts';

const open: CallState = { callId: 'c', name: 'add', state: 'writing', argumentsText: '' };
const json = '{"a":{"b":1},"list":["x","y"],"text":"né"}';

describe('readArguments', () => {
  it('has the best reading after each piece', () => {
    const first = readArguments(open, '{"a":[1,');
    expect(first).toEqual({ ...open, argumentsText: '{"a":[1,', arguments: { a: [1] } });
    expect(readArguments(first, '2]}').arguments).toEqual({ a: [1, 2] });
  });

  it('has no arguments before anything is known', () => {
    expect(readArguments(open, ' ')).toStrictEqual({ ...open, argumentsText: ' ' });
  });

  it('comes to what the text says, wherever it is cut', () => {
    for (let at = 0; at <= json.length; at++) {
      expect(readArguments(readArguments(open, json.slice(0, at)), json.slice(at)).arguments).toEqual(JSON.parse(json));
    }
  });

  it('keeps the parts that did not change', () => {
    const first = readArguments(open, '{"a":{"b":1},"c":"x');
    const second = readArguments(first, 'y');
    expect((second.arguments as { a: unknown }).a).toBe((first.arguments as { a: unknown }).a);
    expect(first.arguments).toEqual({ a: { b: 1 }, c: 'x' });
  });

  it('reads on from any call, also from one that was read on before or that came as JSON', () => {
    const first = readArguments(open, '{"a":');
    const [one, two] = [readArguments(first, '1}'), readArguments(first, '2}')];
    const copy = readArguments(JSON.parse(JSON.stringify(first)) as CallState, '3}');
    expect([one, two, copy].map((call) => call.arguments)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  });
});
