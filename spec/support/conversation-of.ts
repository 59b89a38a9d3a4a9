import type { Message, ToolCall, ToolResult } from '../../lib/index.ts';

/** What a conversation comes to for who reads it: its words in order, its calls, and one result each. */
export interface Conversation {
  readonly words: readonly string[];
  readonly calls: readonly Pick<ToolCall, 'id' | 'name' | 'arguments'>[];
  readonly results: readonly (Pick<ToolResult, 'callId' | 'name' | 'isError'> & { readonly text: string })[];
}

/** How turns are cut makes no difference, nor does the text of a failure, which may be masked. */
export function conversationOf(messages: readonly Message[]): Conversation {
  const words: string[] = [];
  const say = (role: string, text: string): void => {
    if (text === '') return;
    if (words.at(-1)?.startsWith(`${role}: `) === true && role === 'assistant') words[words.length - 1] += text;
    else words.push(`${role}: ${text}`);
  };
  const calls: Conversation['calls'][number][] = [];
  const results: Conversation['results'][number][] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      for (const { callId, name, isError, content } of message.results) {
        const text = content.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ');
        results.push({ callId, name, isError, text: isError ? '' : text });
      }
      continue;
    }
    for (const part of message.content) {
      if (part.type === 'text') say(message.role, part.text);
      if (part.type === 'tool-call') calls.push({ id: part.call.id, name: part.call.name, arguments: part.call.arguments });
    }
  }
  const order = new Map(calls.map(({ id }, at) => [id, at]));
  return { words, calls, results: results.sort((a, b) => (order.get(a.callId) ?? 0) - (order.get(b.callId) ?? 0)) };
}
