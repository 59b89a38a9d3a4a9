import type { Step } from '../fold/step.ts';
import type { Message, ToolCall } from '../message.ts';
import type { ModelRequest } from '../model.ts';
import type { BudgetName } from '../errors.ts';
import type { Budget } from '../policy.ts';
import { totalTokens } from '../usage.ts';
import type { Usage } from '../usage.ts';
import { repeatCount } from './repetition.ts';
import type { Repeats } from './repetition.ts';

/** Counted where a provider reports nothing: the usual rule of thumb for English text and JSON. */
const CHARACTERS_A_TOKEN = 4;

/** The budgets of a run, everything decided: an absent limit is `Infinity`. */
export type Limits = Required<Omit<Budget, 'lastStep'>> & Pick<Budget, 'lastStep'>;

/** A budget that is spent, with its figures. */
export interface Excess {
  readonly budget: BudgetName;
  readonly limit: number;
  readonly used: number;
}

/** What a run has used, as far as its budgets are concerned. */
export interface Used {
  /** Counted model calls. */
  readonly calls: number;
  readonly usage: Usage | undefined;
  /** Share of the context window that the last call used. */
  readonly context: number | undefined;
  readonly repeats: Repeats;
}

/** Whether another model call is allowed after so many. */
export function mayCall(calls: number, limits: Limits): boolean {
  return calls < limits.maxSteps;
}

/** The next call is the last permitted one, and is reserved for an answer. */
export function isReserved(calls: number, { lastStep, maxSteps }: Limits): boolean {
  return lastStep === 'answer' && calls === maxSteps - 1;
}

/** Whether tokens must be counted where a provider does not report them. */
export function needsEstimates({ maxTotalTokens, maxCostUsd }: Limits): boolean {
  return maxTotalTokens < Infinity || maxCostUsd < Infinity;
}

/** The first budget that forbids another step. */
export function beforeStep({ calls, context = 0, repeats }: Used, limits: Limits): Excess | undefined {
  if (!mayCall(calls, limits)) return { budget: 'max-steps', limit: limits.maxSteps, used: calls };
  if (context >= limits.contextLimit) return { budget: 'context-full', limit: limits.contextLimit, used: context };
  const used = repeatCount(repeats);
  return used >= limits.repetition ? { budget: 'repetition', limit: limits.repetition, used } : undefined;
}

/** The first budget that forbids the tools of a step: strictly greater counts, equal does not. */
export function beforeTools(usage: Usage | undefined, { maxTotalTokens, maxCostUsd }: Limits): Excess | undefined {
  const tokensUsed = usage && totalTokens(usage);
  if (tokensUsed !== undefined && tokensUsed > maxTotalTokens) return { budget: 'max-tokens', limit: maxTotalTokens, used: tokensUsed };
  const cost = usage?.costUsd;
  return cost !== undefined && cost > maxCostUsd ? { budget: 'max-cost', limit: maxCostUsd, used: cost } : undefined;
}

/** Names of the budgets of which this share is used, with what is used of them. */
export function nearlySpent({ calls, usage, context = 0, repeats }: Used, started: number, limits: Limits): { readonly name: string; readonly text: string }[] {
  const figures: readonly (readonly [name: string, used: number, limit: number])[] = [
    ['maxSteps', calls, limits.maxSteps],
    ['maxTotalTokens', (usage && totalTokens(usage)) ?? 0, limits.maxTotalTokens],
    ['maxCostUsd', usage?.costUsd ?? 0, limits.maxCostUsd],
    ['contextLimit', context, limits.contextLimit],
    ['repetition', repeatCount(repeats), limits.repetition],
    ['maxToolCalls', started, limits.maxToolCalls],
  ];
  return figures
    .filter(([, used, limit]) => limit < Infinity && limit > 0 && used / limit >= limits.warnAt)
    .map(([name, used, limit]) => ({ name, text: `budget.${name}: ${used} of ${limit} used.` }));
}

/**
 * A step's usage with all that the budgets measure: the total always, the counts where money is counted. What the
 * provider did not report is estimated and flagged `partial`; a budget that is never measured would never bind.
 *
 * The total is written out even where it follows from the counts: in a sum of steps of which one reports a total and
 * another counts, it would otherwise be the total of the one.
 */
export function estimatedUsage(step: Pick<Step, 'parts' | 'usage'>, promptCharacters: number, { maxCostUsd }: Pick<Limits, 'maxCostUsd'>): Usage {
  const usage = step.usage ?? {};
  const reported = totalTokens(usage);
  const { inputTokens, outputTokens } = usage;
  const isCounted = inputTokens !== undefined && outputTokens !== undefined;
  if (reported !== undefined && (isCounted || maxCostUsd === Infinity)) {
    return usage.totalTokens === undefined ? { ...usage, totalTokens: reported } : usage;
  }
  const input = inputTokens ?? tokens(promptCharacters);
  const output = outputTokens ?? tokens(characters({ role: 'assistant', content: step.parts }));
  return { ...usage, inputTokens: input, outputTokens: output, totalTokens: reported ?? input + output, partial: true };
}

/** Characters of one message as a provider would be sent them. */
export function characters(message: Message): number {
  let count = 0;
  if (message.role === 'tool') {
    for (const { content } of message.results) for (const part of content) count += part.type === 'text' ? part.text.length : 0;
    return count;
  }
  for (const part of message.content) {
    if (part.type === 'tool-call') count += callCharacters(part.call);
    else if ('text' in part) count += part.text.length;
  }
  return count;
}

/** Characters of what every request of the run repeats beside its messages. */
export function overheadCharacters({ system, tools }: Pick<ModelRequest, 'system' | 'tools'>): number {
  return (system?.length ?? 0) + (tools.length === 0 ? 0 : JSON.stringify(tools).length);
}

function callCharacters({ name, arguments: args, rawArguments }: ToolCall): number {
  return name.length + (rawArguments ?? JSON.stringify(args) ?? '').length;
}

/** The estimate of so many characters. */
export function tokens(count: number): number {
  return Math.ceil(count / CHARACTERS_A_TOKEN);
}
