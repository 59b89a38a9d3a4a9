import { describe, expect, it } from '@jest/globals';
import type { Reason } from '../../lib/index.ts';
import { endingOf } from '../../lib/projections/ui-messages-ending.ts';

const masked = (): string => 'The run failed.';

describe('the end of a message', () => {
  it.each<[Reason, string]>([
    ['answer', 'stop'], ['output', 'stop'], ['length', 'length'], ['content-filter', 'content-filter'], ['refusal', 'content-filter'], ['suspended', 'tool-calls'],
    ['max-steps', 'other'], ['max-tokens', 'other'], ['max-cost', 'other'], ['max-duration', 'other'], ['context-full', 'other'], ['repetition', 'other'], ['stopped', 'other'],
  ])('of the reason %s is a finish %s with its metadata', (reason, finishReason) => {
    expect(endingOf(reason, { reason }, masked)).toEqual([{ type: 'finish', finishReason, messageMetadata: { reason } }]);
  });

  it('of a run that was stopped is abort, and its metadata come before [149]', () => {
    expect(endingOf('aborted', { reason: 'aborted' }, masked)).toEqual([
      { type: 'message-metadata', messageMetadata: { reason: 'aborted' } }, { type: 'abort', reason: 'aborted' },
    ]);
  });

  it('of a run that failed is error', () => {
    expect(endingOf('error', {}, masked).at(-1)).toEqual({ type: 'error', errorText: 'The run failed.' });
  });
});
