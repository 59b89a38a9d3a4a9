import type { AssistantPart } from '../message.ts';

/**
 * All that was said in parts of one kind, joined as it came.
 *
 * @param type - Default: what is said to the user
 */
export function saidText(parts: readonly AssistantPart[], type: 'text' | 'refusal' | 'reasoning' = 'text'): string {
  return parts.reduce((all, part) => (part.type === type ? all + part.text : all), '');
}
