/** A value as JSON carries it, or where it cannot. `value` is absent for what JSON leaves out (`undefined`, a function). */
export type Jsoned =
  | { readonly ok: true; readonly value?: unknown; readonly text?: string }
  | { readonly ok: false; readonly reason: string };

/**
 * Takes a value as `JSON.stringify` would and gives back its own copy, so that what an event holds never changes.
 *
 * @internal
 */
export function toJson(value: unknown): Jsoned {
  // A string is its own copy; going through JSON text would cost twice its length.
  if (typeof value === 'string') return { ok: true, value };
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? { ok: true } : { ok: true, value: JSON.parse(text) as unknown, text };
  } catch (error) {
    const at = culprit(value);
    return { ok: false, reason: at ?? (error instanceof Error ? error.message : String(error)) };
  }
}

interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly above: Place | undefined;
}

/** The first place that JSON cannot take, depth first, without recursion: what failed may be deeper than the stack. */
function culprit(root: unknown): string | undefined {
  const open: Place[] = [{ value: root, path: 'the value', above: undefined }];
  // An acyclic graph can have exponentially many paths; past this many places the engine's own words must do.
  for (let budget = 100_000; open.length > 0 && budget > 0; budget--) {
    const place = open.pop() as Place;
    const { value, path } = place;
    if (typeof value === 'bigint') return `${path} is a bigint, which JSON cannot carry`;
    if (typeof value !== 'object' || value === null || typeof (value as { toJSON?: unknown }).toJSON === 'function') continue;
    for (let up = place.above; up !== undefined; up = up.above) {
      if (up.value === value) return `${path} refers back to ${up.path}, which JSON cannot carry`;
    }
    const children = Object.entries(value).map(([key, child]): Place => {
      const step = Array.isArray(value) ? `[${key}]` : `.${key}`;
      return { value: child, path: path + step, above: place };
    });
    open.push(...children.reverse());
  }
  return undefined;
}
