/**
 * The letters of a model's turn, one set for every spec, so that any diagram can be read cold.
 *
 * | letter | delta |
 * |---|---|
 * | `t` `k` `r` | text "hi", reasoning "hm", refusal "no" |
 * | `c` `d` | a whole call: `add` with `{ a: 1, b: 2 }`, `mul` with `{ a: 2, b: 3 }` |
 * | `y` `z` `l` | finish `tool-use`, `stop`, `length` |
 * | `p` `f` `n` `o` `e` | finish `pause`, `content-filter`, `refusal`, `other`, `error` |
 * | `u` `a` | usage (3 in, 2 out), a sign of life |
 */
import { toolCall } from '../lib/index.ts';
import type { Delta, FinishReason, Usage } from '../lib/index.ts';

/** What a letter of a turn stands for; the deltas of a list come in one frame. */
export type DeltaLetters = Readonly<Record<string, Delta | readonly Delta[]>>;

/** Where a letter stands. */
export interface Place {
  /** From 0. */
  readonly turn: number;
  /** What a call gets that left its id open. */
  readonly callId: string;
  /** What a call gets that left its index open. */
  readonly index: number;
}

export interface CallOptions {
  /** Default: the calls of the turn counted from 0. Give it to draw a wrong one. */
  readonly index?: number;
  /** Default: the letter and the number of the turn, such as `c0`. */
  readonly id?: string;
}

/** How to fill in what a value left open. Kept outside the deltas, so that they stay plain data. */
const open = new WeakMap<Delta, (place: Place) => Delta>();

function leaveOpen<D extends Delta>(delta: D, fill: (place: Place) => Delta): D {
  open.set(delta, fill);
  return delta;
}

/** A piece of the answer, in the turn's one text block unless `block` names another. */
export function text(words: string, block?: string): Delta {
  return said('text', words, block);
}

/** A piece of readable reasoning. */
export function reasoning(words: string, block?: string): Delta {
  return said('reasoning', words, block);
}

/** A piece of a refusal. */
export function refusal(words: string, block?: string): Delta {
  return said('refusal', words, block);
}

function said(type: 'text' | 'reasoning' | 'refusal', words: string, block: string | undefined): Delta {
  const delta: Delta = { type, block: block ?? type, text: words };
  return block === undefined ? leaveOpen(delta, ({ turn }) => ({ ...delta, block: `${type}${turn}` })) : delta;
}

/**
 * A whole call: its start, its argument text and its end. `args` that are a string stand for that text, verbatim, so
 * that broken JSON can be drawn; without `args` the model wrote nothing.
 */
export function call(name: string, args?: unknown, options: CallOptions = {}): readonly Delta[] {
  const raw = args === undefined ? '' : typeof args === 'string' ? args : JSON.stringify(args);
  const parts: ((index: number, id: string) => Delta)[] = [(index, id) => ({ type: 'tool-call-start', index, id, name })];
  if (raw !== '') parts.push((index) => ({ type: 'tool-call-arguments', index, chunk: raw }));
  parts.push((index, id) => ({ type: 'tool-call-end', index, call: toolCall(id, name, raw) }));
  return parts.map((part) =>
    leaveOpen(part(options.index ?? 0, options.id ?? name), (place) =>
      part(options.index ?? place.index, options.id ?? place.callId),
    ),
  );
}

/** Running totals, as the provider reports them. */
export function usage(figures: Usage): Delta {
  return { type: 'usage', usage: figures };
}

/** The end of a successful exchange. */
export function finish(reason: FinishReason): Delta {
  return { type: 'finish', reason };
}

/**
 * A delta as it stands at its place in a turn.
 *
 * @internal
 */
export function atPlace(delta: Delta, place: Place): Delta {
  return open.get(delta)?.(place) ?? delta;
}

/** The letters that a turn knows without being told. */
export const deltaLetters: DeltaLetters = {
  t: text('hi'),
  k: reasoning('hm'),
  r: refusal('no'),
  c: call('add', { a: 1, b: 2 }),
  d: call('mul', { a: 2, b: 3 }),
  y: finish('tool-use'),
  z: finish('stop'),
  l: finish('length'),
  p: finish('pause'),
  f: finish('content-filter'),
  n: finish('refusal'),
  o: finish('other'),
  e: finish('error'),
  u: usage({ inputTokens: 3, outputTokens: 2 }),
  a: { type: 'alive' },
};
