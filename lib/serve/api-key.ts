import { ConfigError } from '../index.ts';
import type { WireModelChoice } from './model-choice.ts';

/** Environment variables. */
export interface Environment {
  readonly [name: string]: string | undefined;
}

/**
 * The key for a model: the first of its variables that is set, else none. It is never an option, because a command line
 * can be seen by every process, and it is never shown.
 *
 * @throws ConfigError that names the variable, where the provider answers nobody without a key.
 * @internal
 */
export function apiKey({ keys, needsKey, wire }: WireModelChoice, env: Environment): string | undefined {
  const name = keys.find((one) => (env[one] ?? '').trim() !== '');
  if (name !== undefined) return env[name]?.trim();
  if (!needsKey) return undefined;
  const provider = wire === 'anthropic' ? 'Anthropic' : 'OpenAI';
  throw new ConfigError(`The key is missing: set the environment variable ${keys[0]} to your ${provider} API key.`);
}
