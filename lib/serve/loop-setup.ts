import type { ToolLoopOptions } from '../index.ts';
import type { Environment } from './api-key.ts';
import { demoCheck } from './demo-check.ts';
import { loadModel } from './load-model.ts';
import type { LoopChoice } from './run-options.ts';

/** What `run` and `serve` make their runs of alike. */
export type LoopSetup = Pick<ToolLoopOptions, 'model' | 'tools' | 'policy' | 'system' | 'budget' | 'hooks'>;

/**
 * The options of a run that the command line decides.
 *
 * @param delayMs - pause of the embedded and the demonstration model between two words
 * @throws ConfigError when a key is missing, or cannot be sent.
 * @internal
 */
export function loopSetup({ choice, system, maxSteps }: LoopChoice, env: Environment, delayMs: number): (tools: NonNullable<ToolLoopOptions['tools']>) => LoopSetup {
  const model = loadModel(choice, env, delayMs);
  return (tools) => ({
    model,
    tools,
    // For a person a spent budget is an ending, not a fault; and a screen can take back an answer that broke off.
    policy: { budgetEnd: 'stop', streamFailure: { retract: 3 } },
    ...(choice.wire === 'demo' && { hooks: demoCheck }),
    ...(system !== undefined && { system }),
    ...(maxSteps !== undefined && { budget: { maxSteps } }),
  });
}
