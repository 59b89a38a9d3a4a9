import type { ToolLoopOptions } from '../index.ts';
import type { ModelChoice } from './model-choice.ts';

type Options = Pick<ToolLoopOptions, 'policy' | 'hooks' | 'title' | 'retry'>;

/** For a person a spent budget is an ending, not a fault. */
const PLAIN: Options = { policy: { budgetEnd: 'stop' } };

/** What the scripts of the demonstration have to show: a withdrawn attempt, a correction, and a wait that one can see. */
const DEMO: Options = {
  policy: { budgetEnd: 'stop', streamFailure: { retract: 2 } },
  retry: { initialDelayMs: 1_500, jitter: 0 },
  hooks: { afterStep: ({ text }) => (text.includes('trust me') ? { type: 'correct', message: 'Give a reason.', reason: 'The answer has no reason.' } : undefined) },
  title: ([first]) => (first?.role === 'user' && first.content[0]?.type === 'text' ? first.content[0].text.slice(0, 60) : undefined),
};

/**
 * How the command's runs treat what a model does.
 *
 * @internal
 */
export function modelPolicy({ wire }: ModelChoice): Options {
  return wire === 'demo' ? DEMO : PLAIN;
}
