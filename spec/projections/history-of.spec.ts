import { describe, expect, it } from '@jest/globals';
import { lastValueFrom } from 'rxjs';
import { completeToolLoop, historyOf, userMessage } from '../../lib/index.ts';
import { scripted } from '../../lib/deltas/scripted.ts';

describe('historyOf', () => {
  it('is the messages and the answer', () => {
    const answer = { role: 'assistant', content: [{ type: 'text', text: 'hi' }] } as const;
    expect(historyOf({ messages: [userMessage('go')], answer })).toEqual([userMessage('go'), answer]);
  });

  it('is the messages alone where a run ended without an answer', () => {
    const messages = [userMessage('go')];
    expect(historyOf({ messages })).toBe(messages);
  });

  it('carries a conversation into the next run', async () => {
    const model = scripted([{ text: 'Hello.' }, { text: 'Bye.' }]);
    const first = await lastValueFrom(completeToolLoop({ model, prompt: 'Hi' }));
    const second = await lastValueFrom(completeToolLoop({ model, messages: historyOf(first), prompt: 'Go' }));
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(historyOf(second)).toHaveLength(4);
    expect(historyOf(first)[1]).toBe(historyOf(second)[1]);
  });
});
