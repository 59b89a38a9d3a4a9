import { describe, expect, it } from '@jest/globals';
import { openaiChatCalls } from '../../lib/deltas/openai-chat-calls.ts';
import type { CallFragment } from '../../lib/deltas/openai-chat-calls.ts';
import type { Delta } from '../../lib/delta.ts';

/** A fragment as `[index, id, name, arguments]`; undefined is absent. `END` is the proof that nothing was cut. */
type Row = readonly [index?: number | undefined, id?: string | undefined, name?: string | undefined, args?: unknown] | 'END';

/** Deltas as `+0 id name`, `0 chunk`, `-0 arguments`, `?` for one that was reported. */
function said(...rows: Row[]): string[] {
  const lines: string[] = [];
  let made = 0;
  const calls = openaiChatCalls(() => `made-${(made += 1)}`, (delta) => void lines.push(spell(delta)));
  for (const row of rows) {
    if (row === 'END') calls.end();
    else calls.add(fragment(row));
  }
  return lines;
}

function fragment([index, id, name, args]: Exclude<Row, 'END'>): CallFragment {
  return {
    ...(index !== undefined && { index }),
    ...(id !== undefined && { id }),
    function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
  };
}

function spell(delta: Delta): string {
  switch (delta.type) {
    case 'tool-call-start':
      return `+${delta.index} ${delta.id} ${delta.name}`;
    case 'tool-call-arguments':
      return `${delta.index} ${delta.chunk}`;
    case 'tool-call-end':
      return `-${delta.index} ${delta.call.id} ${JSON.stringify(delta.call.arguments)}`;
    default:
      return '?';
  }
}

