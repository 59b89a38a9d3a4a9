import type { DeltaOf } from '../delta.ts';
import type { Meta } from '../message.ts';
import type { UiMessageChunk } from './ui-messages-chunk.ts';
import { ownMetadata } from './ui-messages-own.ts';
import type { Own } from './ui-messages-own.ts';

type Said = DeltaOf<'text' | 'refusal' | 'reasoning'>;

interface OpenPart {
  readonly id: string;
  readonly kind: Said['type'];
  readonly block: string;
  readonly own: Own;
  meta: Meta | undefined;
}

/**
 * Text and reasoning as parts that never interleave: what goes on in another block closes the one before it. Ids are
 * counted: `text-0-1` is the first part of step 0.
 *
 * @internal
 */
export class UiSpeech {
  private open: OpenPart | undefined;
  private count = 0;

  /** A piece; `own` is what the part carries beside its meta. */
  *say(step: number, { type: kind, block, text, meta }: Said, own: Own = {}): Generator<UiMessageChunk> {
    if (this.open?.block !== block || this.open.kind !== kind) {
      yield* this.close();
      this.open = { id: `${family(kind)}-${step}-${this.counted()}`, kind, block, meta: undefined, own: kind === 'refusal' ? { ...own, kind } : own };
      yield { type: `${family(kind)}-start`, id: this.open.id };
    }
    const { open } = this;
    if (meta !== undefined) open.meta = { ...open.meta, ...meta };
    if (text !== '') yield { type: `${family(kind)}-delta`, id: open.id, delta: text };
  }

  /** The end of the part that is open. What its deltas carried is told here, whole: a signature comes last. */
  *close(): Generator<UiMessageChunk> {
    const { open } = this;
    this.open = undefined;
    if (open !== undefined) yield { type: `${family(open.kind)}-end`, id: open.id, ...ownMetadata({ ...open.own, meta: open.meta }) };
  }

  /** The part that is open has been withdrawn. */
  forget(): void {
    this.open = undefined;
  }

  /** The next number for something in this message, from 1. */
  counted(): number {
    return (this.count += 1);
  }
}

/** A refusal is shown like text. */
function family(kind: Said['type']): 'text' | 'reasoning' {
  return kind === 'reasoning' ? 'reasoning' : 'text';
}
