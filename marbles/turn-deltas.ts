import { atPlace, deltaLetters } from './alphabet.ts';
import type { DeltaLetters } from './alphabet.ts';
import type { Delta } from '../lib/index.ts';

/**
 * The deltas of one turn, a list for each of its letters: calls get indexes from 0 and ids of the letter and the turn's
 * number (`c0`; a letter drawn again, `c0.2`), blocks the turn's number, so that nothing is shared between two turns.
 *
 * @internal
 */
export function turnDeltas(letters: readonly string[], turn: number, own: DeltaLetters): readonly (readonly Delta[])[] {
  const known: DeltaLetters = { ...deltaLetters, ...own };
  const drawn = new Map<string, number>();
  let index = 0;
  return letters.map((letter) => {
    const value = known[letter];
    if (value === undefined) {
      const all = Object.keys(known).join(' ');
      throw new Error(`turn(): the letter "${letter}" stands for no delta. Known: ${all}. Give it: turn(diagram, { ${letter}: text('hi') }).`);
    }
    const times = (drawn.get(letter) ?? 0) + 1;
    drawn.set(letter, times);
    const place = { turn, index, callId: times === 1 ? `${letter}${turn}` : `${letter}${turn}.${times}` };
    const deltas = callsOf(value).flatMap((one, nth) =>
      one.map((delta) => atPlace(delta, { ...place, index: index + nth, callId: nth === 0 ? place.callId : `${place.callId}-${nth + 1}` })),
    );
    for (const delta of deltas) if (delta.type === 'tool-call-start') index = Math.max(index, delta.index + 1);
    return deltas;
  });
}

/** A letter may hold several calls: each begins at its start. */
function callsOf(value: Delta | readonly Delta[]): readonly (readonly Delta[])[] {
  const groups: Delta[][] = [[]];
  let started = false;
  for (const delta of isList(value) ? value : [value]) {
    if (delta.type === 'tool-call-start') {
      if (started) groups.push([]);
      started = true;
    }
    groups[groups.length - 1]?.push(delta);
  }
  return groups;
}

function isList(value: Delta | readonly Delta[]): value is readonly Delta[] {
  return Array.isArray(value);
}
