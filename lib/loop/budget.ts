import type { Step } from '../fold/step.ts';
import type { Message, ToolCall } from '../message.ts';
import type { ModelRequest } from '../model.ts';
import type { Budget } from '../policy.ts';
import { totalTokens } from '../usage.ts';
import type { Usage } from '../usage.ts';

/** Counted where a provider reports nothing: the usual rule of thumb for English text and JSON. */
const CHARACTERS_A_TOKEN = 4;

/** Whether another model call is allowed after so many. */
export function mayCall(calls: number, budget: Required<Budget>): boolean {
  return calls < budget.maxSteps;
}

/** Tokens used over the limit, or undefined: strictly greater counts, equal does not. */
export function tokensOver(usage: Usage | undefined, { maxTotalTokens }: Required<Budget>): number | undefined {
  if (usage === undefined) return undefined;
  const used = totalTokens(usage);
  return used !== undefined && used > maxTotalTokens ? used : undefined;
}

/**
 * A step's usage, with an estimate in place of the counts that the provider did not report, flagged `partial`; a budget
 * that is never measured would never bind.
 */
export function estimatedUsage(step: Pick<Step, 'parts' | 'usage'>, promptCharacters: number): Usage {
  const usage = step.usage ?? {};
  if (totalTokens(usage) !== undefined) return usage;
  const inputTokens = usage.inputTokens ?? tokens(promptCharacters);
  const outputTokens = usage.outputTokens ?? tokens(characters({ role: 'assistant', content: step.parts }));
  return { ...usage, inputTokens, outputTokens, partial: true };
}

/** Characters of one message as a provider would be sent them. */
export function characters(message: Message): number {
  let count = 0;
  if (message.role === 'tool') {
    for (const { content } of message.results) for (const { text } of content) count += text.length;
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

function tokens(count: number): number {
  return Math.ceil(count / CHARACTERS_A_TOKEN);
}
