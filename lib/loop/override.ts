import { ConfigError } from '../errors.ts';

/**
 * The defaults with the given values over them; a given `undefined` changes nothing.
 *
 * @throws ConfigError for a key that is not known, or a value that is not right
 * @internal
 */
export function override<T extends object>(
  option: string,
  defaults: T,
  given: Partial<T> | undefined,
  isRight: (value: unknown, key: string) => boolean = () => true,
  known: object = defaults,
): T {
  if (given === undefined) return defaults;
  refuseUnknown(`${option}.`, given, known);
  const merged = { ...defaults };
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!isRight(value, key)) throw wrong(`${option}.${key}`, `is ${String(value)}`, WANTED[key] ?? 'give a number of 0 or more');
    merged[key as keyof T] = value as T[keyof T];
  }
  return merged;
}

export function refuseUnknown(prefix: string, given: object, known: object): void {
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(known, key)) throw wrong(`${prefix}${key}`, 'is no option', `the options are ${quoted(Object.keys(known))}`);
  }
}

const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0;
const isCount = (value: unknown): boolean => value === Infinity || (Number.isInteger(value) && isAmount(value));

/** Options that are something else than an amount of 0 or more. */
const OTHER: Readonly<Record<string, (value: unknown) => boolean>> = {
  maxSteps: isCount,
  maxTotalTokens: isCount,
  repetition: isCount,
  maxToolCalls: isCount,
  lastStep: (value) => value === 'answer',
  retryAfter: (value) => value === 'respect' || value === 'clamp',
  classify: (value) => typeof value === 'function',
};

const WANTED: Readonly<Record<string, string>> = {
  lastStep: 'give "answer", or leave it out',
  retryAfter: 'give "respect" or "clamp"',
  classify: 'give a function',
};

/** Whether a value fits an option of this name. */
export function isRightValue(value: unknown, key: string): boolean {
  return (OTHER[key] ?? isAmount)(value);
}

export function quoted(names: readonly string[]): string {
  return names.length === 0 ? '(none)' : names.map((name) => `"${name}"`).join(', ');
}

export function wrong(option: string, what: string, todo: string): ConfigError {
  return new ConfigError(`toolLoop: ${option} ${what}; ${todo}.`);
}
