import { describe, expect, it } from '@jest/globals';
import { closed, handOut, saysSomething, turnOf, unreported, withoutReasoning } from '../../lib/loop/close.ts';
import { toolCall, userMessage } from '../../lib/message.ts';
import type { AssistantMessage, AssistantPart } from '../../lib/message.ts';

const text: AssistantPart = { type: 'text', text: 'hi', block: 'b' };
const thought: AssistantPart = { type: 'reasoning', text: 'hm' };
const signed: AssistantPart = { type: 'reasoning', text: 'hm', meta: { signature: 's' } };
const call: AssistantPart = { type: 'tool-call', call: toolCall('c', 'add', '{}') };
const turn = (...content: AssistantPart[]): AssistantMessage => ({ role: 'assistant', content });

describe('saysSomething', () => {
  it.each<[string, AssistantPart[], boolean]>([
    ['nothing', [], false],
    ['empty text', [{ type: 'text', text: '' }], false],
    ['reasoning alone', [thought, signed], false],
    ['text', [thought, text], true],
    ['a refusal', [{ type: 'refusal', text: 'no' }], true],
    ['a call', [call], true],
  ])('judges %s', (_name, parts, says) => {
    expect(saysSomething(parts)).toBe(says);
  });
});

describe('turnOf', () => {
  it('is the parts with how they ended', () => {
    const finish = { type: 'finish', reason: 'stop', model: 'm-1' } as const;
    expect(turnOf({ parts: [text], finish }, { finish: 'stop', usage: { inputTokens: 1 } })).toEqual({
      role: 'assistant', content: [text], finish: 'stop', usage: { inputTokens: 1 }, model: 'm-1',
    });
    expect(turnOf({ parts: [text], finish: undefined }, { finish: 'error', usage: undefined })).toEqual({ role: 'assistant', content: [text], finish: 'error' });
  });

  it('is none where nothing was said', () => {
    expect(turnOf({ parts: [thought], finish: undefined }, { finish: 'stop', usage: undefined })).toBeUndefined();
  });
});

describe('closed', () => {
  it('puts a turn and its results together, or neither', () => {
    const results = unreported({ calls: [toolCall('c', 'add', '{}')] }, 'Stopped.');
    expect(closed(turn(call), results)).toEqual([turn(call), { role: 'tool', results }]);
    expect(closed(turn(text), [])).toEqual([turn(text)]);
    expect(closed(undefined, [])).toEqual([]);
  });
});

describe('unreported', () => {
  it('gives each call the error result that says why it did not run', () => {
    expect(unreported({ calls: [toolCall('c', 'add', '{}'), toolCall('d', 'mul', '{}')] }, 'Stopped.')).toEqual([
      { callId: 'c', name: 'add', content: [{ type: 'text', text: 'Stopped.' }], isError: true, error: { kind: 'cancelled', message: 'Stopped.', retryable: false } },
      { callId: 'd', name: 'mul', content: [{ type: 'text', text: 'Stopped.' }], isError: true, error: { kind: 'cancelled', message: 'Stopped.', retryable: false } },
    ]);
  });
});

describe('handOut', () => {
  const messages = [userMessage('go'), turn(thought, text), turn(thought, signed, call)];

  it('hands everything out where reasoning is kept', () => {
    expect(handOut(messages, 1, true)).toBe(messages);
  });

  it("leaves the readable reasoning of the run's own turns out, never a signed one", () => {
    expect(handOut(messages, 1, false)).toEqual([userMessage('go'), turn(text), turn(signed, call)]);
  });

  it('does not touch the messages that the run was given', () => {
    const handed = handOut(messages, 2, false);
    expect(handed[1]).toBe(messages[1]);
    expect(handed[2]).toEqual(turn(signed, call));
  });
});

describe('withoutReasoning', () => {
  it('is the very turn where there is none', () => {
    const plain = turn(text, signed);
    expect(withoutReasoning(plain)).toBe(plain);
  });
});
