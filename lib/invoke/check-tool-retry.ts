import { ConfigError } from '../errors.ts';
import type { ToolRetry } from '../tool.ts';

const LEAST: Readonly<Record<keyof ToolRetry, number>> = { count: 0, initialDelayMs: 0, factor: 1, maxDelayMs: 0, maxTotalMs: 0 };

/**
 * Refuses a tool's `retry` that says something else than numbers that it may have.
 *
 * @internal
 */
export function checkToolRetry(tool: string, retry: ToolRetry): void {
  const wrong = (what: string): ConfigError => new ConfigError(`defineTool: retry of tool "${tool}" ${what}.`);
  if (typeof retry !== 'object' || retry === null) throw wrong(`is ${String(retry)}; give an object with a count`);
  for (const key of Object.keys(retry)) if (!Object.hasOwn(LEAST, key)) throw wrong(`has the unknown option "${key}"`);
  if (!Number.isInteger(retry.count)) throw wrong(`needs a count: how often the body is run again, a whole number`);
  for (const [key, least] of Object.entries(LEAST) as [keyof ToolRetry, number][]) {
    const value = retry[key];
    if (value !== undefined && !(typeof value === 'number' && value >= least)) throw wrong(`has ${key} ${String(value)}; give a number, ${least} or more`);
  }
}
