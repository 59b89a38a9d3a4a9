import { JsonString } from './json-string.ts';
import { JsonWord } from './json-word.ts';

/** Why a text cannot be read on. */
export interface PartialJsonError {
  /** Where, in UTF-16 code units from the start of the whole text; its length where the text ended too early. */
  readonly offset: number;
  /** What could have stood there, such as `',' or ']'`. */
  readonly expected: string;
}

export interface PartialJsonOptions {
  /** Arrays and objects inside each other. Default 512; deeper text is an error. */
  readonly maxDepth?: number;
}

/** A JSON text while it arrives. */
export interface PartialJson {
  /** The next piece, cut anywhere. Never throws; does nothing once there is an `error`. */
  push(chunk: string): void;
  /** Says that the text ends here: completes a number that nothing follows, and makes a text that is cut an `error`. */
  end(): void;
  /** The best reading so far; `undefined` before anything is known. It outlives an `error`. */
  readonly value: unknown;
  /** A whole JSON text has been read; white space alone may follow. */
  readonly done: boolean;
  readonly error: PartialJsonError | undefined;
}

/**
 * Reads a JSON text as it arrives, in pieces of any size, with the result of `JSON.parse` at its end.
 *
 * Strings show as far as they have come (an escape or a surrogate pair when it is whole), numbers and literals when they
 * are complete, a key once something can be read of its value. `__proto__` is a key like any other; the last of equal
 * keys wins.
 *
 * Pushing is linear in the characters, whatever their cut. `value` gives snapshots that never change and share what has
 * not changed since the last reading; reading costs nothing itself, but the first change after it copies the containers
 * that are still open (depth times width, shallow).
 *
 * @internal
 */
export function partialJson(options: PartialJsonOptions = {}): PartialJson {
  return new Reader(options.maxDepth ?? 512);
}

/** An open container and the place in it that the next value goes to, or that its open child has. */
interface Frame {
  container: unknown[] | Record<string, unknown>;
  slot: string | number;
}

const EXPECTED = {
  value: 'a value',
  'value or ]': "a value or ']'",
  key: 'a key',
  'key or }': "a key or '}'",
  colon: "':'",
} as const;

const SPACE: ReadonlySet<string> = new Set(' \t\n\r');

class Reader implements PartialJson {
  error: PartialJsonError | undefined;
  readonly #maxDepth: number;
  readonly #open: Frame[] = [];
  #root: unknown;
  /** `value` has given the open containers out, so they are copied before the next change. */
  #given = false;
  #mode: keyof typeof EXPECTED | 'in key' | 'in string' | 'in word' | 'after' = 'value';
  /** Characters before the current chunk. */
  #offset = 0;
  #string = new JsonString();
  #word = new JsonWord();
  /** How much of the open string is in its container; -1 while it is not there at all. */
  #shown = -1;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  get value(): unknown {
    if (this.#mode === 'in string') this.#showString();
    this.#given = true;
    return this.#root;
  }

  get done(): boolean {
    return this.error === undefined && this.#mode === 'after' && this.#open.length === 0;
  }

  push(chunk: string): void {
    for (let at = 0; at < chunk.length && this.error === undefined; ) at = this.#read(chunk, at);
    this.#offset += chunk.length;
  }

  end(): void {
    if (this.error !== undefined) return;
    if (this.#mode === 'in word') {
      this.#word.end();
      this.#closeWord();
    }
    if (!this.done) this.#fail(0);
  }

