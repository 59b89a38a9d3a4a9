import { describe, expect, it } from '@jest/globals';
import { messageSchema } from '../lib/schema-message.ts';
import { messages } from './support/examples.ts';
import { keepsTheLaws } from './support/schema-laws.ts';

for (const message of messages) keepsTheLaws(`the message of ${message.role}`, 'message', messageSchema, message);

describe('messageSchema', () => {
  it('refuses an unknown role and a part of an unknown type', () => {
    expect(messageSchema.safeParse({ role: 'system', content: [] }).error?.issues[0]?.path).toEqual(['role']);
    const message = { role: 'user', content: [{ type: 'text', text: '' }, { type: 'video', url: '' }] };
    expect(messageSchema.safeParse(message).error?.issues[0]?.path).toEqual(['content', 1, 'type']);
  });

  it('takes text, images and files from a tool, and nothing else', () => {
    const told = (...content: unknown[]): unknown => ({ role: 'tool', results: [{ callId: 'c', name: 'add', content, isError: false }] });

    expect(messageSchema.safeParse(told({ type: 'image', url: 'u' }, { type: 'file', mediaType: 'text/plain' })).success).toBe(true);
    expect(messageSchema.safeParse(told({ type: 'reasoning', text: 'hm' })).error?.issues[0]?.path).toEqual(['results', 0, 'content', 0, 'type']);
  });
});
