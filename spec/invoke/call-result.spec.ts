import { describe, expect, it } from '@jest/globals';
import { failedResult, isContent, outputResult, partsOf, resultEvent, titleOf } from '../../lib/invoke/call-result.ts';
import { fault } from '../../lib/invoke/fault.ts';
import { toolCall } from '../../lib/message.ts';
import type { Tool } from '../../lib/tool.ts';
import { toolOutput } from '../../lib/tool-output.ts';

const call = toolCall('c', 'add', '{"path":"a"}');
const tool = (change: Partial<Tool> = {}): Tool => ({ name: 'add', ...change }) as Tool;
const whole = ({ message }: { readonly message: string }): string => message;
const result = (value: unknown, change?: Partial<Tool>, errorText = whole) => outputResult(call, tool(change), call.arguments, value, JSON.stringify(value), errorText);
const base = { callId: 'c', name: 'add', isError: false };

describe('failedResult', () => {
  it('tells the model what the policy lets it know, and the program all', () => {
    const error = fault('refused', 'No.');
    expect(failedResult(call, error, () => 'Failed.')).toEqual({ callId: 'c', name: 'add', content: [{ type: 'text', text: 'Failed.' }], isError: true, error });
  });
});

describe('outputResult', () => {
  it.each([
    ['a string, as it is', 'hi', [{ type: 'text', text: 'hi' }]],
    ['anything else, as its JSON text', { a: [1] }, [{ type: 'text', text: '{"a":[1]}' }]],
    ['nothing, as no content', undefined, []],
  ])('is %s', (_name, value, content) => {
    expect(result(value)).toEqual({ ...base, content, ...(value !== undefined && { output: value }) });
  });

  it('is what a rich output says, its output where it says nothing to the model', () => {
    expect(result(toolOutput({ output: 1, content: 'one' }))).toEqual({ ...base, content: [{ type: 'text', text: 'one' }], output: 1 });
    expect(result(toolOutput({ output: { n: 1 } }))).toEqual({ ...base, content: [{ type: 'text', text: '{"n":1}' }], output: { n: 1 } });
    expect(result(toolOutput({}))).toEqual({ ...base, content: [] });
  });

  it.each([5, {}, [5], [null], ['text'], [{}]])('is an error for a content that is none: %j', (content) => {
    expect(result(toolOutput({ content: content as never }))).toMatchObject({ isError: true, error: { message: 'The content of the output must be a text or a list of parts.' } });
  });

  it('is an error that the tool words itself, unless errors stay out', () => {
    const said = toolOutput({ content: 'no', isError: true, output: 1 });
    expect(result(said)).toMatchObject({ isError: true, output: 1, content: [{ text: 'no' }], error: { kind: 'other', message: 'no' } });
    expect(result(said, {}, () => 'Failed.')).toMatchObject({ content: [{ text: 'Failed.' }], error: { message: 'no' } });
    expect(result(toolOutput({ isError: true }))).toMatchObject({ content: [{ text: 'The tool failed.' }] });
  });

  it('shows the files that the tool names, unless its output names them', () => {
    const locations = (): { path: string }[] => [{ path: 'a' }];
    expect(result('x', { locations })).toMatchObject({ display: { locations: [{ path: 'a' }] } });
    expect(result(toolOutput({ display: { text: 't', locations: [{ path: 'b' }] } }), { locations })).toMatchObject({ display: { text: 't', locations: [{ path: 'b' }] } });
  });

  it.each([
    ['throws', () => { throw new Error('boom'); }, 'boom'],
    ['gives no list', () => 'a', 'it gives no list'],
    ['gives what JSON cannot carry', () => [1n], expect.stringContaining('bigint')],
  ])('keeps the result where locations() %s, and says so', (_name, locations, why) => {
    const said = result('x', { locations: locations as never });
    expect(said).toMatchObject({ isError: false, output: 'x' });
    expect(said.display?.text).toEqual(typeof why === 'string' ? `locations() failed: ${why}` : why);
    expect(said.display).not.toHaveProperty('locations');
  });
});

describe('titleOf', () => {
  it('is what the tool says, and nothing where it fails or says no text', () => {
    expect(titleOf(tool({ title: () => 'Add' }), {})).toBe('Add');
    expect(titleOf(tool(), {})).toBeUndefined();
    expect(titleOf(tool({ title: () => { throw new Error('boom'); } }), {})).toBeUndefined();
    expect(titleOf(tool({ title: (() => 5) as never }), {})).toBeUndefined();
  });
});

describe('content', () => {
  it('is a text or a list of parts', () => {
    expect(['', [], [{ type: 'text', text: '' }]].map(isContent)).toEqual([true, true, true]);
    expect([undefined, null, 1, {}, [1]].map(isContent)).toEqual([false, false, false, false, false]);
    expect(partsOf('a')).toEqual([{ type: 'text', text: 'a' }]);
  });
});

describe('resultEvent', () => {
  it('names its call and its place', () => {
    const said = result('x');
    expect(resultEvent(call, { runId: 'r', step: 2 }, 3, said)).toEqual({ type: 'tool-result', runId: 'r', step: 2, callId: 'c', call, result: said, elapsedMs: 3 });
  });
});
