import type { ModelOptions, ToolChoice } from '../model.ts';

/** What the options of a request become: fields of its body, and what could not become any. */
export interface AnthropicSettings {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly lacking: readonly LackingOption[];
}

/** An option that does not reach the model, and why. */
export interface LackingOption {
  readonly option: keyof ModelOptions;
  readonly why: string;
}

type Fields = Record<string, unknown>;

/**
 * The budget for an effort, in tokens, for models that know budgets alone: no provider's figures, but doubled twice
 * from the smallest budget that the wire takes.
 */
const BUDGETS = { minimal: 1_024, low: 2_048, medium: 8_192, high: 16_384 } as const;

/**
 * Says the options in the words of the wire.
 *
 * Effort: Claude from 4.6 on thinks adaptively and is told the effort itself (`minimal` as `low`); every other model is
 * given a budget. `none` sends nothing to a Claude that thinks only when told to (before 5). The bound on the answer is
 * raised above a budget that it does not exceed, because the wire refuses it otherwise.
 *
 * The wire refuses thinking together with a forced call, with a temperature other than 1 and with a top-p under 0.95:
 * what gives way is named in `lacking`.
 *
 * @param model - the name that the provider knows the model by
 * @param maxTokens - for a request that has none
 * @internal
 */
export function anthropicSettings(
  model: string,
  options: ModelOptions,
  choice: ToolChoice,
  maxTokens: number,
): AnthropicSettings {
  const lacking: LackingOption[] = [];
  const lack = (option: keyof ModelOptions, why: string): void => void lacking.push({ option, why });
  const fields: Fields = { max_tokens: options.maxTokens ?? maxTokens };

  const { thinking, ...reasoning } = reasoningOf(model, options.reasoning);
  const isForced = choice !== 'auto' && choice !== 'none';
  const thinks = thinking !== undefined && thinking.type !== 'disabled' && !isForced;
  Object.assign(fields, reasoning);
  if (thinking !== undefined && (thinks || thinking.type === 'disabled')) fields['thinking'] = thinking;
  else if (thinking !== undefined) lack('reasoning', 'a model that thinks cannot be made to call a tool');
  if (thinks && 'budget_tokens' in thinking) fields['max_tokens'] = above(thinking.budget_tokens, fields['max_tokens'] as number);

  const { temperature, topP, stop, serviceTier } = options;
  if (temperature !== undefined) {
    if (thinks && temperature !== 1) lack('temperature', 'a model that thinks has its own');
    else fields['temperature'] = temperature;
  }
  if (topP !== undefined) {
    if (thinks && topP < 0.95) lack('topP', 'a model that thinks takes 0.95 to 1');
    else fields['top_p'] = topP;
  }
  if (stop !== undefined && stop.length > 0) fields['stop_sequences'] = stop;
  if (serviceTier !== undefined) fields['service_tier'] = serviceTier;
  if (options.seed !== undefined) lack('seed', 'this wire has none');
  if (options.responseFormat === 'json') lack('responseFormat', 'this wire has none without a schema');
  return { fields, lacking };
}

type Thinking = { type: 'adaptive' } | { type: 'disabled' } | { type: 'enabled'; budget_tokens: number };

function reasoningOf(model: string, wanted: ModelOptions['reasoning']): { thinking?: Thinking; output_config?: unknown } {
  if (wanted === undefined) return {};
  if ('budgetTokens' in wanted) return { thinking: { type: 'enabled', budget_tokens: wanted.budgetTokens } };
  const { effort } = wanted;
  if (effort === undefined) return {};
  const version = versionOf(model);
  if (effort === 'none') return version === 0 || version >= 5 ? { thinking: { type: 'disabled' } } : {};
  if (version < 4.06) return { thinking: { type: 'enabled', budget_tokens: BUDGETS[effort] } };
  return { thinking: { type: 'adaptive' }, output_config: { effort: effort === 'minimal' ? 'low' : effort } };
}

/**
 * 4.06 for `claude-sonnet-4-6-20260101`, 3.07 for `claude-3-7-sonnet`. A Claude without a number is a new one; a model
 * of another name is somebody else's behind the same wire, which has had budgets for longer than the rest.
 */
function versionOf(model: string): number {
  const claude = /claude-(.*)/i.exec(model)?.[1];
  if (claude === undefined) return 0;
  const [, major, minor = '0'] = /(?<!\d)(\d{1,2})(?:[-.](\d{1,2})(?!\d))?(?!\d)/.exec(claude) ?? [];
  return major === undefined ? Infinity : Number(major) + Number(minor) / 100;
}

function above(budget: number, maxTokens: number): number {
  return maxTokens > budget ? maxTokens : budget + maxTokens;
}
