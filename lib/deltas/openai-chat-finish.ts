import type { FinishReason } from '../message.ts';

const REASONS: Readonly<Record<string, FinishReason>> = {
  'stop eos end_turn': 'stop',
  'length model_length max_tokens model_context_window_exceeded': 'length',
  'tool_calls function_call': 'tool-use',
  'content_filter sensitive': 'content-filter',
  refusal: 'refusal',
  'error network_error insufficient_system_resource': 'error',
};

/**
 * What a `finish_reason` of any compatible server means; `other` where nobody knows.
 *
 * @internal
 */
export function openaiChatFinish(raw: unknown): FinishReason {
  const names = Object.keys(REASONS).find((each) => each.split(' ').includes(raw as string)) ?? '';
  return REASONS[names] ?? 'other';
}
