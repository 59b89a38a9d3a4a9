import type { Hooks } from '../index.ts';
import { SENT_BACK } from './demo-place.ts';

/**
 * Sends back what the demonstration model marks as unchecked, once in a row.
 *
 * @internal
 */
export const demoCheck: Hooks = {
  name: 'demo-check',
  afterStep: ({ text }) =>
    text.includes('[unchecked]')
      ? { type: 'correct', reason: 'The answer says that it is unchecked.', message: `${SENT_BACK} check what you marked as unchecked, and answer again.` }
      : { type: 'continue' },
};
