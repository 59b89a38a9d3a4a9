import { describe, expect, it } from '@jest/globals';
import { ModelError } from '../../lib/index.ts';
import { maskOf } from '../../lib/projections/ui-messages-mask.ts';
import type { UiFailure } from '../../lib/projections/ui-messages-mask.ts';

const tool: UiFailure = { of: 'tool', callId: 'c1', name: 'add', error: { kind: 'timeout', message: 'No answer from db-7.', retryable: true }, text: 'No answer.' };
const run: UiFailure = { of: 'run', error: new ModelError('model-http', 'Key sk-1 is wrong.') };

describe('what a person reads of a failure', () => {
  it('is by default that it failed, and of which kind', () => {
    expect([run, tool].map(maskOf(true))).toEqual(['The run failed.', 'The tool failed (timeout).']);
  });

  it('is its own words where nothing is masked; of a tool those that the model reads', () => {
    expect([run, tool].map(maskOf(false))).toEqual(['Key sk-1 is wrong.', 'No answer.']);
  });

  it.each([
    ['an ErrorInfo', { code: 'other', message: 'No.', retryable: false }, 'No.'],
    ['a text', 'No.', 'No.'],
    ['nothing', undefined, 'undefined'],
    ['an error without words', new TypeError(''), 'TypeError'],
  ])('is found in %s', (_name, error, text) => {
    expect(maskOf(false)({ of: 'run', error })).toBe(text);
  });

  it('is what the function says', () => {
    expect(maskOf(({ of }) => `${of}!`)(tool)).toBe('tool!');
  });
});
