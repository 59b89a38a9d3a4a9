/**
 * A number, `true`, `false` or `null` while it arrives. A literal is complete with its last letter, a number only when
 * something else follows: `12` may become `123`.
 *
 * @internal
 */
export class JsonWord {
  /** Nothing more can belong to it, and it is whole: {@link value} is known. */
  closed = false;
  #text = '';
  #state = '';

  /** Whether a word can begin so. */
  static startsWith(mark: string): boolean {
    return step('', mark) !== undefined;
  }

  /** What could have stood where {@link read} stopped short. */
  get expected(): string {
    const literal = LITERALS.find((word) => this.#state !== '' && word.startsWith(this.#state));
    return literal === undefined ? 'a digit' : `'${literal}'`;
  }

  get value(): unknown {
    return JSON.parse(this.#text);
  }

  /** Reads on from `from`. Answers with the place after the word, the chunk's end, or the character that is wrong. */
  read(chunk: string, from: number): number {
    let at = from;
    for (; at < chunk.length; at++) {
      const state = step(this.#state, chunk.charAt(at));
      if (state === undefined) break;
      this.#state = state;
    }
    this.#text += chunk.slice(from, at);
    if (at < chunk.length || LITERALS.includes(this.#state)) this.end();
    return at;
  }

  /** Nothing follows. */
  end(): void {
    this.closed = WHOLE.has(this.#state);
  }
}

const LITERALS: readonly string[] = ['true', 'false', 'null'];

const DIGIT_AFTER = { whole: { 0: '1', 1: '1' }, point: { 0: '.1', 1: '.1' }, exponent: { 0: 'e1', 1: 'e1' } } as const;
const EXPONENT = { e: 'e', E: 'e' } as const;

/** What each state becomes by the next character; `1` is any digit but 0. A state is named for what it has read. */
const GRAMMAR: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': { '-': '-', 0: '0', 1: '1', t: 't', f: 'f', n: 'n' },
  '-': { 0: '0', 1: '1' },
  0: { '.': '.', ...EXPONENT },
  1: { ...DIGIT_AFTER.whole, '.': '.', ...EXPONENT },
  '.': DIGIT_AFTER.point,
  '.1': { ...DIGIT_AFTER.point, ...EXPONENT },
  e: { '+': 'e+', '-': 'e+', ...DIGIT_AFTER.exponent },
  'e+': DIGIT_AFTER.exponent,
  e1: DIGIT_AFTER.exponent,
  t: { r: 'tr' },
  tr: { u: 'tru' },
  tru: { e: 'true' },
  f: { a: 'fa' },
  fa: { l: 'fal' },
  fal: { s: 'fals' },
  fals: { e: 'false' },
  n: { u: 'nu' },
  nu: { l: 'nul' },
  nul: { l: 'null' },
};
const WHOLE: ReadonlySet<string> = new Set(['0', '1', '.1', 'e1', ...LITERALS]);

function step(state: string, mark: string): string | undefined {
  return GRAMMAR[state]?.[mark >= '2' && mark <= '9' ? '1' : mark];
}
