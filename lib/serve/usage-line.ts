import type { Outcome } from '../index.ts';

/**
 * What a run used: `2 steps, tokens: 24 in (8 cached), 12 out (3 reasoning)`. What was not reported is not said.
 *
 * @internal
 */
export function usageLine({ steps, usage }: Outcome): string {
  const tokens = [
    counted(usage.inputTokens, 'in', usage.cachedInputTokens, 'cached'),
    counted(usage.outputTokens, 'out', usage.reasoningTokens, 'reasoning'),
  ].filter((text) => text !== undefined);
  if (tokens.length === 0 && usage.totalTokens !== undefined) tokens.push(`${usage.totalTokens}`);
  const stepCount = `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`;
  if (tokens.length === 0) return `${stepCount}, tokens not reported`;
  return `${stepCount}, tokens: ${usage.partial === true ? 'at least ' : ''}${tokens.join(', ')}`;
}

function counted(count: number | undefined, name: string, part: number | undefined, partName: string): string | undefined {
  if (count === undefined) return undefined;
  return part === undefined || part === 0 ? `${count} ${name}` : `${count} ${name} (${part} ${partName})`;
}
