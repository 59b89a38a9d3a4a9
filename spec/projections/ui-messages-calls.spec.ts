import { describe, expect, it } from '@jest/globals';
import type { ApprovalRequestEvent, ToolResult } from '../../lib/index.ts';
import { UiCalls } from '../../lib/projections/ui-messages-calls.ts';
import { maskOf } from '../../lib/projections/ui-messages-mask.ts';

const call = { id: 'c1', name: 'add', arguments: { a: 1 }, rawArguments: '{"a":1}', meta: { signature: 's' } };
const ok: ToolResult = { callId: 'c1', name: 'add', content: [{ type: 'text', text: '3' }], isError: false, output: 3 };
const failed = (kind: 'invalid-input' | 'refused' | 'other'): ToolResult =>
  ({ callId: 'c1', name: 'add', content: [{ type: 'text', text: 'No.' }], isError: true, error: { kind, message: 'No.', retryable: false } });
const said = { runId: 'run1', step: 0, callId: 'c1' };
const asked = (kind: ApprovalRequestEvent['kind']): ApprovalRequestEvent => ({ type: 'approval-request', ...said, id: 'q1', kind, call, reason: 'Why.' });
const calls = (version: 6 | 7 = 7, dynamic = true): UiCalls => new UiCalls({ version, dynamic, text: maskOf(false) });
const settled = { 'rx-tool-loop': { settled: true } };

/** Calls of which one has been written. */
function written(version: 6 | 7 = 7): UiCalls {
  const all = calls(version);
  expect([...all.start(0, 'c1', 'add'), ...all.write(0, '{"a":1}'), ...all.complete(call, 0)].map(({ type }) => type)).toEqual(['tool-input-start', 'tool-input-delta']);
  return all;
}

describe('a call', () => {
  it('is written, accepted and settled', () => {
    const all = written();
    expect([...all.accept(call, { title: 'Adding' })]).toEqual([
      { type: 'tool-input-available', toolCallId: 'c1', toolName: 'add', input: { a: 1 }, dynamic: true, title: 'Adding', providerMetadata: { 'rx-tool-loop': { meta: { signature: 's' } } } },
    ]);
    expect([...all.progress('c1', 'half')]).toEqual([{ type: 'tool-output-available', toolCallId: 'c1', output: 'half', preliminary: true, dynamic: true }]);
    expect([...all.settle(call, ok)]).toEqual([{ type: 'tool-output-available', toolCallId: 'c1', output: 3, dynamic: true, providerMetadata: settled }]);
    expect([...all.settle(call, ok), ...all.progress('c1', 'late'), ...all.end('open')]).toEqual([]);
  });

  it('that waits with its run has an output for now, with a mark that it is no result', () => {
    const all = written();
    const waiting = { type: 'tool-output-available', toolCallId: 'c1', output: { waiting: true }, dynamic: true, providerMetadata: { 'rx-tool-loop': { waiting: true } } };
    expect([...all.wait(call)]).toMatchObject([{ type: 'tool-input-available', toolCallId: 'c1' }, waiting]);
    expect([...all.wait(call)]).toEqual([waiting]);
  });

  it('that is finished without a start gets one, with its whole text [147]', () => {
    expect([...calls().complete(call, 0)]).toEqual([
      { type: 'tool-input-start', toolCallId: 'c1', toolName: 'add', dynamic: true }, { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"a":1}' },
    ]);
  });

  it('drops a piece of what has not begun, or is over [147]', () => {
    expect([...calls().write(3, '{'), ...written().write(0, '}')]).toEqual([]);
  });

  it('is typed by its name where the client has types', () => {
    expect([...calls(7, false).start(0, 'c1', 'add')]).toEqual([{ type: 'tool-input-start', toolCallId: 'c1', toolName: 'add' }]);
  });

  it('whose arguments are refused never has an input that a client could run', () => {
    expect([...written().settle(call, failed('invalid-input'))]).toMatchObject([{ type: 'tool-input-error', toolCallId: 'c1', toolName: 'add', input: { a: 1 }, errorText: 'No.' }]);
  });

  it('says what the model reads, where that is not its output', () => {
    const content = [{ type: 'image', mediaType: 'image/png', data: 'aGk=' }] as const;
    const [chunk] = [...written().settle(call, { ...ok, content, display: { text: 'Drawn.' } })];
    expect(chunk).toMatchObject({ output: 3, toolMetadata: { display: { text: 'Drawn.' } }, providerMetadata: { 'rx-tool-loop': { content } } });
  });

  it('of which nobody has heard is passed over, unless the client holds it', () => {
    const all = calls();
    expect([...all.settle(call, ok), ...all.progress('c1', 1)]).toEqual([]);
    all.isResumed = true;
    expect([...all.accept(call)]).toEqual([]);
    expect([...all.settle(call, ok)]).toHaveLength(1);
  });

  it('that was withdrawn is heard of no more', () => {
    const all = written();
    all.isResumed = true;
    all.withdraw(['c1']);
    expect([...all.progress('c1', 1), ...all.settle(call, ok), ...all.end('open')]).toEqual([]);
  });
});

