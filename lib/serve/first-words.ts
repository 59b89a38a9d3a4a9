import type { Message } from '../index.ts';
import { oneLine } from './one-line.ts';
import { userText } from './user-text.ts';

const MAX_LENGTH = 60;

/**
 * A title for a conversation without asking a model: the beginning of the first prompt.
 *
 * @internal
 */
export function firstWords(messages: readonly Message[]): string | undefined {
  const first = messages.find(({ role }) => role === 'user');
  if (first?.role !== 'user') return undefined;
  return oneLine(userText(first).trim(), MAX_LENGTH);
}
