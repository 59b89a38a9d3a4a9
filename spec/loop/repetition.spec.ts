import { describe, expect, it } from '@jest/globals';
import { NO_REPEATS, repeatCount, repeated } from '../../lib/loop/repetition.ts';
import { toolCall } from '../../lib/message.ts';
import type { ToolCall, ToolResult } from '../../lib/message.ts';

interface Said {
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
  readonly results?: readonly ToolResult[];
}

let id = 0;
const call = (name: string, raw = '{}'): ToolCall => toolCall(`c${++id}`, name, raw);
const result = (text: string, isError = false): ToolResult => ({ callId: `c${id}`, name: 'add', content: [{ type: 'text', text }], isError });
const round = (name = 'add', raw = '{"a":1}', text = '2', isError = false): Said => ({ calls: [call(name, raw)], results: [result(text, isError)] });

const count = (...steps: readonly Said[]): number =>
  repeatCount(steps.reduce((before, { text = '', calls = [], results = [] }) => repeated(before, text, calls, results), NO_REPEATS));

describe('repeatCount', () => {
  it.each<[string, readonly Said[], number]>([
    ['no step', [], 0],
    ['one step', [{ text: 'a' }], 1],
    ['equal texts', [{ text: 'a' }, { text: 'a' }, { text: 'a' }], 3],
    ['another text', [{ text: 'a' }, { text: 'a' }, { text: 'b' }], 1],
    ['a text that comes back', [{ text: 'a' }, { text: 'b' }, { text: 'a' }], 1],
    ['steps that say nothing', [{}, {}, {}], 0],
    ['equal calls and results, ids aside', [round(), round()], 2],
    ['another tool', [round(), round('mul')], 1],
    ['other arguments', [round(), round('add', '{"a":2}')], 1],
    ['another result', [round(), round('add', '{"a":1}', '3')], 1],
    ['a result that is an error', [round(), round('add', '{"a":1}', '2', true)], 1],
    ['other spaces in equal arguments', [round(), round('add', '{ "a": 1 }')], 2],
    ['fewer calls', [{ calls: [call('add'), call('add')], results: [] }, { calls: [call('add')], results: [] }], 1],
    ['equal calls with other words', [{ ...round(), text: 'a' }, { ...round(), text: 'b' }], 2],
    ['equal words with other calls', [{ ...round(), text: 'a' }, { ...round('mul'), text: 'a' }], 2],
    ['a step in between that says nothing', [{ text: 'a' }, {}, { text: 'a' }], 1],
  ])('of %s', (_name, steps, expected) => {
    expect(count(...steps)).toBe(expected);
  });

  it('is of the longer of the two rows', () => {
    expect(count({ ...round(), text: 'a' }, { ...round('mul'), text: 'a' }, { ...round('mul'), text: 'a' })).toBe(3);
  });
});

describe('repeated', () => {
  it('changes nothing of what was before', () => {
    const before = repeated(NO_REPEATS, 'a', [], []);
    repeated(before, 'a', [], []);
    expect(before.text).toEqual({ key: 'a', count: 1 });
    expect(NO_REPEATS).toEqual({ text: { key: '', count: 0 }, calls: { key: '', count: 0 } });
  });
});
