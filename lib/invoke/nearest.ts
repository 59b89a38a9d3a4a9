/**
 * The known names that an unknown one may have meant, nearest first; names that are equally near keep their order.
 *
 * Case, underscores, dashes, dots and spaces do not count. Near is: at most a third of the longer name has to be
 * changed (at least one character may), or one name is the start or the end of the other (`search` and `search_web`,
 * `functions.add` and `add`; three characters or more).
 *
 * Names are compared by their first 64 characters, the longest that the common wires allow, so the cost is bounded by
 * 64 * 64 steps a known name, whatever a model writes.
 *
 * @internal
 */
export function nearest(name: string, known: readonly string[], max = 3): string[] {
  const wanted = letters(name);
  return known
    .map((candidate) => ({ candidate, distance: distance(wanted, letters(candidate)) }))
    .filter(({ distance }) => distance < FAR)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, Math.max(0, max))
    .map(({ candidate }) => candidate);
}

const FAR = Infinity;
const COMPARED = 64;
const SHORTEST_PART = 3;

function letters(name: string): string {
  return name.slice(0, COMPARED).toLowerCase().replace(/[_\-.\s]/g, '');
}

function distance(a: string, b: string): number {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short === '') return FAR;
  if (short === long) return 0;
  // A part ranks with one slip of the pen: `search` more likely means `search_web` than `perch`.
  if (short.length >= SHORTEST_PART && (long.startsWith(short) || long.endsWith(short))) return 1;
  const allowed = Math.max(1, Math.floor(long.length / 3));
  if (long.length - short.length > allowed) return FAR;
  const edits = editDistance(short, long);
  return edits <= allowed ? edits : FAR;
}

/** How many characters have to be put in, taken out or changed (Levenshtein), one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
