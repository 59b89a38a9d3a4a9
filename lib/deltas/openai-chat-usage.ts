import type { Usage } from '../usage.ts';

/** The wire's figures, and what they mean here. */
export interface OpenaiChatUsage {
  readonly usage: Usage;
  /** Every number that came, nested ones with a dotted name. */
  readonly reported: Readonly<Record<string, number>>;
}

/**
 * Reads a `usage` object: input includes what was read from a cache, output includes reasoning, as the wire says it.
 * A figure that did not come stays unknown. Nothing where no figure came.
 *
 * @internal
 */
export function openaiChatUsage(raw: unknown): OpenaiChatUsage | undefined {
  const reported: Record<string, number> = {};
  collect(raw, '', reported);
  if (Object.keys(reported).length === 0) return undefined;
  const counts = {
    inputTokens: reported['prompt_tokens'],
    outputTokens: reported['completion_tokens'],
    cachedInputTokens: reported['prompt_tokens_details.cached_tokens'] ?? reported['prompt_cache_hit_tokens'],
    reasoningTokens: reported['completion_tokens_details.reasoning_tokens'],
    totalTokens: reported['total_tokens'],
  };
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  return { usage: Object.fromEntries(known) as Usage, reported };
}

function collect(value: unknown, prefix: string, into: Record<string, number>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [key, field] of Object.entries(value)) {
    if (typeof field === 'number') into[prefix + key] = field;
    // One level of details is what the wire has; a deeper one would be somebody's own.
    else if (prefix === '') collect(field, `${key}.`, into);
  }
}
