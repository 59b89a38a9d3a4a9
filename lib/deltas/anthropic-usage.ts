import type { DeltaOf } from '../delta.ts';
import { isRecord } from '../is-record.ts';
import type { Usage } from '../usage.ts';

type Figures = Record<string, number>;

/**
 * Puts the figures of one answer together from its parts: the wire counts from the start of the answer, and what a later
 * part leaves out or sends as null stands as it was.
 *
 * Input on this wire leaves out what was read from the cache and written to it; here it includes both.
 *
 * @returns takes one `usage` object in and tells the figures so far, or nothing if it held none; `partial` says that more
 * is to come, so that the output is a lower bound
 * @internal
 */
export function anthropicUsage(): (raw: unknown, partial: boolean) => DeltaOf<'usage'> | undefined {
  let reported: Figures = {};
  return (raw, partial) => {
    const figures = collect(raw, '', {});
    if (Object.keys(figures).length === 0) return undefined;
    reported = { ...reported, ...figures };
    const { input_tokens: fresh, output_tokens: output, cache_read_input_tokens: cached, cache_creation_input_tokens: written } = reported;
    const counts = {
      inputTokens: fresh === undefined ? undefined : fresh + (cached ?? 0) + (written ?? 0),
      outputTokens: output,
      cachedInputTokens: cached,
      cacheWriteTokens: written,
      reasoningTokens: reported['output_tokens_details.thinking_tokens'],
    };
    const known = Object.entries(counts).filter(([, count]) => count !== undefined);
    return { type: 'usage', usage: { ...(Object.fromEntries(known) as Usage), ...(partial && { partial }) }, reported };
  };
}

function collect(value: unknown, prefix: string, into: Figures): Figures {
  if (!isRecord(value)) return into;
  for (const [key, field] of Object.entries(value)) {
    if (typeof field === 'number') into[prefix + key] = field;
    else if (prefix === '') collect(field, `${key}.`, into);
  }
  return into;
}