describe('openaiChatCalls', () => {
  it.each<[name: string, rows: Row[], lines: string[]]>([
    ['one in pieces', [[0, 'a', 'f', ''], [0, , , '{"x"'], [0, , , ':1}'], 'END'], ['+0 a f', '0 {"x"', '0 :1}', '-0 a {"x":1}']],
    ['one whole', [[0, 'a', 'f', '{"x":1}'], 'END'], ['+0 a f', '0 {"x":1}', '-0 a {"x":1}']],
    ['one without arguments', [[0, 'a', 'f', ''], 'END'], ['+0 a f', '-0 a {}']],
    ['null arguments', [[0, 'a', 'f', null], 'END'], ['+0 a f', '-0 a {}']],
    ['arguments as an object', [[0, 'a', 'f', { x: 1 }], 'END'], ['+0 a f', '0 {"x":1}', '-0 a {"x":1}']],
    ['text that is no JSON', [[0, 'a', 'f', '{"x'], 'END'], ['+0 a f', '0 {"x', '-0 a "{\\"x"']],
    ['two, the first ended by the second', [[0, 'a', 'f', '{}'], [1, 'b', 'g', '{}'], 'END'], ['+0 a f', '0 {}', '-0 a {}', '+1 b g', '1 {}', '-1 b {}']],
    ['two that interleave', [[0, 'a', 'f', ''], [1, 'b', 'g', '{'], [0, , , '{}'], [1, , , '}'], 'END'], ['+0 a f', '+1 b g', '1 {', '0 {}', '1 }', '-0 a {}', '-1 b {}']],
    ['the first open while its text is cut', [[0, 'a', 'f', '{'], [1, 'b', 'g', '{}'], [2, 'c', 'h', '{}'], [0, , , '}'], 'END'],
      ['+0 a f', '0 {', '+1 b g', '1 {}', '+2 c h', '2 {}', '0 }', '-0 a {}', '-1 b {}', '-2 c {}']],
    ['an id that comes after the name', [[0, , 'f', '{'], [0, 'a', , '}'], 'END'], ['+0 a f', '0 {}', '-0 a {}']],
    ['a name that comes after the id', [[0, 'a', , '{'], [0, , 'f', '}'], 'END'], ['+0 a f', '0 {}', '-0 a {}']],
    ['no id at all', [[0, , 'f', '{}'], [1, '', 'g', '{}'], 'END'], ['+0 made-1 f', '0 {}', '-0 made-1 {}', '+1 made-2 g', '1 {}', '-1 made-2 {}']],
    ['empty and repeated ids and names', [[0, 'a', 'f', '{'], [0, '', '', ''], [0, 'a', 'f', '}'], 'END'], ['+0 a f', '0 {', '0 }', '-0 a {}']],
    ['another id under the same index', [[0, 'a', 'f', '{}'], [0, 'b', 'g', '{"x"'], [0, , , ':1}'], 'END'],
      ['+0 a f', '0 {}', '-0 a {}', '+1 b g', '1 {"x"', '1 :1}', '-1 b {"x":1}']],
    ['another id but no name: the first id holds', [[0, 'a', 'f', '{'], [0, 'b', , '}'], 'END'], ['+0 a f', '0 {', '0 }', '-0 a {}']],
    ['no index, by id', [[, 'a', 'f', ''], [, 'b', 'g', '{'], [, 'a', , '{}'], [, 'b', , '}'], 'END'], ['+0 a f', '+1 b g', '1 {', '0 {}', '1 }', '-0 a {}', '-1 b {}']],
    ['neither index nor id, by name', [[, , 'f', '{'], [, , , '}'], [, , 'f', '{}'], 'END'], ['+0 made-1 f', '0 {}', '-0 made-1 {}', '+1 made-2 f', '1 {}', '-1 made-2 {}']],
    ['indexes with gaps and from anywhere', [[7, 'a', 'f', '{}'], [3, 'b', 'g', '{}'], 'END'], ['+0 a f', '0 {}', '-0 a {}', '+1 b g', '1 {}', '-1 b {}']],
    ['a call without a name', [[0, 'a', , '{}'], 'END'], ['?']],
    ['one after a call without a name', [[0, 'a', , '{}'], [1, 'b', 'g', '{}'], 'END'], ['?', '+0 b g', '0 {}', '-0 b {}']],
    ['more text for a call that has ended', [[0, 'a', 'f', '{}'], 'END', [0, , , '{"x":1}'], [0, , , ' ']], ['+0 a f', '0 {}', '-0 a {}', '?']],
    ['a call after the end', [[0, 'a', 'f', '{}'], 'END', [1, 'b', 'g', '{}'], 'END', 'END'], ['+0 a f', '0 {}', '-0 a {}', '+1 b g', '1 {}', '-1 b {}']],
    ['a call without an end', [[0, 'a', 'f', '{"x":1}']], ['+0 a f', '0 {"x":1}']],
    ['JSON that is no object, ended only at the end', [[0, 'a', 'f', '1'], [1, 'b', 'g', '{}'], 'END'], ['+0 a f', '0 1', '+1 b g', '1 {}', '-0 a 1', '-1 b {}']],
  ])('reads %s', (_name, rows, lines) => {
    expect(said(...rows)).toEqual(lines);
  });

  it('keeps the text of the arguments verbatim', () => {
    const deltas: Delta[] = [];
    const calls = openaiChatCalls(() => 'made', (delta) => void deltas.push(delta));
    calls.add(fragment([0, 'a', 'f', '{ "x" : 1.0 }']));
    calls.end();
    expect(deltas.at(-1)).toEqual({
      type: 'tool-call-end',
      index: 0,
      call: { id: 'a', name: 'f', arguments: { x: 1 }, rawArguments: '{ "x" : 1.0 }' },
    });
  });

  it('takes wrong types for absent', () => {
    const lines: string[] = [];
    const calls = openaiChatCalls(() => 'made', (delta) => void lines.push(spell(delta)));
    calls.add({ index: 'x', id: 5, function: { name: 'f', arguments: 7 } });
    calls.add({ index: null, id: null, function: null });
    calls.add({});
    calls.end();
    expect(lines).toEqual(['+0 made f', '-0 made {}']);
    expect([calls.opened(), calls.started()]).toEqual([1, 1]);
  });

  it('keeps names like those of Object apart', () => {
    expect(said([, '__proto__', 'constructor', '{'], [, '__proto__', , '}'], 'END')).toEqual(['+0 __proto__ constructor', '0 {', '0 }', '-0 __proto__ {}']);
  });

  it('counts a call without a name among those that were opened alone', () => {
    const calls = openaiChatCalls(() => 'made', () => undefined);
    expect([calls.opened(), calls.started()]).toEqual([0, 0]);
    calls.add(fragment([0, 'a', , '{}']));
    calls.end();
    expect([calls.opened(), calls.started()]).toEqual([1, 0]);
  });

  it('keeps what a server signs a call with, for that server', () => {
    const deltas: Delta[] = [];
    const calls = openaiChatCalls(() => 'made', (delta) => void deltas.push(delta), 'gemini.test');
    const extra_content = { google: { thought_signature: 's' } };
    calls.add({ ...fragment([0, 'a', 'f', '{}']), extra_content });
    calls.end();
    expect(deltas.at(-1)).toMatchObject({ call: { id: 'a', meta: { server: 'gemini.test', extra_content } } });
  });
});