  /** Reads some characters, or none and changes the mode or fails; answers with the place to go on at. */
  #read(chunk: string, from: number): number {
    switch (this.#mode) {
      case 'in key':
      case 'in string': {
        const at = this.#string.read(chunk, from);
        if (this.#string.closed) this.#closeString();
        else if (at < chunk.length) this.#fail(at);
        return at;
      }
      case 'in word': {
        const at = this.#word.read(chunk, from);
        this.#closeWord();
        if (this.#mode === 'in word' && at < chunk.length) this.#fail(at);
        return at;
      }
      default:
        return SPACE.has(chunk.charAt(from)) ? from + 1 : this.#readMark(chunk.charAt(from), from);
    }
  }

  #readMark(mark: string, at: number): number {
    switch (this.#mode) {
      case 'value':
      case 'value or ]':
        if (mark === ']' && this.#mode === 'value or ]') return this.#close(at);
        return this.#startValue(mark, at);
      case 'key':
      case 'key or }':
        if (mark === '}' && this.#mode === 'key or }') return this.#close(at);
        return mark === '"' ? this.#startString('in key', at) : this.#fail(at);
      case 'colon':
        if (mark !== ':') return this.#fail(at);
        this.#mode = 'value';
        return at + 1;
      default:
        return this.#readAfter(mark, at);
    }
  }

  #readAfter(mark: string, at: number): number {
    const frame = this.#open.at(-1);
    if (frame === undefined) return this.#fail(at);
    const inArray = typeof frame.slot === 'number';
    if (mark === (inArray ? ']' : '}')) return this.#close(at);
    if (mark !== ',') return this.#fail(at);
    if (typeof frame.slot === 'number') frame.slot++;
    this.#mode = inArray ? 'value' : 'key';
    return at + 1;
  }

  #startValue(mark: string, at: number): number {
    if (mark === '"') return this.#startString('in string', at);
    if (mark === '[' || mark === '{') return this.#startContainer(mark, at);
    if (!JsonWord.startsWith(mark)) return this.#fail(at);
    this.#word = new JsonWord();
    this.#mode = 'in word';
    return at;
  }

  #startContainer(mark: '[' | '{', at: number): number {
    if (!(this.#open.length < this.#maxDepth)) return this.#fail(at, `at most ${this.#maxDepth} levels of nesting`);
    const frame: Frame = mark === '[' ? { container: [], slot: 0 } : { container: {}, slot: '' };
    this.#put(frame.container);
    this.#open.push(frame);
    this.#mode = mark === '[' ? 'value or ]' : 'key or }';
    return at + 1;
  }

  #startString(mode: 'in key' | 'in string', at: number): number {
    this.#string = new JsonString();
    this.#shown = -1;
    this.#mode = mode;
    return at + 1;
  }

  #close(at: number): number {
    this.#open.pop();
    this.#mode = 'after';
    return at + 1;
  }

  #closeString(): void {
    const frame = this.#open.at(-1);
    if (this.#mode === 'in string') this.#showString();
    else if (frame !== undefined) frame.slot = this.#string.text;
    this.#mode = this.#mode === 'in string' ? 'after' : 'colon';
  }

  #showString(): void {
    const { text } = this.#string;
    if (text.length === this.#shown) return;
    this.#shown = text.length;
    this.#put(text);
  }

  #closeWord(): void {
    if (!this.#word.closed) return;
    this.#put(this.#word.value);
    this.#mode = 'after';
  }

  /** Sets the current slot of the innermost open container; first copies what has been given out. */
  #put(value: unknown): void {
    if (this.#given) this.#copyOpen();
    const frame = this.#open.at(-1);
    if (frame === undefined) this.#root = value;
    else set(frame, value);
  }

  #copyOpen(): void {
    this.#given = false;
    let parent: Frame | undefined;
    for (const frame of this.#open) {
      frame.container = Array.isArray(frame.container) ? frame.container.slice() : { ...frame.container };
      if (parent === undefined) this.#root = frame.container;
      else set(parent, frame.container);
      parent = frame;
    }
  }

  #fail(at: number, expected = this.#expected()): number {
    this.error = { offset: this.#offset + at, expected };
    return at;
  }

  #expected(): string {
    if (this.#mode === 'in key' || this.#mode === 'in string') return this.#string.expected;
    if (this.#mode === 'in word') return this.#word.expected;
    if (this.#mode !== 'after') return EXPECTED[this.#mode];
    const frame = this.#open.at(-1);
    if (frame === undefined) return 'the end of the text';
    return typeof frame.slot === 'number' ? "',' or ']'" : "',' or '}'";
  }
}

/** As `JSON.parse` does it: always an own property, also where an assignment would reach the prototype. */
function set({ container, slot }: Frame, value: unknown): void {
  if (slot in Object.prototype) {
    Object.defineProperty(container, slot, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (container as Record<string | number, unknown>)[slot] = value;
  }
}
