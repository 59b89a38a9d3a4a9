import { isRecord } from '../is-record.ts';
import type { Usage } from '../usage.ts';

/** The wire's figures, and what they mean here. */
export interface OpenaiChatUsage {
  readonly usage: Usage;
  /** Every number that came, nested ones with a dotted name. */
  readonly reported: Readonly<Record<string, number>>;
}

/**
 * Reads a `usage` object: input includes what was read from a cache, output includes reasoning. A server that counts
 * reasoning on top of its output (its total says so) is brought in line. A figure that did not come stays unknown.
 * Nothing where no figure came.
 *
 * @internal
 */
export function openaiChatUsage(raw: unknown): OpenaiChatUsage | undefined {
  const reported: Record<string, number> = {};
  collect(raw, '', reported);
  if (Object.keys(reported).length === 0) return undefined;
  const first = (...names: string[]): number | undefined => reported[names.find((name) => name in reported) ?? ''];
  const input = first('prompt_tokens');
  const reasoning = first(`${OUTPUT}reasoning_tokens`, 'reasoning_tokens');
  const total = first('total_tokens');
  let output = first('completion_tokens');
  if (output !== undefined && reasoning && input !== undefined && total === input + output + reasoning) output += reasoning;
  const counts = {
    inputTokens: input,
    outputTokens: output,
    cachedInputTokens: first(`${INPUT}cached_tokens`, 'cached_tokens', 'prompt_cache_hit_tokens', 'cache_read_input_tokens'),
    cacheWriteTokens: first(
      `${INPUT}cache_write_tokens`,
      `${INPUT}cache_creation_input_tokens`,
      `${INPUT}cache_creation_tokens`,
      'cache_creation_input_tokens',
    ),
    reasoningTokens: reasoning,
    totalTokens: total,
  };
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  return { usage: Object.fromEntries(known) as Usage, reported };
}

const INPUT = 'prompt_tokens_details.';
const OUTPUT = 'completion_tokens_details.';

function collect(value: unknown, prefix: string, into: Record<string, number>): void {
  if (!isRecord(value)) return;
  for (const [key, field] of Object.entries(value)) {
    if (typeof field === 'number') into[prefix + key] = field;
    // One level of details is what the wire has; a deeper one would be somebody's own.
    else if (prefix === '') collect(field, `${key}.`, into);
  }
}
