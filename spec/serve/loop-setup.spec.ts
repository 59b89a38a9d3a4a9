import { describe, expect, it } from '@jest/globals';
import type { LoopChoice } from '../../lib/serve/run-options.ts';
import { loopSetup } from '../../lib/serve/loop-setup.ts';
import { modelChoice } from '../../lib/serve/model-choice.ts';
import { demoCheck } from '../../lib/serve/demo-check.ts';

const choice = (model: string, more: Partial<LoopChoice> = {}): LoopChoice => ({ model, choice: modelChoice(model), tools: [], mcp: [], ...more });
const policy = { budgetEnd: 'stop', streamFailure: { retract: 3 } };

describe('loopSetup', () => {
  it('decides as little as it is told', () => {
    expect(loopSetup(choice('embedded'), {}, 0)([])).toEqual({ model: expect.objectContaining({ id: 'embedded' }), tools: [], policy });
  });

  it('has the system prompt and the bound of steps, also one of none', () => {
    expect(loopSetup(choice('embedded', { system: '', maxSteps: 0 }), {}, 0)([])).toMatchObject({ system: '', budget: { maxSteps: 0 } });
  });

  it('checks the answers of the demonstration model alone', () => {
    expect(loopSetup(choice('demo'), {}, 0)([])).toMatchObject({ model: { id: 'demo' }, hooks: demoCheck });
  });

  it('asks for a key before any run', () => {
    expect(() => loopSetup(choice('openai:gpt'), {}, 0)).toThrow('The key is missing');
  });
});
