import type { DeltaEvent, LoopEvent } from '../event.ts';
import type { Meta } from '../message.ts';

/**
 * Neighbouring deltas of one block or one call, as one event. Its text is joined when it is taken, so that holding is
 * linear in the characters.
 *
 * @internal
 */
export class HeldDeltas {
  readonly #first: DeltaEvent;
  readonly #pieces: string[];
  #meta: Meta | undefined;

  /** @param first - a delta that {@link HeldDeltas.canHold} */
  constructor(first: DeltaEvent) {
    this.#first = first;
    this.#pieces = [pieceOf(first)];
    this.#meta = metaOf(first);
  }

  static canHold(event: LoopEvent): event is DeltaEvent {
    if (event.type !== 'delta') return false;
    const { type } = event.delta;
    return type === 'text' || type === 'reasoning' || type === 'refusal' || type === 'tool-call-arguments';
  }

  /** Takes a further one in; false where it does not go on where the last one ended. */
  add(event: DeltaEvent): boolean {
    const { runId, step, delta } = this.#first;
    const { delta: more } = event;
    if (event.runId !== runId || event.step !== step || more.type !== delta.type || placeOf(event) !== placeOf(this.#first)) return false;
    this.#pieces.push(pieceOf(event));
    const meta = metaOf(event);
    if (meta !== undefined) this.#meta = { ...this.#meta, ...meta };
    return true;
  }

  /** One that came alone is passed on as it came. */
  get event(): DeltaEvent {
    if (this.#pieces.length === 1) return this.#first;
    const { delta } = this.#first;
    const text = this.#pieces.join('');
    if (delta.type === 'tool-call-arguments') return { ...this.#first, delta: { ...delta, chunk: text } };
    return { ...this.#first, delta: { ...delta, text, ...(this.#meta && { meta: this.#meta }) } as DeltaEvent['delta'] };
  }
}

function placeOf({ delta }: DeltaEvent): string | number | undefined {
  if (delta.type === 'tool-call-arguments') return delta.index;
  return 'block' in delta ? delta.block : undefined;
}

function pieceOf({ delta }: DeltaEvent): string {
  if (delta.type === 'tool-call-arguments') return delta.chunk;
  return 'text' in delta ? delta.text : '';
}

function metaOf({ delta }: DeltaEvent): Meta | undefined {
  return 'meta' in delta ? delta.meta : undefined;
}
