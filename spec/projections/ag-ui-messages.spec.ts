import { describe, expect, it } from '@jest/globals';
import { from } from 'rxjs';
import { AgUiMessages } from '../../lib/projections/ag-ui-messages.ts';
import type { AgUiEvent, AgUiMessage } from '../../lib/projections/ag-ui.ts';
import { hear, InProcessAgent } from '../support/ag-ui-client.ts';

const sent: readonly AgUiMessage[] = [
  { id: 'u', role: 'user', content: 'go' },
  { id: 'old', role: 'assistant', content: 'So', toolCalls: [{ id: 'c0', type: 'function', function: { name: 'add', arguments: '{}' } }] },
  { id: 'plan', role: 'activity', activityType: 'PLAN', content: {} },
];
const text = (messageId: string, delta: string): AgUiEvent[] => [
  { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }, { type: 'TEXT_MESSAGE_CONTENT', messageId, delta }, { type: 'TEXT_MESSAGE_END', messageId },
];
const thought = (messageId: string, delta: string): AgUiEvent[] => [
  { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' }, { type: 'REASONING_MESSAGE_CONTENT', messageId, delta }, { type: 'REASONING_MESSAGE_END', messageId },
];
const call = (toolCallId: string, parentMessageId: string): AgUiEvent[] => [
  { type: 'TOOL_CALL_START', toolCallId, toolCallName: 'add', parentMessageId }, { type: 'TOOL_CALL_ARGS', toolCallId, delta: '{"a"' },
  { type: 'TOOL_CALL_ARGS', toolCallId, delta: ':1}' }, { type: 'TOOL_CALL_END', toolCallId },
];
const result = (toolCallId: string): AgUiEvent => ({ type: 'TOOL_CALL_RESULT', messageId: `r-${toolCallId}`, toolCallId, role: 'tool', content: '1' });
const seal = (subtype: 'message' | 'tool-call', entityId: string): AgUiEvent => ({ type: 'REASONING_ENCRYPTED_VALUE', subtype, entityId, encryptedValue: 'sealed' });

const folded = (events: readonly AgUiEvent[]): AgUiMessages => {
  const held = new AgUiMessages(sent);
  for (const event of events) held.fold(event);
  return held;
};
const idsOf = (held: AgUiMessages): string[] => held.snapshot().map(({ id }) => id);

describe('the messages that a client holds', () => {
  it.each<[string, AgUiEvent[]]>([
    ['text and reasoning', [...thought('k', 'Hm'), ...text('t', 'Yes'), seal('message', 'k')]],
    ['a text that goes on', [...text('t', 'one'), ...text('x', 'two'), ...text('t', ' more')]],
    ['calls behind a text, and calls alone', [...text('t', 'See'), ...call('c1', 't'), ...call('c2', 'alone'), seal('tool-call', 'c1')]],
    ['results, each behind the message that asked', [...text('t', 'See'), ...call('c1', 't'), ...call('c2', 't'), ...text('late', 'so'), result('c2'), result('c1'), result('c0')]],
    ['a result that nobody asked for', [result('gone')]],
    ['what a sub-agent says', text('t', 'In').map((event) => ({ ...event, subagentRunId: 'sub' }) as AgUiEvent)],
  ])('are folded as the client itself folds them: %s', async (_name, events) => {
    const all: AgUiEvent[] = [{ type: 'RUN_STARTED', threadId: 't', runId: 'asked', protocolVersion: '1.0' }, ...events, { type: 'RUN_FINISHED', threadId: 't', runId: 'asked', outcome: { type: 'success' } }];
    const { messages, warnings } = await hear(new InProcessAgent(() => from(all), sent));
    expect(warnings).toEqual([]);
    expect(folded(events).snapshot()).toEqual(messages.filter(({ role }) => role !== 'activity'));
  });

  it('leave activities to the client', () => {
    expect(idsOf(folded([]))).toEqual(['u', 'old']);
  });

  it('say of a failed result what went wrong, for which the event has no field', () => {
    const failed = { ...result('c0'), metadata: { isError: true } } as AgUiEvent;
    expect(folded([failed]).snapshot().at(-1)).toMatchObject({ role: 'tool', content: '1', error: '1' });
  });

  it('are copies: what is said later does not change a snapshot', () => {
    const held = folded([...text('t', 'one'), ...call('c1', 't')]);
    const before = held.snapshot();
    const copy = structuredClone(before);
    for (const event of [...text('t', 'two'), ...call('c2', 't'), ...call('c1', 't')]) held.fold(event);
    expect(before).toEqual(copy);
    expect(sent[1]).toMatchObject({ content: 'So' });
  });

  it('forget what is withdrawn, and keep the rest of a message', () => {
    const held = folded([...text('t', 'See'), ...call('c1', 't'), ...call('c2', 't'), ...text('x', 'No')]);
    expect(held.withdraw(new Set(['x']), new Set(['c1']))).toBe(true);
    expect(idsOf(held)).toEqual(['u', 'old', 't']);
    expect(held.snapshot().at(-1)).toMatchObject({ content: 'See', toolCalls: [{ id: 'c2' }] });
    expect(held.has('x')).toBe(false);
    expect(held.toolOf('c1')).toBeUndefined();
    expect(held.toolOf('c2')).toBe('add');
  });

  it('lose a message of which nothing is left', () => {
    const held = folded(call('c1', 'alone'));
    held.withdraw(new Set(), new Set(['c1']));
    expect(idsOf(held)).toEqual(['u', 'old']);
  });

  it('stay as they are where there is nothing to withdraw', () => {
    expect(folded(text('t', 'See')).withdraw(new Set(['x']), new Set(['y']))).toBe(false);
  });

  it('keep one blank reasoning where none would stay, and none where another does', () => {
    const both = folded([...thought('k', 'bad'), seal('message', 'k'), ...thought('l', 'bad too')]);
    both.withdraw(new Set(['k', 'l']), new Set());
    expect(both.snapshot().slice(2)).toEqual([{ id: 'k', role: 'reasoning', content: '' }]);

    const one = folded([...thought('k', 'bad'), ...thought('l', 'good')]);
    one.withdraw(new Set(['k']), new Set());
    expect(one.snapshot().slice(2)).toEqual([{ id: 'l', role: 'reasoning', content: 'good' }]);
  });
});
