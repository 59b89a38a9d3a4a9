/** Of things in a row, one that stands for those that have no place of their own. */
export interface Visible<T> {
  readonly one: T;
  readonly index: number;
  /** How many it stands for, itself included. */
  readonly count: number;
}

/**
 * Those of a row that are to be drawn between two places: none nearer than `gap` to the one before it. The cost depends on
 * the room, not on how many there are.
 *
 * @param placeOf - rises along the row
 * @internal
 */
export function* visible<T>(row: readonly T[], placeOf: (one: T) => number, from: number, to: number, gap: number): Generator<Visible<T>> {
  let index = firstFrom(row, placeOf, from);
  while (index < row.length) {
    const one = row[index] as T;
    const place = placeOf(one);
    if (place > to) return;
    const next = firstFrom(row, placeOf, place + gap, index + 1);
    yield { one, index, count: next - index };
    index = next;
  }
}

/**
 * The index of the first at or behind a place; the length of the row where there is none.
 *
 * @internal
 */
export function firstFrom<T>(row: readonly T[], placeOf: (one: T) => number, place: number, start = 0): number {
  let [low, high] = [start, row.length];
  // Most often it is near.
  for (let reach = 1; low + reach < high; reach *= 2) {
    if (placeOf(row[low + reach] as T) >= place) {
      high = low + reach + 1;
      break;
    }
    low += reach;
  }
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placeOf(row[middle] as T) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
