import type { ModelOptions } from '../model.ts';

const FIELDS: ReadonlyMap<string, string> = new Map([
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['stop', 'stop'],
  ['seed', 'seed'],
  ['serviceTier', 'service_tier'],
]);

/**
 * The options as the wire's own fields. The cache hint needs none: these servers keep the start of a request by
 * themselves.
 *
 * @param maxTokensField - servers disagree about its name
 * @param lacks - takes what the wire has no field for
 * @internal
 */
export function openaiChatOptions(
  options: ModelOptions,
  maxTokensField: string,
  hasTools: boolean,
  lacks: string[],
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    const field = name === 'maxTokens' ? maxTokensField : FIELDS.get(name);
    if (value === undefined || name === 'cache') continue;
    else if (field !== undefined) fields[field] = value;
    else if (name === 'responseFormat') {
      if (value === 'json') fields['response_format'] = { type: 'json_object' };
    } else if (name === 'parallelCalls') {
      // Refused where no tools are offered.
      if (hasTools) fields['parallel_tool_calls'] = value;
    } else if (name === 'reasoning') {
      const { effort, budgetTokens } = value as { effort?: unknown; budgetTokens?: unknown };
      if (effort !== undefined) fields['reasoning_effort'] = effort;
      if (budgetTokens !== undefined) lacks.push('reasoning.budgetTokens');
    } else lacks.push(name);
  }
  return fields;
}
