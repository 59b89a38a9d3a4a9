/**
 * Where a value lacks what was asked of it; undefined if it has all. An object may have more fields than asked, a list
 * may not have more items.
 *
 * @internal
 */
export function difference(actual: unknown, asked: unknown, path = ''): string | undefined {
  if (Object.is(actual, asked)) return undefined;
  const here = path === '' ? 'the event' : path;
  if (Array.isArray(asked)) {
    if (!Array.isArray(actual)) return `${here} is ${show(actual)}, asked was ${show(asked)}`;
    if (actual.length !== asked.length) return `${here} has ${actual.length} items, asked were ${asked.length}`;
    return first(asked.map((item, index) => difference(actual[index], item, `${path}[${index}]`)));
  }
  if (isObject(asked) && isObject(actual) && !Array.isArray(actual)) {
    const prefix = path === '' ? '' : `${path}.`;
    return first(Object.keys(asked).map((key) => difference(actual[key], asked[key], `${prefix}${key}`)));
  }
  return `${here} is ${show(actual)}, asked was ${show(asked)}`;
}

function first(differences: readonly (string | undefined)[]): string | undefined {
  return differences.find((one) => one !== undefined);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
