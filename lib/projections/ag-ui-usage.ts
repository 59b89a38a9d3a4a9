import { addUsage } from '../usage.ts';
import type { Usage } from '../usage.ts';
import type { AgUiTokenUsage } from './ag-ui-event.ts';

/**
 * What a run's own model calls used, model by model, as AG-UI counts it.
 *
 * @internal
 */
export class AgUiUsage {
  private readonly byModel = new Map<string, Usage>();

  add(model: string, usage: Usage): void {
    this.byModel.set(model, addUsage(this.byModel.get(model), usage));
  }

  /** The field of an ending; absent where nothing was reported. */
  field(): { readonly usage?: readonly AgUiTokenUsage[] } {
    const usage = [...this.byModel].map(([model, one]) => ({ model, ...countsOf(one) })).filter((one) => Object.keys(one).length > 1);
    return usage.length === 0 ? {} : { usage };
  }
}

function countsOf(usage: Usage): AgUiTokenUsage {
  const { inputTokens, outputTokens, reasoningTokens, cachedInputTokens, cacheWriteTokens: cacheWriteInputTokens } = usage;
  // The protocol's total is the sum of the two, not what a provider calls so.
  const totalTokens = inputTokens === undefined || outputTokens === undefined ? usage.totalTokens : inputTokens + outputTokens;
  const counts = { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens, cacheWriteInputTokens };
  // A count that is no whole number makes a client refuse the whole event.
  const whole = Object.entries(counts).flatMap(([name, count]) => (isCount(count) ? [[name, Math.round(count)]] : []));
  return Object.fromEntries(whole) as AgUiTokenUsage;
}

function isCount(count: number | undefined): count is number {
  return count !== undefined && count >= 0 && Number.isSafeInteger(Math.round(count));
}
