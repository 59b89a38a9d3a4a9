import type { Model } from '../index.ts';
import { demoSetup } from './demo-setup.ts';
import type { RunSetup } from './loop-runner.ts';
import type { LoopChoice } from './run-options.ts';

/**
 * The options of the command's runs, but for their tools and their prompt.
 *
 * @internal
 */
export function loopSetup({ choice, system, maxSteps }: LoopChoice, model: Model): Omit<RunSetup, 'tools' | 'prompt' | 'messages'> {
  const demo = choice.wire === 'demo' ? demoSetup : undefined;
  return {
    model,
    ...demo,
    // For a person a spent budget is an ending, not a fault.
    policy: { ...demo?.policy, budgetEnd: 'stop' },
    ...(system !== undefined && { system }),
    ...(maxSteps !== undefined && { budget: { maxSteps } }),
  };
}
