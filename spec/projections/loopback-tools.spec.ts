import { describe, expect, it } from '@jest/globals';
import type { LoopEvent, Parent, ToolDisplay, ToolResult, ToolResultEvent, ToolStart } from '../../lib/index.ts';
import { LoopbackTools } from '../../lib/projections/loopback-tools.ts';

const parent = (callId: string): { readonly parent: Parent } => ({ parent: { runId: 'run1', callId } });
const started = (callId: string, more: Partial<ToolStart> = {}): ToolStart => ({
  type: 'tool-start', runId: 'run1', step: 0, callId, call: { id: callId, name: 'edit', arguments: { path: 'a' } }, startedAt: 7, ...more,
});
const ended = (callId: string, more: Partial<ToolResult> = {}, event: Partial<LoopEvent> = {}): ToolResultEvent =>
  ({
    type: 'tool-result', runId: 'run1', step: 0, callId, call: { id: callId, name: 'edit', arguments: { path: 'a' } }, elapsedMs: 3,
    result: { callId, name: 'edit', content: [{ type: 'text', text: 'done' }], isError: false, ...more }, ...event,
  }) as ToolResultEvent;
const tools = (): LoopbackTools => new LoopbackTools(({ kind, message }) => `${kind}: ${message}`);
const edit = (callId: string): object => ({ toolName: 'edit', toolCallId: callId });

describe('LoopbackTools', () => {
  it('starts a tool with all that is known of it', () => {
    expect(tools().start(started('c', { title: 'Edit a', kind: 'edit', speculative: true }))).toEqual({
      type: 'tool-start', ...edit('c'), startedAt: 7, params: { path: 'a' }, title: 'Edit a', kind: 'edit', speculative: true,
    });
    expect(tools().start(started('c'))).toEqual({ type: 'tool-start', ...edit('c'), startedAt: 7, params: { path: 'a' } });
  });

  it('shows what the model reads, with the time of the start', () => {
    const some = tools();
    some.start(started('c'));
    expect(some.result(ended('c'))).toEqual([{ type: 'tool-output', ...edit('c'), startedAt: 7, display: 'done', isError: false }]);
  });

  it('shows what the tool gave for a screen in its place', () => {
    const display: ToolDisplay = {
      text: '1 line changed', diff: { path: 'a', oldText: 'x', newText: 'y' }, locations: [{ path: 'a', line: 3 }], terminalId: 't1',
      filterStats: { linesIn: 9, linesOut: 2 }, keptLines: [1, 9], raw: { ok: true },
    };
    const { text, raw, ...same } = display;
    const some = tools();
    some.start(started('c'));
    expect(some.result(ended('c', { display }))).toEqual([
      { type: 'tool-output', ...edit('c'), startedAt: 7, display: text, isError: false, ...same, rawResponse: raw },
    ]);
  });

  it('starts one that never ran right before its output', () => {
    expect(tools().result(ended('c'))).toEqual([
      { type: 'tool-start', ...edit('c'), params: { path: 'a' } },
      { type: 'tool-output', ...edit('c'), display: 'done', isError: false },
    ]);
  });

  it.each<[string, Partial<ToolResult>, string]>([
    ['a failure in its own words for people', { isError: true, error: { kind: 'network', message: 'gone', retryable: true } }, 'network: gone'],
    ['a failure without a fault as one of kind other', { isError: true }, 'other: done'],
    ['what the tool itself wants to be shown of it', { isError: true, display: { text: 'Offline.' } }, 'Offline.'],
    ['an image by its name', { content: [{ type: 'image', mediaType: 'image/png', data: '' }] }, '[image image/png]'],
    ['nothing of no content', { content: [] }, ''],
  ])('shows %s', (_name, result, display) => {
    expect(tools().result(ended('c', result)).at(-1)).toMatchObject({ type: 'tool-output', display, isError: result.isError ?? false });
  });

  it('names the call that a tool of a sub-agent runs for, at its start and its output', () => {
    const some = tools();
    expect(some.start(started('n', parent('c')))).toMatchObject({ ...edit('n'), parentToolUseId: 'c' });
    expect(some.result(ended('n', {}, parent('c')))).toMatchObject([{ ...edit('n'), parentToolUseId: 'c' }]);
    expect(some.result(ended('m', {}, parent('c')))).toMatchObject([{ parentToolUseId: 'c' }, { parentToolUseId: 'c' }]);
  });

  it('ends what a sub-agent left open, the deepest first, before the output of its own call', () => {
    const some = tools();
    some.start(started('c'));
    some.start(started('other'));
    some.start(started('n', parent('c')));
    some.start(started('m', parent('n')));
    const outputs = some.result(ended('c', { isError: true }));
    expect(outputs.map((event) => ('toolCallId' in event ? event.toolCallId : ''))).toEqual(['m', 'n', 'c']);
    expect(outputs[0]).toEqual({ type: 'tool-output', ...edit('m'), parentToolUseId: 'n', startedAt: 7, display: 'The tool did not end.', isError: true });
    expect(some.end()).toMatchObject([edit('other')]);
  });

  it('takes tools back with what runs below them, and then says nothing more of them', () => {
    const some = tools();
    some.start(started('c'));
    some.start(started('n', parent('c')));
    some.start(started('kept'));
    expect(some.retract(['c', 'never-shown'])).toEqual(['n', 'c']);
    expect(some.retract(['c'])).toEqual([]);
    some.start(started('below', parent('kept')));
    expect(some.end()).toMatchObject([edit('below'), edit('kept')]);
    expect(some.end()).toEqual([]);
  });
});
