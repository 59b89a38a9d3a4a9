import { describe, expect, it } from '@jest/globals';
import type { HookContext, Hooks, StepView } from '../../lib/index.ts';
import { modelPolicy } from '../../lib/serve/model-policy.ts';

describe('how the command treats what a model does', () => {
  it.each(['embedded', 'demo'] as const)('ends a budget of %s without a fault', (wire) => {
    expect(modelPolicy({ wire }).policy).toMatchObject({ budgetEnd: 'stop' });
  });

  it('sends back what the demonstration says without a reason, and nothing else', () => {
    const { afterStep } = modelPolicy({ wire: 'demo' }).hooks as Hooks;
    const asked = (text: string): unknown => afterStep?.({ text } as StepView, {} as HookContext);
    expect(asked('It is 42, trust me.')).toMatchObject({ type: 'correct' });
    expect(asked('It is 42.')).toBeUndefined();
    expect(modelPolicy({ wire: 'embedded' }).hooks).toBeUndefined();
  });

  it('names a conversation of the demonstration by its first words', () => {
    const { title } = modelPolicy({ wire: 'demo' });
    expect(title?.([{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(99) }] }])).toBe('x'.repeat(60));
    expect(title?.([])).toBeUndefined();
  });
});
