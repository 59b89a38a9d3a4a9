import { from } from 'rxjs';
import type { FrameFold } from '../../lib/bytes/sse.ts';
import { sse } from '../../lib/bytes/sse.ts';
import type { Delta, DeltaOf, DeltaType } from '../../lib/delta.ts';
import type { ModelError } from '../../lib/errors.ts';

/** What an adapter made of one body. */
export interface Read {
  readonly deltas: Delta[];
  readonly error: ModelError | undefined;
}

/** What this fold makes of these pieces of one body. The ids that it makes begin with `made-`. */
export function readDeltas(pieces: readonly Uint8Array[], fold: (newId: () => string) => FrameFold<Delta>): Read {
  const deltas: Delta[] = [];
  let error: ModelError | undefined;
  let made = 0;
  from(pieces)
    .pipe(sse(() => fold(() => `made-${(made += 1)}`)))
    .subscribe({ next: (delta) => deltas.push(delta), error: (caught: ModelError) => (error = caught) });
  return { deltas, error };
}

export function deltasOf<Type extends DeltaType>(deltas: readonly Delta[], type: Type): DeltaOf<Type>[] {
  return deltas.filter((delta): delta is DeltaOf<Type> => delta.type === type);
}

export function joinedText(deltas: readonly Delta[], type: 'text' | 'reasoning' | 'refusal'): string {
  return deltasOf(deltas, type).map(({ text }) => text).join('');
}
