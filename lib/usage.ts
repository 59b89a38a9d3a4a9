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
  /** By the model's {@link Price}; unknown where it has none. */
  readonly costUsd?: number;
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
  'costUsd',
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

/**
 * What a model's tokens cost, US dollars a million. Data on the model, given by who uses it: a table in here would age.
 */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Of input read from a cache. Default: `input`. */
  readonly cachedInput?: number;
  /** Of input written to a cache. Default: `input`. */
  readonly cacheWrite?: number;
}

/** The usage with its cost, where both counts and the price are known. */
export function withCost(usage: Usage, price: Price | undefined): Usage {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  if (price === undefined || inputTokens === undefined || outputTokens === undefined) return usage;
  // On some wires the cached counts are not part of the input count; then nothing is left to charge at the full price.
  const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  const cached = cachedInputTokens * (price.cachedInput ?? price.input) + cacheWriteTokens * (price.cacheWrite ?? price.input);
  return { ...usage, costUsd: (plain * price.input + cached + outputTokens * price.output) / 1_000_000 };
}

/** All tokens of a usage: the reported total, else input plus output, else unknown. */
export function totalTokens(usage: Usage): number | undefined {
  if (usage.totalTokens !== undefined) return usage.totalTokens;
  if (usage.inputTokens === undefined || usage.outputTokens === undefined) return undefined;
  return usage.inputTokens + usage.outputTokens;
}
