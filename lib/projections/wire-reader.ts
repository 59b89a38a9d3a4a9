import { partialJson } from '../fold/partial-json.ts';
import type { PartialJson } from '../fold/partial-json.ts';
import type { BlockState, CallState, LoopState, MessageState } from '../loop-state.ts';
import type { WireBlock, WireCall, WireState } from './wire-state.ts';

/** A list of pieces as far as it was read. */
interface Joined {
  text: string;
  length: number;
  reader?: PartialJson;
}

/**
 * Reads a wire document as a {@link LoopState}, and reads again only what was forgotten: the rest are the same objects as
 * before. What it gives out shares nothing with the document, which may change under it.
 *
 * @internal
 */
export class WireReader {
  /** By container of the document: what was read of it. */
  readonly #read = new WeakMap<object, unknown>();
  readonly #joined = new WeakMap<readonly string[], Joined>();

  /**
   * This container has changed or will.
   *
   * @param isAppended - by a last item and nothing else
   */
  forget(container: object, isAppended: boolean): void {
    this.#read.delete(container);
    if (!isAppended) this.#joined.delete(container as readonly string[]);
  }

  state(wire: WireState): LoopState {
    return this.#once(wire, () => ({
      ...this.#fields(wire, ['messages', 'blocks', 'calls', 'nested']),
      messages: this.#messages(wire),
      calls: this.#list(wire.calls, (one) => this.#call(one)),
      nested: this.#once(wire.nested, () => Object.fromEntries(Object.entries(wire.nested).map(([runId, run]) => [runId, this.state(run)]))),
    }));
  }

  /** The same list and the same messages as before, where neither they nor their blocks have changed. */
  #messages({ messages, blocks }: WireState): readonly MessageState[] {
    const all = this.#list(blocks, (one) => this.#block(one));
    let next = 0;
    const list = messages.map((one): MessageState => {
      const from = next;
      next += one.blocks;
      const known = this.#read.get(one) as MessageState | undefined;
      if (known !== undefined && known.blocks.length === one.blocks && isSame(known.blocks, all, from)) return known;
      return this.#keep(one, { ...this.#fields(one, ['blocks']), blocks: all.slice(from, next) });
    });
    const known = this.#read.get(messages) as readonly MessageState[] | undefined;
    return known !== undefined && known.length === list.length && isSame(known, list, 0) ? known : this.#keep(messages, list);
  }

  #block(wire: WireBlock): BlockState {
    return this.#once(wire, () => {
      if (!('text' in wire)) return this.#fields(wire, []) as BlockState;
      return { ...this.#fields(wire, ['text']), text: this.#text(wire.text).text } as BlockState;
    });
  }

  #call(wire: WireCall): CallState {
    return this.#once(wire, () => {
      const text = this.#text(wire.argumentsText);
      const given = wire.arguments === undefined ? this.#reading(wire.argumentsText, text) : this.#copy(wire.arguments);
      const { arguments: _given, ...rest } = this.#fields(wire, ['argumentsText']);
      const display = (rest as CallState).result?.display;
      return { ...rest, argumentsText: text.text, ...(given !== undefined && { arguments: given }), ...(display && { display }) };
    });
  }

  #text(pieces: readonly string[]): Joined {
    const joined = this.#joined.get(pieces) ?? { text: '', length: 0 };
    for (; joined.length < pieces.length; joined.length++) {
      joined.text += pieces[joined.length];
      joined.reader?.push(pieces[joined.length] as string);
    }
    this.#joined.set(pieces, joined);
    return joined;
  }

  #reading(pieces: readonly string[], joined: Joined): unknown {
    if (pieces.length === 0) return undefined;
    if (joined.reader === undefined) {
      joined.reader = partialJson();
      joined.reader.push(joined.text);
    }
    return joined.reader.value;
  }

  #list<W extends object, T>(wire: readonly W[], read: (one: W) => T): readonly T[] {
    return this.#once(wire, () => wire.map((one) => (this.#read.get(one) as T | undefined) ?? read(one)));
  }

  /** Own fields, copied, without those that are read in their own way. */
  #fields<W extends object, const Left extends keyof W>(wire: W, left: readonly Left[]): Omit<W, Left> {
    const kept = Object.entries(wire).filter(([key]) => !left.includes(key as Left));
    return Object.fromEntries(kept.map(([key, value]) => [key, this.#copy(value)])) as Omit<W, Left>;
  }

  #copy<T>(value: T): T {
    if (typeof value !== 'object' || value === null) return value;
    return this.#once(value, () => {
      if (Array.isArray(value)) return value.map((one) => this.#copy(one) as unknown) as T;
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#copy(one) as unknown])) as T;
    });
  }

  #once<T>(container: object, read: () => T): T {
    const known = this.#read.get(container);
    if (known !== undefined) return known as T;
    return this.#keep(container, read());
  }

  #keep<T>(container: object, value: T): T {
    this.#read.set(container, value);
    return value;
  }
}

/** Whether the items of a list are those of another from there on. A loop, because it runs for each message at each patch. */
function isSame(a: readonly unknown[], b: readonly unknown[], from: number): boolean {
  for (let at = 0; at < a.length; at++) if (a[at] !== b[from + at]) return false;
  return true;
}
