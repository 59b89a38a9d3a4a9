import { ConfigError } from '../index.ts';

/**
 * The value of an option that must be a number of `least` or more; Infinity switches a limit off.
 *
 * @throws ConfigError that names the option and says what would be right
 * @internal
 */
export function amount(owner: string, option: string, value: number, least = 1): number {
  if (typeof value === 'number' && value >= least) return value;
  throw new ConfigError(`${owner}: ${option} is ${String(value)}; give a number of ${least} or more.`);
}
