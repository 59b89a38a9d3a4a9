import type { Outcome } from '../outcome.ts';
import type { Message } from '../message.ts';

/**
 * The conversation that a run leaves behind, ready for the next prompt: its messages and its answer.
 *
 * @public
 */
export function historyOf({ messages, answer }: Pick<Outcome, 'messages' | 'answer'>): readonly Message[] {
  return answer === undefined ? messages : [...messages, answer];
}
