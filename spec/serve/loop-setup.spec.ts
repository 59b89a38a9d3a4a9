import { describe, expect, it } from '@jest/globals';
import { scripted } from '../../lib/deltas/scripted.ts';
import { demoSetup } from '../../lib/serve/demo-setup.ts';
import { loopSetup } from '../../lib/serve/loop-setup.ts';
import { modelChoice } from '../../lib/serve/model-choice.ts';

const model = scripted([]);
const setup = (name: string, more: object = {}) => loopSetup({ model: name, choice: modelChoice(name), tools: [], mcp: [], ...more }, model);

describe('loopSetup', () => {
  it('ends at a budget without a fault, and decides nothing else', () => {
    expect(setup('embedded')).toEqual({ model, policy: { budgetEnd: 'stop' } });
  });

  it('takes what the command line says', () => {
    expect(setup('embedded', { system: '', maxSteps: 0 })).toEqual({ model, policy: { budgetEnd: 'stop' }, system: '', budget: { maxSteps: 0 } });
  });

  it('has the hooks, the title and the policy of a demonstration for that model alone', () => {
    expect(setup('demo')).toEqual({ model, policy: { budgetEnd: 'stop', streamFailure: { retract: 2 } }, hooks: demoSetup.hooks, title: demoSetup.title });
    expect(setup('openai:demo')).not.toHaveProperty('hooks');
  });
});
