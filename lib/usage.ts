/**
 * Token counts as a provider reports them. Adapters normalise: input includes cache reads and writes, output includes
 * reasoning. An absent count is unknown; zero is a report of zero.
 */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly totalTokens?: number;
  /** The figures are a lower bound or an estimate: something that should be in them was not reported. */
  readonly partial?: true;
}

type Count = Exclude<keyof Usage, 'partial'>;

const COUNTS: readonly Count[] = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'totalTokens',
];

/**
 * The sum of what was reported. A count known on one side only is kept as it is and marks the sum `partial`; a count
 * known on neither side stays unknown. `undefined` is the sum of nothing, so it marks nothing.
 */
export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage {
  if (a === undefined) return b ?? {};
  if (b === undefined) return a;
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {};
  let partial = a.partial === true || b.partial === true;
  for (const count of COUNTS) {
    const [left, right] = [a[count], b[count]];
    if (left === undefined && right === undefined) continue;
    if (left === undefined || right === undefined) partial = true;
    sum[count] = (left ?? 0) + (right ?? 0);
  }
  if (partial) sum.partial = true;
  return sum;
}

/** All tokens of a usage: the reported total, else input plus output, else unknown. */
export function totalTokens(usage: Usage): number | undefined {
  if (usage.totalTokens !== undefined) return usage.totalTokens;
  if (usage.inputTokens === undefined || usage.outputTokens === undefined) return undefined;
  return usage.inputTokens + usage.outputTokens;
}
