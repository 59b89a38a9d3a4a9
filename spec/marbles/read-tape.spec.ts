import { describe, expect, it } from '@jest/globals';
import { readTape } from '../../marbles/index.ts';
import { read } from '../guards/support/project.ts';
import { events } from '../support/examples.ts';

const HEADER = '{"tape":1,"startedAt":"2026-01-05T05:03:09.000Z","model":"m","tools":["add"]}';
const START = '{"at":0,"event":{"type":"run-start","runId":"r"}}';
const tapeOf = (...lines: string[]): string => [HEADER, ...lines].map((line) => `${line}\n`).join('');

describe('readTape', () => {
  it('reads what the command has written', () => {
    const { header, lines } = readTape(read('docs/diagrams/nested.jsonl'));
    expect(header).toEqual({ tape: 1, startedAt: '2026-01-05T05:03:09.000Z', model: 'model', tools: ['research', 'send'] });
    expect(lines).toHaveLength(47);
    expect(lines.at(-1)).toMatchObject({ event: { type: 'done' } });
  });

  it.each(Object.values(events).map((event) => [event.type, event] as const))('takes an event %s with every field as it is', (_type, event) => {
    expect(readTape(tapeOf(JSON.stringify({ at: 1, event }))).lines[0]).toEqual(JSON.parse(JSON.stringify({ at: 1, event })));
  });

  it('keeps events and fields that it does not know, and passes over empty lines and a byte order mark', () => {
    const later = '{"at":3,"event":{"type":"dream","runId":"r","of":{"sheep":1}},"more":1}';
    const { header, lines } = readTape(`\ufeff\n${tapeOf(START, '', later).replace('"m"', '"m","host":"x"')}`);
    expect(header).toMatchObject({ host: 'x' });
    expect(lines[1]).toEqual(JSON.parse(later));
  });

  it('ends with the error of a run that failed, or in the middle of one that was left', () => {
    expect(readTape(tapeOf(START, '{"at":9,"error":{"code":"a","message":"b","retryable":false}}')).lines[1]).toMatchObject({ error: { code: 'a' } });
    expect(readTape(tapeOf()).lines).toEqual([]);
  });

  it.each([
    ['an empty text', '', 'it is empty. Give one that "rx-tool-loop run --json" has written.'],
    ['no JSON', 'hello', 'line 1 is no JSON.'],
    ['no header', START, 'line 1 is no header such as {"tape":1,...}.'],
    ['null', 'null', 'line 1 is no header such as {"tape":1,...}.'],
    ['a later version', '{"tape":2}', 'line 1 says that the tape has version 2, and this version of the package reads 1.'],
    ['a header without a time', '{"tape":1,"startedAt":"noon"}', 'line 1 is a header without a time as startedAt.'],
    ['a header without model', '{"tape":1,"startedAt":"2026-01-05T05:03:09.000Z"}', 'line 1 is a header without model.'],
    ['a header without tools', HEADER.replace('["add"]', '[1]'), 'line 1 is a header without a list of names as tools.'],
    ['a torn last line', tapeOf(START, '{"at":1,"ev'), 'line 3 is no JSON.'],
    ['a list', tapeOf('[]'), 'line 2 is no JSON object.'],
    ['no time', tapeOf('{"event":{"type":"run-start","runId":"r"}}'), 'line 2 has no whole number of milliseconds as at.'],
    ['half a millisecond', tapeOf(START.replace('0', '0.5')), 'line 2 has no whole number of milliseconds as at.'],
    ['a time that goes back', tapeOf(START.replace('0', '5'), START), 'line 3 is at 0 ms, before the line above it.'],
    ['neither event nor error', tapeOf('{"at":1}'), 'line 2 has neither an event nor an error, or both.'],
    ['both', tapeOf('{"at":1,"event":{},"error":{}}'), 'line 2 has neither an event nor an error, or both.'],
    ['an error without code', tapeOf('{"at":1,"error":{"message":"b"}}'), 'line 2 has an error without code and message.'],
    ['a line after the error', tapeOf('{"at":1,"error":{"code":"a","message":"b"}}', START), 'line 3 comes after the error that ends the run.'],
    ['an event without type', tapeOf('{"at":1,"event":{"runId":"r"}}'), 'line 2 has an event without a type.'],
    ['an event without run', tapeOf('{"at":1,"event":{"type":"status"}}'), 'line 2 has an event "status" without runId.'],
    ['half a parent', tapeOf('{"at":1,"event":{"type":"run-start","runId":"r","parent":{"runId":"s"}}}'), 'line 2 has an event "run-start" whose parent has no runId and callId.'],
    ['a call without a name', tapeOf('{"at":1,"event":{"type":"tool-start","runId":"r","step":0,"callId":"c","call":{}}}'), 'line 2 has an event "tool-start" without call.name.'],
    ['a list that is none', tapeOf('{"at":1,"event":{"type":"plan","runId":"r","entries":[1]}}'), 'line 2 has an event "plan" without entries.'],
    ['an outcome without usage', tapeOf('{"at":1,"event":{"type":"done","runId":"r","outcome":{"reason":"answer"}}}'), 'line 2 has an event "done" without outcome.usage.'],
    ['a delta without text', tapeOf('{"at":1,"event":{"type":"delta","runId":"r","step":0,"delta":{"type":"text","block":"b"}}}'), 'line 2 has a delta "text" without text.'],
    ['a run inside of itself', tapeOf(...['a', 'b', 'a'].map((id, at, ids) => `{"at":${at},"event":{"type":"run-start","runId":"${id}","parent":{"runId":"${ids[at + 1] ?? 'b'}","callId":"c"}}}`)), 'line 3 has a run that is inside of itself.'],
    ['a step that is no number', tapeOf('{"at":1,"event":{"type":"step-start","runId":"r","step":"0"}}'), 'line 2 has an event "step-start" without step.'],
  ])('says in one line what is wrong with %s', (_name, text, message) => {
    expect(() => readTape(text)).toThrow(expect.objectContaining({ code: 'config', message: `This is no tape: ${message}` }));
  });
});
