import { describe, expect, it } from '@jest/globals';
import type { HookContext, StepView } from '../../lib/index.ts';
import { demoCheck } from '../../lib/serve/demo-check.ts';
import { SENT_BACK } from '../../lib/serve/demo-place.ts';

const asked = (text: string): unknown => demoCheck.afterStep?.({ text } as StepView, {} as HookContext);

describe('demoCheck', () => {
  it('sends back what is marked as unchecked, in words that the place knows', () => {
    expect(asked('Sydney. [unchecked]')).toEqual({ type: 'correct', reason: 'The answer says that it is unchecked.', message: `${SENT_BACK} check what you marked as unchecked, and answer again.` });
  });

  it('leaves everything else', () => {
    expect(asked('unchecked')).toEqual({ type: 'continue' });
  });
});
