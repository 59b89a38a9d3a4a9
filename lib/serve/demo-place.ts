import type { Message, ModelRequest, ToolResult } from '../index.ts';
import { userText } from './user-text.ts';

/** Where a conversation stands, as far as the demonstration model needs to know. */
export interface DemoPlace {
  /** What the user asks for. */
  readonly prompt: string;
  /** Model calls since then that the transcript holds. */
  readonly step: number;
  /** Results since the last model call, in call order. */
  readonly results: readonly ToolResult[];
  /** What the user said while tools ran, oldest first. */
  readonly steering: readonly string[];
}

/** Begins the message by which an answer is sent back. */
export const SENT_BACK = 'Before this goes out:';

/**
 * Reads it from the messages alone, so that a run that goes on after a restart stands where it stood. A user message that
 * follows results was said meanwhile, unless it asks for a script; one that sends an answer back is no new prompt either.
 *
 * @param asks - whether a text asks for a script
 * @internal
 */
export function demoPlace({ messages }: Pick<ModelRequest, 'messages'>, asks: (text: string) => boolean): DemoPlace {
  let place: DemoPlace = { prompt: '', step: 0, results: [], steering: [] };
  let before: Message['role'] | undefined;
  for (const message of messages) {
    if (message.role === 'assistant') place = { ...place, step: place.step + 1, results: [] };
    if (message.role === 'tool') place = { ...place, results: [...place.results, ...message.results] };
    if (message.role === 'user') {
      const text = userText(message);
      if (before === 'tool' && !asks(text)) place = { ...place, steering: [...place.steering, text] };
      else if (!text.startsWith(SENT_BACK)) place = { prompt: text, step: 0, results: [], steering: [] };
    }
    // Several messages of the user may have come together.
    if (message.role !== 'user' || before !== 'tool') before = message.role;
  }
  return place;
}
