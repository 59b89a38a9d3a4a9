import type { Reason } from '../outcome.ts';
import type { UiFinishReason, UiMessageChunk } from './ui-messages-chunk.ts';

/** Reasons that end a message by `finish`; `aborted` and `error` have a chunk of their own. */
const FINISH: Readonly<Record<Exclude<Reason, 'aborted' | 'error'>, UiFinishReason>> = {
  answer: 'stop',
  output: 'stop',
  length: 'length',
  'content-filter': 'content-filter',
  refusal: 'content-filter',
  suspended: 'tool-calls',
  'max-steps': 'other',
  'max-tokens': 'other',
  'max-cost': 'other',
  'max-duration': 'other',
  'context-full': 'other',
  repetition: 'other',
  stopped: 'other',
};

/**
 * The last chunks of a message. What the run came to is the message's metadata, however it ended.
 *
 * @internal
 */
export function endingOf(reason: Reason, messageMetadata: unknown, errorText: () => string): UiMessageChunk[] {
  if (reason === 'aborted') return [{ type: 'message-metadata', messageMetadata }, { type: 'abort', reason }];
  if (reason === 'error') return [{ type: 'message-metadata', messageMetadata }, { type: 'error', errorText: errorText() }];
  return [{ type: 'finish', finishReason: FINISH[reason], messageMetadata }];
}
