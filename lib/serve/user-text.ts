import type { UserMessage } from '../index.ts';

/**
 * What a user has said in words, as one text.
 *
 * @internal
 */
export function userText({ content }: UserMessage): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join(' ');
}
