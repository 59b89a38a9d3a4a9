import type { Ids } from '../ids.ts';

/** Gives each call and block of a run its one id. */
export interface Claims {
  /** The provider's id where it is non-empty and new, else one of the run's own. */
  call(providerId: string): string;
  block(providerId: string): string;
  /** All that have been given out or were known. */
  taken(): { readonly calls: readonly string[]; readonly blocks: readonly string[] };
}

/**
 * The ids of one run: nothing is used twice, whatever the provider sends.
 *
 * @param ids - where new ids come from
 * @param known - call ids that the run's input messages already use
 * @param knownBlocks - block ids that a resumed run has used
 * @internal
 */
export function claimIds(ids: Ids, known: Iterable<string> = [], knownBlocks: Iterable<string> = []): Claims {
  const calls = new Set<string>(known);
  const blocks = new Set<string>(knownBlocks);
  const claim = (used: Set<string>, wanted: string, kind: 'call' | 'block'): string => {
    let id = wanted;
    // A port that repeats itself must not hang the run: its id is then told apart by a number.
    if (id === '' || used.has(id)) id = ids(kind);
    for (let n = 2, base = id; id === '' || used.has(id); n++) id = `${base}-${n}`;
    used.add(id);
    return id;
  };
  return {
    call: (providerId) => claim(calls, providerId, 'call'),
    block: (providerId) => claim(blocks, providerId, 'block'),
    taken: () => ({ calls: [...calls], blocks: [...blocks] }),
  };
}
