/**
 * What stands between the quotes of a JSON string, while it arrives. Every character is looked at once, in the chunk
 * that brings it; what was read is a rope that is only ever appended to.
 *
 * @internal
 */
export class JsonString {
  /** What can be shown: escapes when they are whole, and no half of a surrogate pair whose other half may follow. */
  text = '';
  /** The closing quote has been read. */
  closed = false;
  /** What could have stood where {@link read} stopped short. */
  expected = END;
  /** A high surrogate at the end of the text so far. */
  #held = '';
  /** What has come of an escape, with its backslash. */
  #escape = '';

  /** Reads on from `at`. Answers with the place after the closing quote, the chunk's end, or the character that is wrong. */
  read(chunk: string, at: number): number {
    let next = at;
    while (next < chunk.length && !this.closed) {
      const start = next;
      next = this.#escape === '' ? this.#readPlain(chunk, start) : this.#readEscape(chunk.charAt(start), start);
      if (next === start) break;
    }
    return next;
  }

  #readPlain(chunk: string, from: number): number {
    let at = from;
    let code = 0;
    for (; at < chunk.length; at++) {
      code = chunk.charCodeAt(at);
      if (code === QUOTE || code === BACKSLASH || code < SPACE) break;
    }
    if (at > from) this.#append(chunk.slice(from, at));
    if (at === chunk.length || code < SPACE) return at;
    if (code === BACKSLASH) {
      this.#escape = '\\';
      this.expected = ESCAPE;
    } else {
      this.text += this.#held;
      this.closed = true;
    }
    return at + 1;
  }

  #readEscape(mark: string, at: number): number {
    const meant = this.#escape === '\\' ? ESCAPES.get(mark) : undefined;
    if (meant === undefined) return this.#readUnicode(mark, at);
    this.#endEscape(meant);
    return at + 1;
  }

  #readUnicode(mark: string, at: number): number {
    if (!(this.#escape === '\\' ? mark === 'u' : /[0-9a-fA-F]/.test(mark))) return at;
    this.#escape += mark;
    this.expected = 'a hexadecimal digit';
    if (this.#escape.length === 6) this.#endEscape(String.fromCharCode(Number.parseInt(this.#escape.slice(2), 16)));
    return at + 1;
  }

  #endEscape(meant: string): void {
    this.#append(meant);
    this.#escape = '';
    this.expected = END;
  }

  #append(piece: string): void {
    const text = this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    const cut = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
    this.#held = text.slice(cut);
    this.text += text.slice(0, cut);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The first character that may stand in a string as it is. */
const SPACE = 0x20;
const END = "'\"' (control characters are written as escapes)";
const ESCAPE = 'one of "\\/bfnrtu';
const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }),
);
