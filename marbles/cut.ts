/**
 * Cuts bytes the way a network does, to prove that a reader does not mind.
 *
 * With positions: the pieces between them, each with memory of its own, as a network read has. Positions are byte
 * offsets in rising order; one given twice makes an empty piece. Without: every way to cut once (also at both ends, so
 * the whole is among them), then one byte at a time.
 *
 * @example Every cut gives the same
 * ```ts
 * import { cut } from 'rx-tool-loop/marbles';
 *
 * const body = new TextEncoder().encode('data: {"a":1}\n\n');
 * for (const pieces of cut(body)) console.log(pieces.length);
 * ```
 * @throws RangeError for a position outside the bytes or out of order
 * @public
 */
export function cut(bytes: Uint8Array): Generator<Uint8Array[]>;
export function cut(bytes: Uint8Array, at: number | readonly number[]): Uint8Array[];
export function cut(bytes: Uint8Array, at?: number | readonly number[]): Generator<Uint8Array[]> | Uint8Array[] {
  if (at === undefined) return everyCut(bytes);
  return piecesOf(bytes, typeof at === 'number' ? [at] : at);
}

function* everyCut(bytes: Uint8Array): Generator<Uint8Array[]> {
  for (let at = 0; at <= bytes.length; at += 1) yield piecesOf(bytes, [at]);
  yield piecesOf(bytes, Array.from({ length: Math.max(0, bytes.length - 1) }, (_, i) => i + 1));
}

function piecesOf(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const to of [...at, bytes.length]) {
    if (!Number.isInteger(to) || to < from || to > bytes.length) {
      throw new RangeError(`cut: position ${to} does not lie between ${from} and ${bytes.length}.`);
    }
    pieces.push(bytes.slice(from, to));
    from = to;
  }
  return pieces;
}