describe('what is asked of a person', () => {
  it('is terminal for its part until the answer, which version 7 hears as well', () => {
    const all = written();
    expect([...all.ask(asked('approval'))].slice(1)).toEqual([{ type: 'tool-approval-request', approvalId: 'q1', toolCallId: 'c1', reason: 'Why.' }]);
    expect([...all.answer({ type: 'approval-answer', ...said, id: 'q1', kind: 'approval', answer: { type: 'decline', reason: 'No.' } })]).toEqual([
      { type: 'tool-approval-response', approvalId: 'q1', approved: false, reason: 'No.' },
    ]);
    expect([...all.settle(call, failed('refused'))]).toEqual([{ type: 'tool-output-denied', toolCallId: 'c1' }]);
  });

  it('has no reason and no answer for version 6', () => {
    const all = written(6);
    expect([...all.ask(asked('approval'))].at(-1)).toEqual({ type: 'tool-approval-request', approvalId: 'q1', toolCallId: 'c1' });
    expect([...all.answer({ type: 'approval-answer', ...said, id: 'q1', kind: 'approval', answer: { type: 'approve' } })]).toEqual([]);
  });

  it('shows the arguments with which the call would run', () => {
    expect([...written().ask({ ...asked('approval'), call: { ...call, arguments: { a: 9 } } })][0]).toMatchObject({ type: 'tool-input-available', input: { a: 9 } });
  });

  it('is for a result the input alone, with the request that it answers', () => {
    expect([...written().ask(asked('result'))]).toMatchObject([{ type: 'tool-input-available', providerMetadata: { 'rx-tool-loop': { request: 'q1' } } }]);
  });

  it('is told with its request also where the call was approved before, in this message or an earlier one', () => {
    const approved = written();
    expect([...approved.ask(asked('approval')), ...approved.ask(asked('result'))].at(-1)).toMatchObject({ type: 'tool-input-available', providerMetadata: { 'rx-tool-loop': { request: 'q1' } } });
    expect([...calls().ask(asked('result'))]).toMatchObject([{ type: 'tool-input-available', toolName: 'add', providerMetadata: { 'rx-tool-loop': { request: 'q1', meta: { signature: 's' } } } }]);
  });

  it('shows its input once', () => {
    const all = written();
    expect([...all.ask(asked('approval')), ...all.accept(call)].map(({ type }) => type)).toEqual(['tool-input-available', 'tool-approval-request']);
  });

  it('is no part of a tool where a running tool asks', () => {
    expect([...written().ask(asked('input'))]).toEqual([]);
  });

  it('is not told again to the client that answered it', () => {
    const all = calls();
    expect([...all.answer({ type: 'approval-answer', ...said, id: 'q1', kind: 'approval', answer: { type: 'approve' } })]).toEqual([]);
  });

  it('is no denial where a hook has refused', () => {
    expect([...written().settle(call, failed('refused'))]).toMatchObject([{ type: 'tool-input-error' }]);
  });
});

describe('a call that nothing ends any more', () => {
  it('leaves a mark that it was never finished', () => {
    const all = calls();
    expect([...all.start(0, 'c1', 'add'), ...all.end('unfinished')].at(-1)).toMatchObject({ type: 'tool-input-error', providerMetadata: { 'rx-tool-loop': { incomplete: true } } });
  });

  it('is kept while only the unfinished ones end', () => {
    expect([...written().end('unfinished')]).toEqual([]);
  });

  it('leaves the same mark where its step ignores it', () => {
    expect([...written().end('ignored')]).toMatchObject([{ type: 'tool-input-error', providerMetadata: { 'rx-tool-loop': { incomplete: true } } }]);
  });

  it('has an error for its output once it was accepted', () => {
    const all = written();
    expect([...all.accept(call), ...all.end('open')].at(-1)).toMatchObject({ type: 'tool-output-error', errorText: 'The run ended before this call did.' });
  });
});
